import GeoIndex

/// Where the next page of an answer begins: opaque to whoever carries it, and of use only for the same
/// query on the same generation of the store.
///
/// Within one generation an answer never changes, so pages neither overlap nor leave anything out,
/// whatever their limits. The text is base64url (RFC 4648 §5) of a version, hashes of query and state,
/// a place, and a check that tells a text that was cut or typed from one that geoq wrote.
struct PageCursor {
  private let query: UInt64
  private let state: UInt64

  /// How many answers came before.
  let offset: Int

  /// The cursor of a place in an answer.
  init(_ query: Query, _ state: StoreState, offset: Int) {
    self.query = Self.hash(Self.text(of: query))
    self.state = Self.hash("\(state.generation) \(state.edition)")
    self.offset = offset
  }

  /// Reads the cursor of a query.
  ///
  /// - Throws: `QueryError` where it is no cursor, of another query, or of another generation.
  init(_ text: String, of query: Query, in state: StoreState) throws(QueryError) {
    guard let bytes = Self.decode(text), bytes.count == Self.byteCount, bytes[0] == Self.version,
      Self.number(bytes, at: 25) == Self.hash(Array(bytes[..<25])),
      let offset = Int(exactly: Self.number(bytes, at: 17))
    else {
      throw QueryError("cursor", "not a cursor that geoq gave; start without one")
    }
    self.init(query, state, offset: offset)
    guard self.query == Self.number(bytes, at: 1) else {
      throw QueryError(
        "cursor",
        "belongs to another query; repeat that query as it was, or start without a cursor"
      )
    }
    guard self.state == Self.number(bytes, at: 9) else {
      throw QueryError(
        "cursor",
        "the restaurants have changed since it was given; start again without a cursor"
      )
    }
  }

  /// The cursor as text.
  var text: String {
    var bytes: [UInt8] = [Self.version]
    for number in [query, state, UInt64(offset)] { Self.append(number, to: &bytes) }
    Self.append(Self.hash(bytes), to: &bytes)
    return Self.encode(bytes)
  }

  private static let version: UInt8 = 1
  private static let byteCount = 33

  /// All of a query that decides its answer and the order of it; not how much of it is asked for.
  private static func text(of query: Query) -> String {
    var parts: [String] = []
    func bits(_ numbers: Double...) -> String {
      numbers.map { "\($0.bitPattern)" }.joined(separator: " ")
    }
    switch query.region {
    case .nearest(let center, let count, let radius):
      parts.append("nearest \(bits(center.latitude, center.longitude, radius)) \(count)")
    case .radius(let radius, let center):
      parts.append("radius \(bits(center.latitude, center.longitude, radius))")
    case .box(let box): parts.append("box \(bits(box.west, box.south, box.east, box.north))")
    case .everywhere: parts.append("everywhere")
    }
    parts.append("text \(query.filter.text)")
    parts += query.filter.categories.map { "category \($0)" }
    parts += query.filter.conditions.map {
      "where \($0.field) \($0.comparison.rawValue) \($0.operand)"
    }
    if let order = query.order { parts.append("order \(order.key) \(order.isDescending)") }
    return JSONText.of(.array(parts.map(JSONValue.string)))
  }
}

extension PageCursor {
  private static func hash(_ text: String) -> UInt64 { hash(Array(text.utf8)) }

  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    // nothing secret is kept by it: it tells an honest mistake
    bytes.withUnsafeBytes {
      SipHash.short($0, key: SipHash.Key(low: 0x6765_6F71, high: 0x7061_6765))
    }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// 33 bytes are 44 characters, without padding.
  private static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = (0..<3).reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
      for shift in [18, 12, 6, 0] { text.append(alphabet[group >> shift & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count == byteCount / 3 * 4 else { return nil }
    var bytes: [UInt8] = []
    var group = 0
    for (place, character) in text.utf8.enumerated() {
      guard let digit = alphabet.firstIndex(of: character) else { return nil }
      group = group << 6 | digit
      if place % 4 == 3 {
        bytes += [16, 8, 0].map { UInt8(group >> $0 & 255) }
        group = 0
      }
    }
    return bytes
  }
}
