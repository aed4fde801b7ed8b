import GeoIndex

/// The part of a map that is shown: its center and its zoom, `LAT,LON,ZOOM` in addresses.
struct MapView: Hashable, Sendable {
  /// The center.
  let center: Coordinate

  /// The zoom: the world is 256 pixels wide at 0, and twice as wide at each further level.
  let zoom: Double

  /// The allowed zooms.
  static let zooms = 0.0...22.0

  /// Parses a view; nil if the text is not valid.
  init?(_ text: String) {
    let numbers = Parameter.entries(of: text).map { DecimalText.number($0) }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1],
      let zoom = numbers[2], Self.zooms.contains(zoom),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.center = center
    self.zoom = zoom
  }

  /// The text.
  var text: String { "\(center.latitude),\(center.longitude),\(zoom)" }
}

extension BoundingBox {
  /// The text of a box in an address: `W,S,E,N`.
  var addressText: String { "\(west),\(south),\(east),\(north)" }
}
