import GeoIndex

/// One edition of a store as the service reads it: immutable, positions in order of id.
///
/// The seam between the service and where its data comes from. `PreparedData` reads a whole store
/// into mapped files of its own, beside the store's snapshot.
protocol ServedData: Sendable {
  /// Names the store and its history: two editions with this and the generation in common are one.
  var storeID: String { get }

  /// Counts the imports that changed something.
  var generation: Int { get }

  /// The index; its positions are those of everything else here.
  var tree: KDTree { get }

  /// The box around all restaurants as maps show it (`ExtentBuilder.shownBox`); nil without any.
  var extent: BoundingBox? { get }

  /// How many bytes are mapped for features and texts.
  var mappedByteCount: Int { get }

  /// The Feature at a position; valid as long as the data is.
  func feature(at position: Int) -> ServedFeature

  /// The id at a position, as UTF-8.
  func id(at position: Int) -> [UInt8]

  /// The first position whose id does not come before this one, and whether it is that id.
  func lowerBound(ofID id: some Collection<UInt8>) -> (position: Int, isExact: Bool)

  /// The positions that a choice takes; nil where it takes all.
  ///
  /// - Throws: `DeadlineExceeded`.
  func positions(of choice: Choice, until deadline: Deadline) throws -> PositionSet?

  /// What a sort key says of the restaurant at a position; nil where the feed said nothing.
  func sortValue(_ key: SortKey.Field, at position: Int) -> SortValue?

  /// The first eight bytes of a sorted name as a number, zeros behind a shorter one.
  func namePrefix(at position: Int) -> UInt64

  /// Whether the sorted name at a position comes before that at another.
  func isName(at position: Int, before other: Int) -> Bool

  /// What a sort by numbers goes by; NaN where the feed said nothing.
  func number(_ field: SortKey.Field, at position: Int) -> Double
}

extension ServedData {
  /// How many restaurants there are.
  var count: Int { tree.count }
}
