public import GeoIndex

/// One generation of a store in one file with all that queries need; opens in constant time.
///
/// Restaurants have positions, 0..<count, in order of id (UTF-8 bytes). The file holds the k-d
/// tree, the records as GeoJSON Features, ids, columns for filters, orders and counts, the index of
/// words and the order of the map's cells; `SectionFile` describes files of sections, the types of
/// this folder the contents of each. It is mapped into memory, and read from the disk as queries
/// ask for it. Damage that opening does not detect may give wrong answers, but no query reads
/// outside the file; ``verify()`` finds it.
///
/// A reference: the file is unmapped with the last one.
public final class Snapshot: Sendable {
  /// The number of restaurants.
  public var count: Int { tree.count }

  /// The path as it was given.
  public var path: String { file.path }

  /// Identifies the store and the history that the restaurants are from.
  package var storeID: UInt64 { file.storeID }

  /// Counts the changes of the store's restaurants, by imports and by edits.
  public var generation: Int { Int(truncatingIfNeeded: file.generation) }

  package var byteCount: Int { file.byteCount }

  /// The index over the positions.
  public var tree: KDTree { file.tree }

  let records: Records
  let ids: TextTable
  let columns: Columns
  let words: WordIndex
  let tiles: TileOrder

  /// The entries of the categories; found at the first use, because opening takes constant time.
  var categories: CategoryTable { lazyCategories() }

  private let lazyCategories: Lazy<CategoryTable>
  private let extents: NumberColumn<Double>
  private let file: SectionFile

  /// Opens a snapshot.
  ///
  /// Checks the header bit for bit, and the length of every section.
  ///
  /// - Throws: `SnapshotError` if there is no such file, or it is unusable.
  /// - Complexity: O(1).
  public init(path: String) throws(SnapshotError) {
    let file = try SectionFile(path: path)
    let count = file.tree.count
    guard let records = Records(of: file, count: count),
      let ids = TextTable(("ids", "idends"), of: file, count: count),
      let columns = Columns(of: file, count: count),
      let words = WordIndex(of: file, count: count),
      let tiles = TileOrder(of: file, count: count),
      let extents = NumberColumn<Double>("extent", of: file, count: 8)
    else {
      throw SnapshotError.unusable(path, because: "its sections are not those of a snapshot")
    }
    self.file = file
    self.records = records
    self.ids = ids
    self.columns = columns
    self.words = words
    self.tiles = tiles
    self.extents = extents
    lazyCategories = Lazy { CategoryTable(columns.codes[.category]) }
  }

  /// The smallest box around all restaurants; nil if there are none.
  ///
  /// It crosses the antimeridian if that makes it narrower.
  public var extent: BoundingBox? { box(at: 0) }

  /// The box around all restaurants as maps show it (`ExtentBuilder.shownBox`); nil without any.
  package var shownExtent: BoundingBox? { box(at: 4) }

  private func box(at index: Int) -> BoundingBox? {
    extents.whileMapped {
      BoundingBox(
        west: extents[index],
        south: extents[index + 1],
        east: extents[index + 2],
        north: extents[index + 3]
      )
    }
  }

  /// The id at a position, as UTF-8.
  package func id(at position: Int) -> [UInt8] { ids.whileMapped { Array(ids[position]) } }

  /// The first position whose id is not before `id`, and whether its id is `id`.
  ///
  /// - Complexity: O(log n).
  package func lowerBound(ofID id: some Collection<UInt8>) -> (position: Int, isExact: Bool) {
    ids.whileMapped {
      let position = ids.lowerBound(of: id)
      return (position, position < count && ids[position].elementsEqual(id))
    }
  }

  /// The restaurant with an id, compared as UTF-8 bytes; nil if there is none.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  public func restaurant(id: String) throws(SnapshotError) -> Restaurant? {
    let found = lowerBound(ofID: id.utf8)
    return found.isExact ? try records.restaurant(at: found.position) : nil
  }

  /// The restaurant at a position, such as that of a ``Cover/Place``.
  ///
  /// - Parameter position: In 0..<count.
  /// - Returns: The restaurant.
  /// - Throws: `SnapshotError` if the file is damaged.
  public func restaurant(at position: Int) throws(SnapshotError) -> Restaurant {
    precondition((0..<count).contains(position), "A position must be in 0..<count.")
    return try records.restaurant(at: position)
  }

  /// Whether the record and the coordinate at a position are those of a packed record.
  package func holds(_ packed: UnsafeRawBufferPointer, at position: Int) -> Bool {
    var feature = JSONWriter()
    _ = FeatureWriter.append(packed, to: &feature)
    var own: [UInt8] = []
    appendFeature(at: position, to: &own)
    guard own == feature.bytes, let point = PackedRecord.coordinate(of: packed) else {
      return false
    }
    // -0.0 is not 0.0 here
    return point.latitude.bitPattern == tree[position].latitude.bitPattern
      && point.longitude.bitPattern == tree[position].longitude.bitPattern
  }

  /// Reads and checks the whole file: every checksum, the tree, and every order.
  ///
  /// - Throws: `SnapshotError` that names the first fault found.
  /// - Complexity: O(n), on all cores.
  public func verify() throws(SnapshotError) {
    try file.verify()
    let checks: [@Sendable () -> String?] = [
      { self.columns.fault() },
      { self.records.features.fault("records") ?? self.faultOfIDs() },
      { self.words.fault() },
      { self.columns.codes[.category].flatMap { self.tiles.fault(self, $0) } },
    ]
    let faults = Parallel.mapParts(of: checks.indices, threads: checks.count) { part in
      part.lazy.compactMap { checks[$0]() }.first
    }
    if let fault = faults.lazy.compactMap({ $0 }).first {
      throw SnapshotError.unusable(path, because: fault)
    }
  }

  /// Checks every byte against its checksum, but not what the bytes say.
  ///
  /// - Throws: `SnapshotError` that names the first fault found.
  /// - Complexity: O(n), on all cores.
  package func verifyBytes() throws(SnapshotError) { try file.verifyBytes() }

  private func faultOfIDs() -> String? {
    ids.fault("ids") ?? (ids.isAscending ? nil : "its ids are not in their order")
  }

  /// The ids most similar to a mistyped one, at most three: of those near it in order or with its
  /// words.
  ///
  /// - Complexity: O(log n) and some hundred comparisons.
  package func ids(similarTo id: String) -> [String] {
    let key = Array(id.utf8.prefix(200))
    guard !key.isEmpty else { return [] }
    let place = lowerBound(ofID: id.utf8).position
    let near = max(0, place - 20)..<min(count, place + 20)
    let ranked = Set(Array(near) + positions(withWordsOf: id)).map { position in
      let id = self.id(at: position)
      return (id: id, errors: editDistance(key, Array(id.prefix(200))))
    }
    return
      ranked
      .filter { $0.errors * 2 <= key.count }
      .sorted {
        $0.errors != $1.errors ? $0.errors < $1.errors : $0.id.lexicographicallyPrecedes($1.id)
      }
      .prefix(3).map { String(decoding: $0.id, as: UTF8.self) }
  }

  /// The restaurants with the words of an id, which are those of a name, or all but one of them.
  private func positions(withWordsOf id: String) -> [Int] {
    let words = FoldedWords(id).words.filter { $0.count > 1 }.prefix(8)
    guard !words.isEmpty else { return [] }
    let sets = words.map { self.words.positions(withPrefix: $0) }
    let choices =
      [Array(sets.indices)] + sets.indices.map { left in sets.indices.filter { $0 != left } }
    return choices.filter { !$0.isEmpty }.flatMap { choice -> [Int] in
      let both = choice.dropFirst().reduce(sets[choice[0]]) { $0.intersection(sets[$1]) }
      return both.positions(ranks: 0..<min(50, both.count)).map(Int.init)
    }
  }
}

/// The number of errors between a mistyped word and one that may have been meant: letters that are wrong,
/// missing, superfluous, or swapped with the next (Damerau 1964, Levenshtein 1966; optimal string
/// alignment).
///
/// A missing end counts as one error, because people shorten words this way.
///
/// - Complexity: O(*n* · *m*) for words of *n* and *m* letters.
package func editDistance<Letter: Equatable>(_ typed: [Letter], _ meant: [Letter]) -> Int {
  if meant.starts(with: typed) { return min(1, meant.count - typed.count) }
  var (beforeLast, last): ([Int], [Int]) = ([], Array(0...meant.count))
  for i in typed.indices {
    var row = [i + 1]
    for j in meant.indices {
      var errors = min(last[j] + (typed[i] == meant[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, typed[i] == meant[j - 1], typed[i - 1] == meant[j] {
        errors = min(errors, beforeLast[j - 1] + 1)
      }
      row.append(errors)
    }
    (beforeLast, last) = (last, row)
  }
  return last[meant.count]
}

/// The candidate a mistyped word was most likely meant to be.
///
/// Case is ignored. A candidate is close if at most a third of the word's letters (at least one, at
/// most three) are wrong, missing, superfluous or swapped, or if it starts with the word, which
/// counts as one error. Of equally close candidates the first wins. Very long words are close to
/// nothing.
///
///     closest(to: "nearst", among: ["nearest", "radius"])  // "nearest"
///
/// - Returns: `nil` if no candidate is close, or the word is empty.
package func closest(to word: String, among candidates: [String]) -> String? {
  let maximumBytes = 200
  guard !word.isEmpty, word.utf8.count <= maximumBytes else { return nil }
  let typed = Array(word.lowercased())
  let limit = min(3, max(1, typed.count / 3))
  var best: (candidate: String, errors: Int)?
  for candidate in candidates where candidate.utf8.count <= maximumBytes {
    let meant = Array(candidate.lowercased())
    let errors = editDistance(typed, meant)
    guard errors <= limit, errors < best?.errors ?? .max else { continue }
    best = (candidate, errors)
  }
  return best?.candidate
}
