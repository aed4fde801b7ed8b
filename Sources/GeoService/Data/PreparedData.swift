import GeoIndex
import GeoQuery

/// A whole store, read once: its snapshot as the index, features and texts in mapped files.
struct PreparedData: ServedData {
  let storeID: String
  let generation: Int
  let tree: KDTree
  let extent: BoundingBox?

  private let features: ByteColumn
  private let ids: ByteColumn
  private let names: ByteColumn
  private let words: TextColumn
  private let categories: CodeColumn
  private let cities: CodeColumn
  private let ratings: [Double]
  private let priceLevels: [UInt8]

  /// Reads a store.
  ///
  /// - Throws: `StoreError`, `PreparationError`.
  /// - Complexity: O(n); O(n log n) where there is no snapshot.
  init(_ store: RestaurantStore) throws {
    var builder = try PreparedDataBuilder()
    let (edition, tree) = try store.visitAll { try builder.append($0) }
    try self.init(
      &builder,
      tree: tree,
      storeID: edition.storeID,
      generation: edition.generation
    )
  }

  /// Takes what a builder was given, in order of id, and the index over it.
  ///
  /// - Throws: `PreparationError`.
  init(
    _ builder: inout PreparedDataBuilder,
    tree: KDTree,
    storeID: String,
    generation: Int
  ) throws {
    self.storeID = storeID
    self.generation = generation
    self.tree = tree
    extent = builder.extent.shownBox
    features = try builder.features.finish()
    ids = try builder.ids.finish()
    names = try builder.names.finish()
    words = TextColumn(try builder.words.finish())
    categories = builder.categories.column
    cities = builder.cities.column
    ratings = builder.ratings
    priceLevels = builder.priceLevels
  }

  var mappedByteCount: Int {
    [features, ids, names].map(\.all.count).reduce(0, +) + words.byteCount
  }

  func feature(at position: Int) -> ServedFeature {
    let record = features[position]
    let start = MemoryLayout<UInt32>.size
    return ServedFeature(
      bytes: UnsafeRawBufferPointer(rebasing: record[start...]),
      split: Int(record.loadUnaligned(as: UInt32.self))
    )
  }

  func id(at position: Int) -> [UInt8] { Array(ids[position]) }

  func lowerBound(ofID id: some Collection<UInt8>) -> (position: Int, isExact: Bool) {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if ids[middle].lexicographicallyPrecedes(id) { low = middle + 1 } else { high = middle }
    }
    return (low, low < count && ids[low].elementsEqual(id))
  }

  func positions(of choice: Choice, until deadline: Deadline) throws -> PositionSet? {
    if choice.takesAll { return nil }
    let wanted = categories.codes(ofCategories: choice.categories)
    let city = choice.city.map { cities.codes(of: [$0]) }
    let accepts = { (position: Int) in
      (choice.categories.isEmpty || categories.has(wanted, at: position))
        && (city.map { cities.has($0, at: position) } ?? true)
    }
    guard let text = choice.text else {
      return PositionSet(capacity: count, (0..<count).lazy.filter(accepts))
    }
    var found = PositionSet(capacity: count)
    try words.visitMatches(of: text, until: deadline) { position in
      if accepts(position) { found.insert(position) }
    }
    return found
  }

  func sortValue(_ key: SortKey.Field, at position: Int) -> SortValue? {
    switch key {
    case .name: .text(Array(names[position]))
    case .rating, .priceLevel:
      number(key, at: position).isNaN ? nil : .number(number(key, at: position))
    }
  }

  func number(_ field: SortKey.Field, at position: Int) -> Double {
    switch field {
    case .name: .nan
    case .rating: ratings[position]
    case .priceLevel: priceLevels[position] == 0 ? .nan : Double(priceLevels[position])
    }
  }

  func namePrefix(at position: Int) -> UInt64 {
    let name = names[position]
    return (0..<8).reduce(0) { $0 << 8 | ($1 < name.count ? UInt64(name[$1]) : 0) }
  }

  func isName(at position: Int, before other: Int) -> Bool {
    names[position].lexicographicallyPrecedes(names[other])
  }
}
