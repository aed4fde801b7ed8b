package import GeoIndex

extension RestaurantStore {
  /// The places of all restaurants, in order of id.
  ///
  /// - Throws: `StoreError` where the file cannot be read.
  package func places() throws -> [Coordinate] {
    try read { try $0.orderedPoints() }
  }
}
