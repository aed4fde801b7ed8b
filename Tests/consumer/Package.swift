// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "consumer",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "geoq", path: "../..")],
  targets: [
    .executableTarget(
      name: "consumer",
      dependencies: [
        .product(name: "GeoFeed", package: "geoq"),
        .product(name: "GeoIndex", package: "geoq"),
        .product(name: "GeoQuery", package: "geoq"),
        .product(name: "GeoStore", package: "geoq"),
      ]
    )
  ]
)
