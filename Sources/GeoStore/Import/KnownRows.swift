import GeoFeed
import GeoQuery

/// The restaurants of a store and of a feed so far, each with what the import has to know of it: a hash
/// table of 40 bytes a row, by source and the feed's own id.
struct KnownRows {
  /// One restaurant.
  struct Entry {
    /// The hash of source and own id.
    var key: IDKey
    /// The number of its row; 0 while it has none.
    var row: Int64 = 0
    /// The hash of its contents; 0 where that is unknown.
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
  private var slots = HashSlots()

  /// How many restaurants there are.
  private(set) var count = 0

  // 40 MB: a block that large has pages of its own, which are made when they are first touched and go
  // back to the system with it
  private static let blockBits = 20

  /// None yet.
  init() {}

  /// An entry by its position, in the order of insertion.
  subscript(position: Int) -> Entry {
    get { Self.entry(position, blocks) }
    _modify { yield &blocks[position >> Self.blockBits][position & (1 << Self.blockBits - 1)] }
  }

  private static func entry(_ position: Int, _ blocks: [[Entry]]) -> Entry {
    blocks[position >> blockBits][position & (1 << blockBits - 1)]
  }

  /// The position of a restaurant, which is added where it is not known.
  mutating func position(of key: IDKey) -> (position: Int, isNew: Bool) {
    if let position = slots.position(of: key.low, where: { self[$0].key == key }) {
      return (position, false)
    }
    append(Entry(key: key))
    let blocks = blocks
    slots.insert(count - 1, key.low) { Self.entry($0, blocks).key.low }
    return (count - 1, true)
  }

  /// Adds a restaurant that is found only after `index`.
  mutating func append(_ entry: Entry) {
    if count & (1 << Self.blockBits - 1) == 0 {
      var block: [Entry] = []
      block.reserveCapacity(1 << Self.blockBits)
      blocks.append(block)
    }
    blocks[blocks.count - 1].append(entry)
    count += 1
  }

  /// Makes all restaurants findable.
  mutating func index() {
    slots = HashSlots(capacity: count)
    let blocks = blocks
    for position in 0..<count {
      slots.insert(position, self[position].key.low) { Self.entry($0, blocks).key.low }
    }
  }
}

/// Positions by the hashes of what they stand for: a hash table of some 8 bytes a position, which knows
/// neither hash nor value.
struct HashSlots {
  // positions, one more than they are; 0 is free
  private var slots: [UInt32]
  private var count = 0

  /// - Parameter capacity: For how many positions there is room at once.
  init(capacity: Int = 0) {
    var size = 1 << 10
    while size * 3 < capacity * 4 { size *= 2 }
    slots = Array(repeating: 0, count: size)
  }

  /// The first position with a hash that is the one looked for.
  @inline(__always)
  func position(of hash: UInt64, where isIt: (Int) -> Bool) -> Int? {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if isIt(position) { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a position.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - hash: Its hash.
  ///   - hashOf: The hash of any position added before.
  @inline(__always)
  mutating func insert(_ position: Int, _ hash: UInt64, hashOf: (Int) -> UInt64) {
    count += 1
    if count * 4 > slots.count * 3 { grow(hashOf) }
    put(UInt32(position + 1), hash)
  }

  private mutating func put(_ number: UInt32, _ hash: UInt64) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = number
  }

  private mutating func grow(_ hashOf: (Int) -> UInt64) {
    let old = slots
    slots = Array(repeating: 0, count: slots.count * 2)
    for number in old where number != 0 { put(number, hashOf(Int(number) - 1)) }
  }
}
