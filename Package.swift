// swift-tools-version: 6.2
import PackageDescription

#if os(Linux)
// SpatiaLite's headers are where all are, and the library is loaded when it is needed
let spatialitePackage = "sqlite3"
#else
let spatialitePackage = "spatialite"
#endif

/// A product of another package, which is resolved only with the trait.
func external(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Store"]))
}

let package = Package(
  name: "geoq",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [
    .library(name: "GeoIndex", targets: ["GeoIndex"]),
    .library(name: "GeoQuery", targets: ["GeoQuery"]),
    .library(name: "GeoFeed", targets: ["GeoFeed"]),
    .library(name: "GeoStore", targets: ["GeoStore"]),
    .executable(name: "geoq", targets: ["geoq"]),
  ],
  traits: [
    .trait(
      name: "Store",
      description: "GeoStore, GeoService and geoq, which need other packages"
    ),
    .default(enabledTraits: ["Store"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    // 2.101 repairs CVE-2026-28980
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "GeoIndex"),
    .systemLibrary(
      name: "CSpatiaLite",
      pkgConfig: spatialitePackage,
      providers: [.apt(["libspatialite-dev"]), .brew(["libspatialite"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    // declares what is used of libcurl, which is loaded when a feed has an address
    .systemLibrary(name: "CCurl"),
    // the files of Sources/GeoService/assets and Sources/geoq/help, embedded
    .target(name: "CAssets"),
    // declares what is used of libpq, which is loaded when a store is in PostgreSQL
    .systemLibrary(name: "CPostgres"),
    .target(name: "GeoQuery", dependencies: ["GeoIndex"]),
    .target(name: "GeoFeed", dependencies: ["CZlib", "GeoIndex", "GeoQuery"]),
    .target(
      name: "GeoStore",
      dependencies: [
        "CPostgres",
        "CSpatiaLite",
        "GeoFeed",
        "GeoIndex",
        "GeoQuery",
        external("GRDB", "GRDB.swift"),
      ]
    ),
    .target(
      name: "GeoService",
      dependencies: [
        "CAssets",
        "CZlib",
        "GeoFeed",
        "GeoIndex",
        "GeoQuery",
        "GeoStore",
        external("HTTPTypes", "swift-http-types"),
        external("NIOConcurrencyHelpers", "swift-nio"),
        external("NIOCore", "swift-nio"),
        external("NIOHTTP1", "swift-nio"),
        external("NIOPosix", "swift-nio"),
      ],
      exclude: ["assets"]
    ),
    .executableTarget(
      name: "geoq",
      dependencies: [
        "CAssets",
        "CCurl",
        "GeoFeed",
        "GeoIndex",
        "GeoQuery",
        "GeoService",
        "GeoStore",
        external("ArgumentParser", "swift-argument-parser"),
      ],
      exclude: ["help"]
    ),
    // what the tests share
    .target(
      name: "TestSupport",
      dependencies: ["GeoFeed", "GeoIndex", "GeoQuery"],
      path: "Tests/TestSupport"
    ),
    .testTarget(name: "GeoIndexTests", dependencies: ["GeoIndex", "TestSupport"]),
    .testTarget(
      name: "GeoQueryTests",
      dependencies: ["GeoFeed", "GeoIndex", "GeoQuery", "TestSupport"]
    ),
    .testTarget(
      name: "GeoFeedTests",
      dependencies: ["GeoFeed", "GeoIndex", "GeoQuery", "TestSupport"],
      exclude: ["Fixtures"]
    ),
    .testTarget(
      name: "GeoStoreTests",
      dependencies: [
        "GeoFeed",
        "GeoIndex",
        "GeoQuery",
        "GeoStore",
        "TestSupport",
        external("GRDB", "GRDB.swift"),
      ]
    ),
    .testTarget(
      name: "GeoServiceTests",
      dependencies: [
        "GeoFeed",
        "GeoIndex",
        "GeoQuery",
        "GeoService",
        "GeoStore",
        external("HTTPTypes", "swift-http-types"),
        external("NIOConcurrencyHelpers", "swift-nio"),
        external("NIOPosix", "swift-nio"),
      ]
    ),
    .testTarget(
      name: "geoqTests",
      dependencies: [
        "GeoFeed", "GeoIndex", "GeoQuery", "GeoService", "GeoStore", "geoq",
        external("NIOCore", "swift-nio"),
      ],
      exclude: ["Snapshots"]
    ),
  ]
)

// what Benchmarks/service compares with: the same server, built the same way, answering a constant
if Context.environment["GEOQ_CONSTANT"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Constant",
      dependencies: [
        "GeoService",
        external("NIOCore", "swift-nio"),
        external("NIOHTTP1", "swift-nio"),
      ],
      path: "Benchmarks/Load/Constant"
    )
  )
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
  // the tests take a third of the time if what they test is optimized; all checks of a debug build stay
  if Context.environment["GEOQ_OPTIMIZED_TESTS"] != nil, target.type != .test {
    let flags = [
      "-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug",
    ]
    target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .debug)))
  }
}
