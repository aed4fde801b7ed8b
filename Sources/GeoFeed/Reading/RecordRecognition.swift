import GeoQuery

/// A hash of a record's own text together with how it is read: 128 bits.
package struct RecordKey: Sendable, Hashable {
  package var low: UInt64 = 0
  package var high: UInt64 = 0

  /// What a record has whose text says too little, or is not kept.
  package static let none = RecordKey()

  /// Makes a key.
  package init(low: UInt64 = 0, high: UInt64 = 0) {
    self.low = low
    self.high = high
  }
}

/// Tells by its text that a record was read before: what came of it then is what would come of it now.
struct RecordRecognition: Sendable {
  /// Goes up with each change of what comes of a record: other versions' readings are not these.
  static let edition = 6

  private let key: SipHash.Key
  private let known: KnownRecords?

  /// - Parameters:
  ///   - known: The records of the store; nil where it has none.
  ///   - key: The store's key for hashes.
  ///   - manner: Everything besides its text that decides what comes of a record.
  init(_ known: KnownRecords?, key: SipHash.Key, manner: [String]) {
    let manner = ([String(Self.edition)] + manner).joined(separator: "\0")
    let (low, high) = Array(manner.utf8).withUnsafeBytes { SipHash.long($0, key: key) }
    self.key = SipHash.Key(low: low, high: high)
    self.known = known
  }

  /// The key of a record's text.
  func key(of text: UnsafeRawBufferPointer) -> RecordKey {
    let (low, high) = SipHash.long(text, key: key)
    return RecordKey(low: low, high: high)
  }

  /// The record that begins in a window, if it is a known one.
  ///
  /// - Returns: Its position among the store's rows, nil where it is not known; and the index behind it,
  ///   nil where that is not at hand.
  func recognise(_ bytes: [UInt8], from start: Int) -> (position: Int?, end: Int?) {
    guard let known else { return (nil, start) }
    return bytes.withUnsafeBytes { bytes in
      guard let end = endOfObject(bytes, start) else { return (nil, nil) }
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      return (known.position(of: key(of: text)), end)
    }
  }
}

/// The records that a store was filled from, by their keys: a hash table of 24 bytes a record.
package final class KnownRecords: Sendable {
  private let keys: [RecordKey]
  // positions of keys, one more than they are; 0 is free
  private let slots: [UInt32]

  /// - Parameter keys: The key of each row, in the order of the rows' positions.
  package init(_ keys: [RecordKey]) {
    var size = 1 << 10
    while size * 3 < keys.count * 4 { size *= 2 }
    var slots = [UInt32](repeating: 0, count: size)
    for (position, key) in keys.enumerated() where key != .none {
      slots[Self.slot(of: key, slots, keys)] = UInt32(position + 1)
    }
    self.keys = keys
    self.slots = slots
  }

  /// The position of the row that came of a record.
  func position(of key: RecordKey) -> Int? {
    let slot = Self.slot(of: key, slots, keys)
    return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
  }

  /// The slot where a key is, or would be.
  private static func slot(of key: RecordKey, _ slots: [UInt32], _ keys: [RecordKey]) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: key.low) & mask
    while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & mask }
    return slot
  }
}

/// The index behind the object that begins at one, by its braces and strings alone; nil where none
/// begins there, or it does not end.
///
/// What is between is not looked at: it says where a known text would end, not that there is one.
func endOfObject(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
  guard start < bytes.count, bytes[start] == UInt8(ascii: "{") else { return nil }
  var depth = 0
  var position = start
  while position < bytes.count {
    switch bytes[position] {
    case UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: "}"):
      depth -= 1
      if depth == 0 { return position + 1 }
    case UInt8(ascii: "\""):
      guard let end = endOfString(bytes, position + 1) else { return nil }
      position = end
    default: break
    }
    position += 1
  }
  return nil
}

/// The index of the quote that ends a string.
private func endOfString(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
  var position = start
  while true {
    position = endOfPlainText(bytes, position, bytes.count)
    guard position < bytes.count else { return nil }
    if bytes[position] == UInt8(ascii: "\"") { return position }
    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    if position > bytes.count { return nil }
  }
}
