import GeoFeed
import GeoQuery

/// The restaurants of a store and of the feed so far, with the values that an import needs.
///
/// A hash table of 40 bytes per row, by source and the feed's own id.
struct KnownRows {
  /// One restaurant.
  struct Entry {
    /// The hash of source and own id.
    var key: IDKey
    /// The number of its row; 0 if it has none yet.
    var row: Int64 = 0
    /// The hash of its contents; 0 if unknown.
    var fingerprint: UInt64 = 0
    /// The number of its record in this feed, from 1; 0 if there is none.
    var record: UInt32 = 0
    /// The index of its source in the import's list.
    var owner: UInt32 = 0

    init(key: IDKey) {
      self.key = key
    }
  }

  private var blocks: [[Entry]] = []
  private var slots = HashSlots()

  /// The number of restaurants.
  private(set) var count = 0

  // 40 MB: a block this large has its own pages, which are committed at the first use and returned
  // when it is freed
  private static let blockBits = 20

  /// Makes an empty table.
  init() {}

  /// An entry by its position, in the order of insertion.
  subscript(position: Int) -> Entry {
    get { Self.entry(position, blocks) }
    _modify { yield &blocks[position >> Self.blockBits][position & (1 << Self.blockBits - 1)] }
  }

  private static func entry(_ position: Int, _ blocks: [[Entry]]) -> Entry {
    blocks[position >> blockBits][position & (1 << blockBits - 1)]
  }

  /// The position of a restaurant; nil if it is new.
  func find(_ key: IDKey) -> Int? {
    slots.position(of: key.low) { self[$0].key == key }
  }

  /// The position of a restaurant, which is added if it is new.
  mutating func position(of key: IDKey) -> (position: Int, isNew: Bool) {
    if let position = find(key) { return (position, false) }
    append(Entry(key: key))
    let blocks = blocks
    slots.insert(count - 1, key.low) { Self.entry($0, blocks).key.low }
    return (count - 1, true)
  }

  /// Adds a restaurant, which is found only after a call of `index`.
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

/// Positions by hash: a hash table of about 8 bytes per position.
///
/// It stores neither hashes nor values.
struct HashSlots {
  // positions plus one; 0 is free
  private var slots: [UInt32]
  private var count = 0

  /// - Parameter capacity: The number of positions to allocate at once.
  init(capacity: Int = 0) {
    var size = 1 << 10
    while size * 3 < capacity * 4 { size *= 2 }
    slots = Array(repeating: 0, count: size)
  }

  /// The first position with this hash that satisfies the predicate.
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
  ///   - hashOf: Returns the hash of a position that was added before.
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

/// Chooses the public ids of new restaurants: the feed's own id if it is free, otherwise
/// `SOURCE:ID`, otherwise that with `~2` and so on.
struct PublicIDs {
  /// The number of ids of new restaurants that each source had first, by source number.
  private(set) var shared: [UInt32: Int] = [:]

  // the ids that differ from the feed's own, by position
  private var scoped: [Int: IDKey]
  // all public ids, made at the first use, which a store with one source never needs
  private var slots: HashSlots?
  private let key: SipHash.Key

  /// - Parameters:
  ///   - scoped: The public ids of the store that differ from the feed's own, by position.
  ///   - key: The store's key for hashes.
  init(scoped: [Int: IDKey], key: SipHash.Key) {
    self.scoped = scoped
    self.key = key
  }

  /// A new restaurant.
  struct Newcomer {
    /// Its position in the list of all restaurants.
    let position: Int
    /// The number of its source.
    let owner: UInt32
    /// The hash of the feed's own id.
    let ownKey: IDKey
    /// The public id that its record names, if that differs from its own.
    let given: String?
  }

  /// Chooses the id of a new restaurant.
  ///
  /// - Returns: The id, or nil if it is the feed's own.
  mutating func decide(
    _ new: Newcomer,
    ownID: @autoclosure () -> String,
    known: KnownRows,
    sources: SourceNumbers
  ) -> String? {
    // in a store with one source and no such ids, every own id is free
    guard new.given != nil || sources.names.count > 1 || !scoped.isEmpty else { return nil }
    prepare(known, sources, except: new.position)
    if let given = new.given {
      let key = IDKey(given, key: key)
      if owner(of: key, known, sources) == nil { return take(given, key, new, known, sources) }
    }
    guard let other = owner(of: new.ownKey, known, sources) else {
      add(new.position, new.ownKey, known, sources)
      return nil
    }
    if other != new.owner { shared[other, default: 0] += 1 }
    let base = sources.names[Int(new.owner)] + ":" + ownID()
    var (text, number) = (base, 1)
    while true {
      let key = IDKey(text, key: key)
      if owner(of: key, known, sources) == nil { return take(text, key, new, known, sources) }
      number += 1
      text = "\(base)~\(number)"
    }
  }

  private mutating func take(
    _ id: String,
    _ key: IDKey,
    _ new: Newcomer,
    _ known: KnownRows,
    _ sources: SourceNumbers
  ) -> String {
    scoped[new.position] = key
    add(new.position, key, known, sources)
    return id
  }

  private mutating func prepare(_ known: KnownRows, _ sources: SourceNumbers, except new: Int) {
    guard slots == nil else { return }
    slots = HashSlots(capacity: known.count)
    for position in 0..<known.count where position != new {
      add(position, Self.key(of: position, scoped, known, sources), known, sources)
    }
  }

  private mutating func add(
    _ position: Int,
    _ key: IDKey,
    _ known: KnownRows,
    _ sources: SourceNumbers
  ) {
    let scoped = scoped
    slots?.insert(position, key.low) { Self.key(of: $0, scoped, known, sources).low }
  }

  /// The source of the restaurant that has a public id.
  private func owner(
    of key: IDKey,
    _ known: KnownRows,
    _ sources: SourceNumbers
  ) -> UInt32? {
    slots?.position(of: key.low) { Self.key(of: $0, scoped, known, sources) == key }
      .map { known[$0].owner }
  }

  private static func key(
    of position: Int,
    _ scoped: [Int: IDKey],
    _ known: KnownRows,
    _ sources: SourceNumbers
  ) -> IDKey {
    scoped[position]
      ?? known[position].key.scoped(to: sources.keys[Int(known[position].owner)])
  }
}
