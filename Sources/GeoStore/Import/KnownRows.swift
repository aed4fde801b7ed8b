import GeoFeed
import GeoQuery

/// The ids of a store and of a feed so far, each with what the import has to know of it: a hash table
/// of 40 bytes a row.
struct KnownRows {
  /// One id.
  struct Entry {
    let key: IDKey
    /// The number of its row; 0 while it has none.
    var row: Int64 = 0
    /// The hash of its packed row; 0 where that is unknown.
    var fingerprint: UInt64 = 0
    /// The record of this feed that gave it, from 1; 0 where none did.
    var record: UInt32 = 0
    /// Its source's place in a list of the import's.
    var owner: UInt32 = 0

    init(key: IDKey) {
      self.key = key
    }
  }

  private var blocks: [[Entry]] = []
  // positions of entries, one more than they are; 0 is free
  private var slots: [UInt32] = []

  /// How many ids there are.
  private(set) var count = 0

  // 40 MB: a block that large has pages of its own, which are made when they are first touched and go
  // back to the system with it
  private static let blockBits = 20

  /// Makes room for so many ids at once.
  init(capacity: Int = 0) {
    var size = 1 << 10
    while size * 3 < capacity * 4 { size *= 2 }
    slots = Array(repeating: 0, count: size)
  }

  /// An entry by its position, in the order of insertion.
  subscript(position: Int) -> Entry {
    get { blocks[position >> Self.blockBits][position & (1 << Self.blockBits - 1)] }
    _modify { yield &blocks[position >> Self.blockBits][position & (1 << Self.blockBits - 1)] }
  }

  /// The position of an id, which is added where it is not known.
  mutating func position(of key: IDKey) -> (position: Int, isNew: Bool) {
    let slot = slot(of: key)
    if slots[slot] != 0 { return (Int(slots[slot]) - 1, false) }
    slots[slot] = UInt32(count + 1)
    append(Entry(key: key))
    if count * 4 > slots.count * 3 { grow() }
    return (count - 1, true)
  }

  private mutating func append(_ entry: Entry) {
    if count & (1 << Self.blockBits - 1) == 0 {
      var block: [Entry] = []
      block.reserveCapacity(1 << Self.blockBits)
      blocks.append(block)
    }
    blocks[blocks.count - 1].append(entry)
    count += 1
  }

  /// The slot where an id is, or would be.
  private func slot(of key: IDKey) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: key.low) & mask
    while slots[slot] != 0, self[Int(slots[slot]) - 1].key != key { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    for position in 0..<count { slots[slot(of: self[position].key)] = UInt32(position + 1) }
  }
}
