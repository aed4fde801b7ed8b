public import GeoIndex

/// An area with its name.
public struct NamedArea: Sendable, Hashable {
  /// The name; nil if it has none.
  public var name: String?

  /// The area.
  public let area: Area

  /// Makes an area with a name.
  public init(_ name: String?, _ area: Area) {
    self.name = name
    self.area = area
  }
}

/// An area with the number of its restaurants.
public struct AreaCount: Sendable, Hashable {
  /// The area; nil for the restaurants that are in none.
  public let area: NamedArea?

  /// The number of restaurants in it.
  public let count: Int
}

extension QueryEngine {
  /// Counts the restaurants that match a query by areas.
  ///
  /// A restaurant in two areas counts in both, also if it is on the boundary of both.
  ///
  /// - Parameters:
  ///   - areas: The areas.
  ///   - query: The query, whose order, limit, offset and cursor are ignored.
  /// - Returns: A count for each area in the order given, then that of the restaurants in none.
  /// - Throws: `QueryTimeout`.
  /// - Complexity: That of finding the restaurants of each area, and O(n / 64) for each.
  public func counts(by areas: [NamedArea], of query: Query) throws -> [AreaCount] {
    let members = try members(of: query)
    let deadline = query.deadline
    var counts: [AreaCount] = []
    var inAny = BitSet(capacity: snapshot.count)
    for area in areas {
      let found = snapshot.tree.positionSet(in: area.area, where: members) {
        deadline?.isOver ?? false
      }
      try deadline?.check()
      counts.append(AreaCount(area: area, count: found.count))
      inAny.formUnion(found)
    }
    let total = members?.count ?? snapshot.count
    return counts + [AreaCount(area: nil, count: total - inAny.count)]
  }

  /// The positions that match a query, whatever its order, limit, offset and cursor; nil for all.
  private func members(of query: Query) throws -> BitSet? {
    let allowed = try positions(matching: query.filter, until: query.deadline)
    return switch try snapshot.tree.ranking(query, allowed, nil) {
    case .all: nil
    case .set(let set): set
    case .list(let list): BitSet(capacity: snapshot.count, list)
    case .neighbors(let neighbors): BitSet(capacity: snapshot.count, neighbors.map(\.index))
    case .disc(let disc): BitSet(capacity: snapshot.count, disc.positions.map { Int($0) })
    case .ordered: nil
    }
  }
}

extension [AreaCount] {
  /// The counts as those of a field, the greatest first, ties by the name's UTF-8; that of the restaurants
  /// in none is the last.
  ///
  /// Areas without a name are numbered.
  package var facets: [Facet] {
    let named = dropLast().enumerated().map { index, count in
      Facet(value: count.area?.name ?? "area \(index + 1)", count: count.count)
    }
    return named.sorted(by: Facet.precedes)
      + suffix(1).map { Facet(value: nil, count: $0.count) }
  }

  /// A FeatureCollection of the outlines, each with its name and `count`, in the order of the areas.
  package var geoJSON: [UInt8] {
    JSONWriter.featureCollection(
      compactMap { count in
        count.area.map {
          ($0, [JSONMember(name: "count", value: .number("\(count.count)"))])
        }
      }
    )
  }
}
