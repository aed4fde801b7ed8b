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

  private var entries: [Entry] = []
  // positions plus one, by hash; 0 is free
  private var slots: [UInt32] = []

  /// The number of restaurants.
  var count: Int { entries.count }

  /// An entry by its position, in the order of insertion.
  subscript(position: Int) -> Entry {
    get { entries[position] }
    _modify { yield &entries[position] }
  }

  /// The position of a restaurant; nil if it is new.
  func find(_ key: IDKey) -> Int? {
    guard !slots.isEmpty else { return nil }
    let number = slots[slot(of: key)]
    return number == 0 ? nil : Int(number) - 1
  }

  /// The position of a restaurant, which is added if it is new.
  mutating func position(of key: IDKey) -> (position: Int, isNew: Bool) {
    if let position = find(key) { return (position, false) }
    append(Entry(key: key))
    if count * 4 > slots.count * 3 { index() } else { slots[slot(of: key)] = UInt32(count) }
    return (count - 1, true)
  }

  /// Adds a restaurant, which is found only after a call of `index`.
  mutating func append(_ entry: Entry) {
    // 40 MB, with pages of their own, which are committed at the first use and returned when they are freed
    if entries.isEmpty { entries.reserveCapacity(1 << 20) }
    entries.append(entry)
  }

  /// Makes all restaurants findable; of equal ones the first.
  mutating func index() {
    var size = 1 << 10
    while size * 3 < count * 4 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    for position in 0..<count {
      let slot = slot(of: entries[position].key)
      if slots[slot] == 0 { slots[slot] = UInt32(position + 1) }
    }
  }

  /// The slot that has a restaurant, or else a free one.
  private func slot(of key: IDKey) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: key.low) & mask
    while slots[slot] != 0, entries[Int(slots[slot]) - 1].key != key { slot = (slot + 1) & mask }
    return slot
  }
}

/// Chooses the public ids of new restaurants: the feed's own id if it is free, otherwise
/// `SOURCE:ID`, otherwise that with `~2` and so on.
struct PublicIDs {
  /// The number of ids of new restaurants that each source had first, by source number.
  private(set) var shared: [UInt32: Int] = [:]

  // the ids of the store that differ from the feed's own, by position
  private let scoped: [Int: IDKey]
  // the source of each public id, made at the first use, which a store with one source never needs
  private var owners: [IDKey: UInt32]?
  private let key: SipHash.Key

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
    guard new.given != nil || sources.names.count > 1 || !scoped.isEmpty || owners != nil else {
      return nil
    }
    prepare(known, sources, except: new.position)
    if let given = new.given, take(IDKey(given, key: key), for: new) { return given }
    if take(new.ownKey, for: new) { return nil }
    if let other = owners?[new.ownKey], other != new.owner { shared[other, default: 0] += 1 }
    let base = sources.names[Int(new.owner)] + ":" + ownID()
    var (text, number) = (base, 1)
    while !take(IDKey(text, key: key), for: new) {
      number += 1
      text = "\(base)~\(number)"
    }
    return text
  }

  /// Takes a public id; false if it has an owner.
  private mutating func take(_ id: IDKey, for new: Newcomer) -> Bool {
    guard owners?[id] == nil else { return false }
    owners?[id] = new.owner
    return true
  }

  private mutating func prepare(_ known: KnownRows, _ sources: SourceNumbers, except new: Int) {
    guard owners == nil else { return }
    var owners: [IDKey: UInt32] = [:]
    owners.reserveCapacity(known.count)
    for position in 0..<known.count where position != new {
      let row = known[position]
      let id = scoped[position] ?? row.key.scoped(to: sources.keys[Int(row.owner)])
      if owners[id] == nil { owners[id] = row.owner }
    }
    self.owners = owners
  }
}
