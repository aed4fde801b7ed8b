import GeoFeed
import GeoIndex
import GeoQuery

/// Checks whether a feed is plausible: it may be another source's feed, or incomplete.
struct FeedDoubts {
  let path: String
  let content: FeedContent

  /// The number of the feed's own source.
  var ownNumber: UInt32 = 0

  /// The number of restaurants that the own source had.
  let before: Int

  /// The number that the store had.
  var storedCount = 0

  /// The number of new restaurants in the own source.
  private(set) var newOfOwn = 0

  /// The number of new ones that are identical to one of another source, by its number.
  private(set) var identical: [UInt32: Int] = [:]

  // the first of the store's restaurants with each fingerprint, made at the first use
  private(set) var contents: [UInt64: Int]?
  // the numbers of changed restaurants that moved far, and of those whose two numbers were swapped
  private(set) var movedCount = 0
  private(set) var swappedCount = 0
  // for each field, the number of restaurants that lost its value, less those that gained one
  private(set) var losses = [Int](repeating: 0, count: RestaurantField.stored.count)

  /// The distance in meters beyond which a restaurant has moved far.
  private static let farAway = 1_000.0

  /// Counts a new restaurant.
  mutating func noteNew(owner: UInt32, fingerprint: UInt64, known: KnownRows) {
    if owner == ownNumber { newOfOwn += 1 }
    guard storedCount > 0, before < storedCount else { return }
    if contents == nil {
      contents = Dictionary(
        (0..<storedCount).lazy.map { (known[$0].fingerprint, $0) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    // a row of the store may have changed since
    guard let other = contents?[fingerprint].map({ known[$0] }), other.fingerprint == fingerprint,
      other.owner != owner
    else { return }
    identical[other.owner, default: 0] += 1
  }

  /// Counts a changed restaurant of the feed's own source.
  mutating func noteChange(of old: StoredFacts, to place: Coordinate?, columns: UInt64) {
    if let before = old.place, let place, before.distance(to: place) > Self.farAway {
      movedCount += 1
      let isSwapped = before.latitude == place.longitude && before.longitude == place.latitude
      if isSwapped { swappedCount += 1 }
    }
    for column in losses.indices where (old.columns ^ columns).hasBit(column) {
      losses[column] += old.columns.hasBit(column) ? 1 : -1
    }
  }

  /// Rejects a feed that is probably a mistake.
  ///
  /// - Throws: `StoreError` of kind `duplicates`, `moves`, `empties`, `replaces` or `shrinks`.
  func check(_ report: ImportReport, _ options: ImportOptions, sources: [String]) throws {
    let taken = report.inserted + report.updated + report.unchanged
    if !options.allowsDuplicates { try checkDuplicates(taken, sources) }
    let source = sources[Int(ownNumber)]
    // of a part of a feed, what it says of the whole source counts
    let compared = options.keepsMissing ? before : before - report.removed
    if !options.allowsMoving { try checkMoves(compared, source) }
    if !options.allowsLosses { try checkLosses(compared, source) }
    guard !options.keepsMissing else { return }
    let shared = before - report.removed
    if !options.allowsReplacing, before > 0, shared * 10 < before, newOfOwn > shared {
      throw StoreError(
        .replaces,
        path: path,
        "the feed has \(shared == 0 ? "none" : "only \(shared)") of the \(counted(before)) that the "
          + "source \"\(shortened(source, to: 200))\" has; nothing was changed",
        source: source
      )
    }
    let after = shared + newOfOwn
    let isSmall = after * 10 <= before && report.removed > 0 && !options.allowsReplacing
    guard !options.allowsShrinking, taken == 0 || isSmall else { return }
    let had = before == 0 ? "" : "; the source \"\(shortened(source, to: 200))\" had \(before)"
    let problem =
      taken == 0 ? "the feed has no \(content.singular)" : "the feed has only \(counted(after))"
    throw StoreError(
      .shrinks,
      path: path,
      problem + had + "; nothing was changed",
      source: source
    )
  }

  /// Whether a number of changed restaurants is most of those compared.
  private func isMost(_ count: Int, of compared: Int) -> Bool {
    count >= 2 && count * 2 > compared
  }

  private func checkMoves(_ compared: Int, _ source: String) throws {
    guard isMost(movedCount, of: compared) else { return }
    let isSwapped = swappedCount == movedCount
    throw StoreError(
      .moves,
      path: path,
      "the feed moves \(movedCount) of \(counted(compared)) of the source "
        + "\"\(shortened(source, to: 200))\" by more than a kilometer"
        + (isSwapped ? ": latitude and longitude are swapped" : "") + "; nothing was changed",
      source: source
    )
  }

  private func checkLosses(_ compared: Int, _ source: String) throws {
    let emptied = zip(RestaurantField.stored, losses).filter { field, count in
      isMost(count, of: compared) && field.kind != .flag && ![.extra, .sourceID].contains(field)
    }
    guard let most = emptied.map(\.1).max() else { return }
    let names = emptied.map(\.0.rawValue).joined(separator: ", ")
    throw StoreError(
      .empties,
      path: path,
      "the feed empties \(names) of \(most) of \(counted(compared)) of the source "
        + "\"\(shortened(source, to: 200))\"; nothing was changed",
      source: source
    )
  }

  private func checkDuplicates(_ taken: Int, _ sources: [String]) throws {
    let most = identical.max { ($0.value, $1.key) < ($1.value, $0.key) }
    guard let most, most.value * 2 > taken else { return }
    let other = sources[Int(most.key)]
    throw StoreError(
      .duplicates,
      path: path,
      "already in the source \"\(shortened(other, to: 200))\": "
        + "\(most.value) of \(counted(taken)); nothing was changed",
      source: other
    )
  }

  private func counted(_ count: Int) -> String {
    count == 1 ? "1 \(content.singular)" : "\(count) \(content.rawValue)"
  }
}
