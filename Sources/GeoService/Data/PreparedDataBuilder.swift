import GeoIndex
import GeoQuery

/// Takes restaurants in order of id and prepares what the service answers from.
struct PreparedDataBuilder {
  private(set) var extent = ExtentBuilder()
  var features: ByteColumnBuilder
  var ids: ByteColumnBuilder
  var names: ByteColumnBuilder
  var words: ByteColumnBuilder
  private(set) var categories = CodeColumnBuilder(hasParts: true)
  private(set) var cities = CodeColumnBuilder(hasParts: false)

  /// As shares of their scales; NaN where a feed gives no rating.
  private(set) var ratings: [Double] = []

  /// 0 where a feed gives no price.
  private(set) var priceLevels: [UInt8] = []

  init() throws {
    features = try ByteColumnBuilder()
    ids = try ByteColumnBuilder()
    names = try ByteColumnBuilder()
    words = try ByteColumnBuilder()
  }

  /// Adds the next restaurant.
  mutating func append(_ restaurant: Restaurant) throws {
    extent.add(restaurant.coordinate)
    let feature = PreparedFeature(restaurant)
    var record = withUnsafeBytes(of: UInt32(feature.distanceOffset)) { Array($0) }
    record += feature.bytes
    try features.append(record)
    try ids.append(restaurant.id.utf8)
    try names.append(folded(restaurant.name).utf8)
    try words.append(TextColumn.record(of: restaurant))
    categories.append(restaurant.category)
    cities.append(restaurant.address.city)
    ratings.append(restaurant.ratingShare ?? .nan)
    priceLevels.append(restaurant.priceLevel.map { UInt8(clamping: $0) } ?? 0)
  }
}
