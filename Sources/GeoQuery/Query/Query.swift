public import GeoIndex

/// A question to the engine: where, which restaurants, in which order, and how many of them.
public struct Query: Sendable {
  /// The part of the world that is asked for.
  ///
  /// Boundaries are closed.
  public enum Region: Sendable, Hashable {
    /// The nearest `count`, no farther away than `within` meters.
    case nearest(to: Coordinate, count: Int, within: Double = .infinity)
    /// All within a distance in meters.
    case radius(Double, of: Coordinate)
    /// All in a box.
    case box(BoundingBox)
    /// All there are.
    case everywhere
  }

  /// Where to look.
  public var region: Region

  /// Which restaurants count.
  public var filter: Filter

  /// The order of the answer; nil gives that of the region.
  ///
  /// That is by distance if there is a center, else by id. Of the nearest, the `count` nearest are chosen
  /// first, and then put in this order.
  public var order: Order?

  /// The maximum number of restaurants, the first ones in order; nil gives all.
  public var limit: Int?

  /// How many restaurants to skip at the beginning.
  public var offset = 0

  /// Where to go on: what a page of the same query gave as `Page.next` or `Page.previous`.
  public var cursor: String?

  /// Whether the page shall say what the index did; it does not change the answer.
  public var isExplained: Bool

  /// When to give up; nil for never.
  public var deadline: Deadline?

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

  /// The point that distances are measured from; nil if the region has none.
  public var center: Coordinate? {
    switch region {
    case .nearest(let center, _, _), .radius(_, let center): center
    case .box, .everywhere: nil
    }
  }

  /// The order that the answer has: nil for that by id.
  var effectiveOrder: Order? { order ?? (center == nil ? nil : Order(by: .distance)) }

  /// What tells the cursors of this query from those of others: limit and offset aside.
  var fingerprint: String {
    let text = "\(region) \(effectiveOrder.map { "\($0)" } ?? "")"
    let bytes = Array(text.utf8) + filter.bytes
    let key = SipHash.Key(low: 0x6765_6F71, high: 1)
    return String(bytes.withUnsafeBytes { SipHash.short($0, key: key) }, radix: 36)
  }
}

extension Query {
  /// Checks what the types leave open: an order by distance needs a center.
  ///
  /// - Throws: `QueryError`.
  package func check() throws(QueryError) {
    if order?.key == .distance, center == nil {
      throw QueryError("sort", "distance needs a point to measure from")
    }
  }

  /// Checks that the cursor is one of this query.
  ///
  /// - Throws: `QueryError` if it is damaged, or comes from another query.
  package func checkCursor() throws(QueryError) {
    if let cursor { _ = try Cursor(cursor, of: fingerprint) }
  }
}
