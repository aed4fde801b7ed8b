import GeoQuery

/// The ids of one feed so far: of two records with one id the first stays.
///
/// Ids are compared as UTF-8 bytes.
public struct UniqueIDs: Sendable {
  private var records: [ByteKey: Int] = [:]

  /// Knows no id yet.
  public init() {}

  /// Notes the id of a record.
  ///
  /// - Returns: What is wrong where an earlier record had it, both of them named.
  public mutating func add(_ record: FeedRecord) -> FeedError? {
    let id = record.restaurant.id
    let first = records[ByteKey(id), default: record.place.record]
    guard first == record.place.record else {
      return record.place.error(
        "id \"\(shortened(id))\" was already given by record \(first)"
      )
    }
    records[ByteKey(id)] = first
    return nil
  }
}
