import GeoFeed
import GeoQuery

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
