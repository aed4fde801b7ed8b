import GeoQuery

/// The ids of one feed so far: of two records with one id, the first is accepted.
///
/// Ids are compared as UTF-8 bytes.
public struct UniqueIDs: Sendable {
  private var records: [UTF8Key: Int] = [:]

  /// Makes an empty set.
  public init() {}

  /// Adds the id of a record.
  ///
  /// - Returns: An error that names both records if an earlier one has the same id.
  public mutating func add(_ record: FeedRecord) -> FeedError? {
    let id = record.restaurant.id
    let first = records[UTF8Key(id), default: record.place.record]
    guard first == record.place.record else {
      return record.place.error(
        "id \"\(shortened(id))\" is the same as in record \(first)"
      )
    }
    records[UTF8Key(id)] = first
    return nil
  }
}
