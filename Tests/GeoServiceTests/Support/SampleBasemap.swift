import Foundation
import GeoQuery

@testable import GeoService

extension ServiceSettings {
  /// Settings of a service that has everything, a map of others as well: one with nothing in its only tile.
  static func everything() throws -> ServiceSettings {
    let path = FileManager.default.temporaryDirectory.path + "/geoq-\(UUID().uuidString).pmtiles"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var bytes: [UInt8] = []
    _ = try SampleService([]).service.live.current.engine.writePMTiles(
      TilesToFile(),
      beside: path,
      compress: { Gzip.compressed($0) ?? [] },
      to: { bytes += $0 }
    )
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    var settings = ServiceSettings.sample
    settings.basemap = try Basemap(path: path)
    return settings
  }
}
