extension PackedRecord {
  /// The hash of a feed's record: its own id and all values except the source.
  ///
  /// It is the same for a feed's row and for the stored row, whatever the public id and the source are.
  ///
  /// - Returns: The hash, or 0 if the record has no id or no source.
  package static func fingerprint(of record: UnsafeRawBufferPointer, key: SipHash.Key) -> UInt64 {
    guard let parts = Parts(record) else { return 0 }
    var chained = key
    var hash: UInt64 = 0
    for part in [parts.sourceID ?? parts.id, parts.head, parts.tail] {
      hash = SipHash.short(part, key: chained)
      chained = SipHash.Key(low: chained.low ^ hash, high: key.high)
    }
    return hash
  }

  /// Appends a feed's record under a public id that differs from the feed's own, which becomes the
  /// source id.
  package static func append(
    _ record: UnsafeRawBufferPointer,
    publicID: String,
    to bytes: inout [UInt8]
  ) {
    guard let parts = Parts(record) else { return }
    var publicID = publicID
    publicID.withUTF8 { append(idColumn, UnsafeRawBufferPointer($0), to: &bytes) }
    bytes.append(raw: parts.head)
    append(sourceColumn, parts.source, to: &bytes)
    append(sourceIDColumn, parts.id, to: &bytes)
    bytes.append(raw: parts.tail)
  }

  private static let idColumn = UInt8(RestaurantField.id.column)
  private static let sourceColumn = UInt8(RestaurantField.source.column)
  private static let sourceIDColumn = UInt8(RestaurantField.sourceID.column)

  /// A record divided at its ids and its source.
  private struct Parts {
    let id: UnsafeRawBufferPointer
    let source: UnsafeRawBufferPointer
    let sourceID: UnsafeRawBufferPointer?
    /// The fields between id and source.
    let head: UnsafeRawBufferPointer
    /// The fields after source and source id.
    let tail: UnsafeRawBufferPointer

    init?(_ record: UnsafeRawBufferPointer) {
      var values = Values(record)
      guard let id = values.text(Int(idColumn)), let source = values.text(Int(sourceColumn)),
        let start = record.baseAddress, let sourceStart = source.baseAddress
      else { return nil }
      // a text follows its column and its length
      let headLength = 5
      let headEnd = sourceStart - start - headLength
      var tailStart = sourceStart - start + source.count
      let sourceID = values.text(Int(sourceIDColumn))
      if let sourceID { tailStart += headLength + sourceID.count }
      (self.id, self.source, self.sourceID) = (id, source, sourceID)
      head = UnsafeRawBufferPointer(rebasing: record[headLength + id.count..<headEnd])
      tail = UnsafeRawBufferPointer(rebasing: record[tailStart...])
    }
  }
}
