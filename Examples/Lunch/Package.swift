// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Lunch",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [.library(name: "Lunch", targets: ["Lunch"])],
  // no trait: no database, and no other package is resolved
  dependencies: [.package(name: "geoq", path: "../..", traits: [])],
  targets: [
    .target(
      name: "Lunch",
      dependencies: [
        .product(name: "GeoFeed", package: "geoq"),
        .product(name: "GeoIndex", package: "geoq"),
        .product(name: "GeoQuery", package: "geoq"),
      ]
    ),
    .testTarget(
      name: "LunchTests",
      dependencies: ["Lunch", .product(name: "GeoIndex", package: "geoq")]
    ),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
  ]
}
