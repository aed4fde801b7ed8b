import GeoIndex

/// Turns restaurants into the rows of a batch.
struct RowPacker {
  private(set) var batch = RowBatch()

  private let key: SipHash.Key
  private let keepsTexts: Bool
  private var sourceNumbers: [ByteKey: Int] = [:]

  /// - Parameters:
  ///   - key: The store's key for hashes.
  ///   - keepsTexts: Whether the records' own texts are wanted.
  init(key: SipHash.Key, keepsTexts: Bool) {
    self.key = key
    self.keepsTexts = keepsTexts
  }

  /// Hands over the batch and begins another.
  mutating func takeBatch() -> RowBatch {
    defer {
      batch = RowBatch()
      sourceNumbers = [:]
    }
    return batch
  }

  /// Adds a record.
  mutating func add(_ entry: ImportEntry, text: @autoclosure () -> [UInt8]) {
    switch entry {
    case .known(let row, let place):
      batch.known.append(RowBatch.Known(row: row, place: place, position: batch.rows.count))
    case .read(.rejected(let error), _):
      let text = keepsTexts ? text() : []
      batch.rejected.append(
        RowBatch.Rejected(error: error, text: text, position: batch.rows.count)
      )
    case .read(.accepted(let record), let recordKey):
      let start = batch.bytes.count
      pack(record.restaurant)
      let range = start..<batch.bytes.count
      let (id, fingerprint) = batch.bytes.withUnsafeBytes { all in
        let row = UnsafeRawBufferPointer(rebasing: all[range])
        let count = Int(row.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        let id = UnsafeRawBufferPointer(rebasing: row[5..<5 + count])
        return (IDKey(id, key: key), SipHash.short(row, key: key))
      }
      batch.rows.append(
        RowBatch.Row(
          range: range,
          key: id,
          fingerprint: fingerprint,
          source: number(of: record.restaurant.source),
          place: record.place,
          record: recordKey
        )
      )
      batch.warnings += record.warnings
      if keepsTexts { batch.texts.append(text()) }
    }
  }

  /// The hash that the row of a restaurant has in a store with this key.
  static func fingerprint(of restaurant: Restaurant, key: SipHash.Key) -> UInt64 {
    var packer = RowPacker(key: key, keepsTexts: false)
    packer.pack(restaurant)
    return packer.batch.bytes.withUnsafeBytes { SipHash.short($0, key: key) }
  }

  /// Notes how far the feed has been read.
  mutating func note(feedBytes: Int) {
    batch.feedBytes = feedBytes
  }

  private mutating func number(of source: String) -> Int {
    if batch.sources.count == 1, batch.sources[0].utf8.elementsEqual(source.utf8) { return 0 }
    let number = sourceNumbers[ByteKey(source), default: batch.sources.count]
    if number == batch.sources.count {
      sourceNumbers[ByteKey(source)] = number
      batch.sources.append(source)
    }
    return number
  }

  /// The id comes first, as `RowBatch.id(of:)` expects, the others in the order of the columns.
  private mutating func pack(_ restaurant: Restaurant) {
    for (column, field) in Schema.fields.enumerated() {
      let column = UInt8(column)
      switch field {
      case .id: add(column, restaurant.id)
      case .name: add(column, restaurant.name)
      case .source: add(column, restaurant.source)
      case .latitude: add(column, restaurant.coordinate.latitude.bitPattern)
      case .longitude: add(column, restaurant.coordinate.longitude.bitPattern)
      case .rating: add(column, restaurant.rating?.bitPattern)
      case .ratingScale: add(column, restaurant.ratingScale?.bitPattern)
      case .reviewCount: add(column, restaurant.reviewCount.map { UInt64(bitPattern: Int64($0)) })
      case .priceLevel: add(column, restaurant.priceLevel.map { UInt64(bitPattern: Int64($0)) })
      case .closed: add(column, restaurant.closed ? 1 as UInt64 : nil)
      case .formattedAddress, .extra: add(column, restaurant[field].map(JSONText.of))
      default: add(column, restaurant.text(field))
      }
    }
  }

  private mutating func add(_ column: UInt8, _ text: String?) {
    guard var text else { return }
    text.withUTF8 { utf8 in
      append(column, UInt32(utf8.count))
      batch.bytes.append(contentsOf: utf8)
    }
  }

  private mutating func add(_ column: UInt8, _ number: UInt64?) {
    guard let number else { return }
    append(column, number)
  }

  @inline(__always)
  private mutating func append(_ column: UInt8, _ number: some FixedWidthInteger) {
    batch.bytes.append(column)
    withUnsafeBytes(of: number.littleEndian) { batch.bytes.append(contentsOf: $0) }
  }
}
