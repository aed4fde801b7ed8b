// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "viewer",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "geoq", path: "../../..", traits: [])],
  targets: [
    .executableTarget(
      name: "viewer",
      dependencies: [
        .product(name: "GeoFeed", package: "geoq"),
        .product(name: "GeoIndex", package: "geoq"),
        .product(name: "GeoQuery", package: "geoq"),
      ]
    )
  ]
)
