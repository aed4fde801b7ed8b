public import GeoIndex

/// A query: the region, the filter, the order, and the number of results.
public struct Query: Sendable {
  /// The part of the world to search.
  ///
  /// Boundaries are closed.
  public enum Region: Sendable, Hashable {
    /// The nearest `count`, at most `within` meters away.
    case nearest(to: Coordinate, count: Int, within: Double = .infinity)
    /// All within a distance in meters.
    case radius(Double, of: Coordinate)
    /// All in a box.
    case box(BoundingBox)
    /// All restaurants.
    case everywhere
  }

  /// The region to search.
  public var region: Region

  /// The filter.
  public var filter: Filter

  /// The order of the results; nil for that of the region.
  ///
  /// That is by distance if there is a center, otherwise by id. The nearest are chosen before they
  /// are sorted.
  public var order: Order?

  /// The maximum number of restaurants, the first ones in order; nil for all.
  public var limit: Int?

  /// The number of restaurants to skip.
  public var offset = 0

  /// The cursor to continue at: `Page.next` or `Page.previous` of a page of the same query.
  public var cursor: String?

  /// Whether the page has index statistics; they do not change the results.
  public var isExplained: Bool

  /// The time limit; nil for none.
  public var deadline: Deadline?

  /// The maximum number of parts of the index to look into; nil for no limit.
  ///
  /// Only for pages of the nearest without filter and statistics, which throw `QueryTimeout` beyond
  /// it.
  package var maximumSteps: Int?

  /// Makes a query.
  public init(
    _ region: Region,
    matching filter: Filter = .all,
    in order: Order? = nil,
    limit: Int? = nil,
    offset: Int = 0,
    from cursor: String? = nil,
    explained isExplained: Bool = false,
    until deadline: Deadline? = nil
  ) {
    precondition(limit.map { $0 >= 0 } ?? true, "A limit must not be negative.")
    precondition(offset >= 0, "An offset must not be negative.")
    self.region = region
    self.filter = filter
    self.order = order
    self.limit = limit
    self.offset = offset
    self.cursor = cursor
    self.isExplained = isExplained
    self.deadline = deadline
  }

  /// The point from which distances are measured; nil if the region has none.
  public var center: Coordinate? {
    switch region {
    case .nearest(let center, _, _), .radius(_, let center): center
    case .box, .everywhere: nil
    }
  }

  /// The order of the results; nil for the order by id.
  var effectiveOrder: Order? { order ?? (center == nil ? nil : Order(by: .distance)) }

  /// Identifies the query in cursors: everything except limit and offset.
  var fingerprint: String {
    var bytes: [UInt8] = []
    func add(_ kind: UInt8, _ numbers: Double...) {
      bytes.append(kind)
      for number in numbers {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    switch region {
    case .nearest(let center, let count, let distance):
      add(0, center.latitude, center.longitude, Double(count), distance)
    case .radius(let distance, let center): add(1, distance, center.latitude, center.longitude)
    case .box(let box): add(2, box.west, box.south, box.east, box.north)
    case .everywhere: add(3)
    }
    add(effectiveOrder == nil ? 0 : 1)
    if let order = effectiveOrder {
      for term in order.terms {
        bytes += term.key.rawValue.utf8
        add(term.isDescending ? 1 : 0)
      }
    }
    bytes += filter.bytes
    let key = SipHash.Key(low: 0x6765_6F71, high: 1)
    return String(bytes.withUnsafeBytes { SipHash.short($0, key: key) }, radix: 36)
  }

  /// Checks what the types do not: an order by distance needs a center.
  ///
  /// - Throws: `QueryError`.
  package func check() throws(QueryError) {
    if order?.needsCenter == true, center == nil {
      throw QueryError("sort", "distance needs a point to measure from")
    }
  }

  /// Checks that the cursor belongs to this query.
  ///
  /// - Throws: `QueryError` if it is damaged, or belongs to another query.
  package func checkCursor() throws(QueryError) {
    if let cursor { _ = try Cursor(cursor, of: fingerprint) }
  }
}
