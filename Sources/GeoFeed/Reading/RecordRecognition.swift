import GeoQuery

/// A hash of a record's text and of how it is read: 128 bits.
package struct RecordKey: Sendable, Hashable {
  package var low: UInt64 = 0
  package var high: UInt64 = 0

  /// The key of a record that cannot be recognized by its text, or is not known.
  package static let none = RecordKey()

  package init(low: UInt64 = 0, high: UInt64 = 0) {
    (self.low, self.high) = (low, high)
  }
}

/// Recognizes records whose bytes are unchanged since the last import, so they need not be parsed
/// again.
struct RecordRecognition: Sendable {
  /// Increases whenever records are read differently, so that older keys are no longer recognized.
  static let edition = 8

  private let key: SipHash.Key
  private let known: KnownRecords?

  /// Recognizes the records of a store, if it has any, by hashes with its key; `manner` is everything
  /// except its text that affects how a record is read.
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
  /// - Returns: The position of its row in the store, nil if it is unknown; and the index after it,
  ///   nil if that is not buffered.
  func recognize(_ bytes: [UInt8], from start: Int) -> (position: Int?, end: Int?) {
    guard let known else { return (nil, start) }
    return bytes.withUnsafeBytes { bytes in
      guard let end = endOfObject(bytes, start) else { return (nil, nil) }
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      return (known.position(of: key(of: text)), end)
    }
  }
}

/// The records of the last import by their keys: a hash table of 24 bytes per record.
package final class KnownRecords: Sendable {
  private let keys: [RecordKey]
  // positions of keys plus one; 0 is free
  private let slots: [UInt32]

  /// Holds the key of each row, in the order of the rows' positions.
  package init(_ keys: [RecordKey]) {
    var size = 1 << 10
    while size * 3 < keys.count * 4 { size *= 2 }
    var slots = [UInt32](repeating: 0, count: size)
    for (position, key) in keys.enumerated() where key != .none {
      slots[Self.slot(of: key, slots, keys)] = UInt32(position + 1)
    }
    (self.keys, self.slots) = (keys, slots)
  }

  /// The position of the row that came from a record.
  func position(of key: RecordKey) -> Int? {
    let slot = Self.slot(of: key, slots, keys)
    return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
  }

  /// The slot of a key, or the free one for it.
  private static func slot(of key: RecordKey, _ slots: [UInt32], _ keys: [RecordKey]) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: key.low) & mask
    while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & mask }
    return slot
  }
}

/// The index after the object that begins at `start`, found by its braces and strings alone; nil if
/// there is none, or it does not end.
///
/// The contents are not checked: this only finds where a known text would end.
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
