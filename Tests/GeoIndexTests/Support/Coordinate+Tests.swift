import GeoIndex
import TestSupport

extension Coordinate {
  var antipode: Coordinate {
    .at(-latitude, longitude > 0 ? longitude - 180 : longitude + 180)
  }
}
