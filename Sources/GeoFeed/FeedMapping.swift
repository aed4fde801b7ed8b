public import GeoQuery

/// Which columns or members of a feed the keys of the record are read from.
public struct FeedMapping: Sendable {
  /// A key, its column or member, and the first value there.
  public struct Entry: Sendable {
    /// The key of the record.
    public let field: RestaurantField
    /// The name of the column, or the path of the member.
    public let column: String
    /// Its first value, as text.
    public let value: String
  }

  /// The keys in their order; one of several columns each.
  public private(set) var entries: [Entry] = []

  /// The columns that no key is read from, in the feed's order; they are kept in `extra`.
  public private(set) var others: [String] = []

  /// The number of first records that are looked at.
  static let sampleCount = 1_000

  init() {}

  /// Reads some records to find out.
  init(_ records: [JSONValue], _ reader: RecordReader) {
    var reader = reader
    let synonyms = reader.synonyms.copy()
    reader.synonyms = synonyms
    var found: [RestaurantField: Entry] = [:]
    synonyms.trace = { field, column, value in
      guard found[field] == nil else { return }
      found[field] = Entry(field: field, column: column, value: value.asText ?? "\(value)")
    }
    var seen: Set<UTF8Key> = []
    for record in records {
      guard let restaurant = try? reader.read(record).restaurant else { continue }
      for member in restaurant.extra where seen.insert(UTF8Key(member.name)).inserted {
        if !synonyms.knows(member) { others.append(member.name) }
      }
    }
    entries = RestaurantField.allCases.compactMap { found[$0] }
  }
}
