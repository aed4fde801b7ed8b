import GeoIndex

/// A value with the number of its restaurants.
public struct Facet: Sendable, Hashable {
  /// The value; nil for restaurants that have none.
  public let value: String?

  /// The number of restaurants with this value.
  public let count: Int

  /// The fields whose counts read a column with the number of each value: fast at any size.
  public static let fields = Columns.codeNames.map(\.field)

  /// All fields that restaurants can be counted by: those of their records, not `favorite`.
  package static let allFields = Condition.Field.allCases.filter { $0 != .favorite }

  /// What restaurants are counted by: a field, or a member of `extra`.
  public struct Key: Sendable, Hashable, CustomStringConvertible {
    /// The field.
    public let field: Condition.Field

    /// The names that lead to a member of `extra`; empty for every other field.
    public let path: [String]

    /// Counts by a field other than `extra`.
    public init(_ field: Condition.Field) {
      precondition(field != .extra, "Name a member of extra.")
      precondition(field != .favorite, "Favorites are not in the snapshot: filter by them.")
      self.field = field
      path = []
    }

    /// Counts by a field of that name, in any case, or by a member of `extra`: `extra.cuisine`.
    ///
    /// - Throws: `QueryError` if there is no such field.
    public init(_ name: String) throws(QueryError) {
      let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard let field = Condition.Field(name: names[0]), allFields.contains(field),
        field == .extra || names.count == 1
      else {
        let known = allFields.map(\.usage)
        let similar = closest(to: name, among: known).map { "; did you mean \($0)?" }
        throw QueryError(
          "facets",
          "there is no field \"\(shortened(name))\""
            + (similar ?? "; the fields are \(known.joined(separator: ", "))")
        )
      }
      self.field = field
      path = Array(names.dropFirst())
      guard !path.contains(where: \.isEmpty) else {
        throw QueryError("facets", "\"\(shortened(name))\" has a dot without a name")
      }
      guard field == .extra else { return }
      do { try Condition.check(path) } catch { throw QueryError("facets", error.reason) }
    }

    /// The name of the field.
    public var description: String { ([field.rawValue] + path).joined(separator: ".") }

    /// Whether counting reads the records, which takes as long as a filter that does.
    package var readsRecords: Bool { !Facet.fields.contains(field) }
  }

  /// The order of counts: the greatest first, ties by the value's UTF-8.
  static func precedes(_ left: Facet, _ right: Facet) -> Bool {
    if left.count != right.count { return left.count > right.count }
    return (left.value ?? "").utf8.lexicographicallyPrecedes((right.value ?? "").utf8)
  }
}

extension QueryEngine {
  /// Counts the restaurants that match a query by the values of a field.
  ///
  /// Categories and lists are counted by their entries, so that a restaurant counts once for each;
  /// numbers by their value, whatever their digits.
  ///
  /// - Parameters:
  ///   - key: The field, or the member of `extra`.
  ///   - query: The query, whose order, limit, offset and cursor are ignored.
  /// - Returns: The counts, the greatest first, ties by the value's UTF-8.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: O(matches); other fields than `Facet.fields` read the record of each.
  public func facets(by key: Facet.Key, of query: Query) throws -> [Facet] {
    let allowed = try positions(matching: query.filter, until: query.deadline)
    var query = query
    // a list by distance from a point has all restaurants; here their order does not matter
    if snapshot.tree.count(query.region, nil) == snapshot.count { query.region = .everywhere }
    switch try snapshot.tree.ranking(query, allowed, nil) {
    case .all(let count): return try facets(by: key, at: 0..<count, query.deadline)
    case .set(let set):
      let positions = set.positions(ranks: 0..<set.count).map(Int.init)
      return try facets(by: key, at: positions, query.deadline)
    case .list(let list): return try facets(by: key, at: list, query.deadline)
    case .neighbors(let neighbors):
      return try facets(by: key, at: neighbors.map(\.index), query.deadline)
    case .disc(let disc):
      return try facets(by: key, at: disc.positions.lazy.map(Int.init), query.deadline)
    case .ordered: return []
    }
  }

  /// Counts the restaurants that match a query by the values of a field, as `facets(by:of:)` with a key
  /// does.
  public func facets(by field: Condition.Field, of query: Query) throws -> [Facet] {
    try facets(by: Facet.Key(field), of: query)
  }

  private func facets(
    by key: Facet.Key,
    at positions: some Sequence<Int>,
    _ deadline: Deadline?
  ) throws(QueryTimeout) -> [Facet] {
    guard let column = snapshot.columns.codes[key.field] else {
      return try facets(byValues: FieldValues(key, of: snapshot), at: positions, deadline)
    }
    let counts = column.counts(of: positions)
    if key.field == .category { return facets(ofCategories: counts) }
    return counts.map { Facet(value: $0.code.map(column.texts.string), count: $0.count) }
      .sorted(by: Facet.precedes)
  }

  /// Counts values that no column has numbers for.
  private func facets(
    byValues values: FieldValues,
    at positions: some Sequence<Int>,
    _ deadline: Deadline?
  ) throws(QueryTimeout) -> [Facet] {
    var counts: [UTF8Key: Int] = [:]
    var without = 0
    var readCount = 0
    for position in positions {
      readCount &+= 1
      if readCount & 1_023 == 0 { try deadline?.check() }
      // an entry that a list has twice counts once
      let keys = Set(values[position].map(UTF8Key.init))
      if keys.isEmpty { without += 1 }
      for key in keys { counts[key, default: 0] += 1 }
    }
    return
      (counts.map { Facet(value: $0.key.text, count: $0.value) }
      + (without > 0 ? [Facet(value: nil, count: without)] : [])).sorted(by: Facet.precedes)
  }

  /// The number of restaurants with each entry, by the number of those with each category.
  private func facets(ofCategories counts: [(code: Int?, count: Int)]) -> [Facet] {
    let table = snapshot.categories
    var sums = [Int](repeating: 0, count: table.names.count)
    var facets: [Facet] = []
    for (code, count) in counts {
      guard let code else {
        facets.append(Facet(value: nil, count: count))
        continue
      }
      for entry in table[code] { sums[Int(entry)] += count }
    }
    for (name, count) in zip(table.names, sums) where count > 0 {
      facets.append(Facet(value: name, count: count))
    }
    return facets.sorted(by: Facet.precedes)
  }
}

/// The values of a field of restaurants, as texts.
private struct FieldValues {
  private let snapshot: Snapshot
  private let key: Facet.Key
  private let numbers: NumberColumn<Double>?
  private let path: MemberPath

  init(_ key: Facet.Key, of snapshot: Snapshot) {
    self.snapshot = snapshot
    self.key = key
    numbers = snapshot.columns.numbers[key.field]
    path = MemberPath([key.field.rawValue] + key.path)
  }

  /// The values of the restaurant at a position: several for a list, none if it has none.
  subscript(position: Int) -> [String] {
    switch key.field {
    case .id: return [String(decoding: snapshot.id(at: position), as: UTF8.self)]
    case .latitude: return [Self.text(snapshot.tree[position].latitude)]
    case .longitude: return [Self.text(snapshot.tree[position].longitude)]
    default: break
    }
    if let numbers {
      let number = numbers.whileMapped { numbers[position] }
      return number.isNaN ? [] : [Self.text(number)]
    }
    var found: [String] = []
    snapshot.records.withFeature(at: position) { record, split in
      path.visit(record, from: split) { json, value in
        if let text = json.scalar(at: value) { found.append(text) }
        return true
      }
    }
    return found.isEmpty && key.field == .closed ? ["false"] : found
  }

  /// A number without a fraction of zero.
  private static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? number.description
  }
}

/// Names that lead to a member of a record.
struct MemberPath {
  /// The names in UTF-8, at least one.
  let names: [[UInt8]]

  init(_ names: [String]) {
    self.names = names.map { Array($0.utf8) }
  }

  private static let name = Array("name".utf8)
  private static let properties = Array("properties".utf8)

  /// Where the value of the first name begins in the text of a Feature, or of the members of its
  /// properties; nil if there is none.
  ///
  /// The properties after the distance begin at `split`; the name comes before it.
  func start(in json: StoredJSON, from split: Int) -> Int? {
    var first = split
    if split > 0, names[0] == Self.name {
      guard let properties = json.value(of: Self.properties, after: 1) else { return nil }
      first = properties + 1
    }
    return json.value(of: names[0], after: first)
  }

  /// Visits the values at the path, those of lists one by one, until the body returns false: it receives the
  /// index of each.
  ///
  /// With `wholeLists` a list at the end of the path is one value, and other lists have none.
  func visit(
    _ record: UnsafeRawBufferPointer,
    from split: Int,
    wholeLists: Bool = false,
    _ body: (_ json: StoredJSON, _ value: Int) -> Bool
  ) {
    let json = StoredJSON(record)
    // returns whether to go on after a value, to which `used` names lead
    func visit(_ start: Int, _ used: Int, _ depth: Int) -> Bool {
      // only a damaged file is deeper
      guard depth <= 2 * JSONScanner.maximumDepth, let kind = json.kind(at: start) else {
        return true
      }
      switch kind {
      case .array where !wholeLists:
        var goesOn = true
        json.visitItems(from: start + 1) { _, element in
          goesOn = visit(element, used, depth + 1)
          return goesOn
        }
        return goesOn
      case .object where used < names.count:
        let value = json.value(of: names[used], after: start + 1)
        return value.map { visit($0, used + 1, depth + 1) } ?? true
      default: return used < names.count || body(json, start)
      }
    }
    if let start = start(in: json, from: split) { _ = visit(start, 1, 0) }
  }
}
