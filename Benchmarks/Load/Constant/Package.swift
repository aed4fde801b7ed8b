// swift-tools-version: 6.2
import PackageDescription

// The ceiling: the same server library, answering bytes that are always the same.
let package = Package(
  name: "Constant",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird",
      from: "2.28.0",
      traits: []
    )
  ],
  targets: [
    .executableTarget(
      name: "Constant",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ]
    )
  ]
)
