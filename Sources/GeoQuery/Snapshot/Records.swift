import GeoIndex

/// The restaurants of a snapshot, each as the bytes of its GeoJSON Feature, ready to send.
///
/// Sections: `records` and `recends` (a `TextTable`), `recsplit` (32 bits each: where an answer's own
/// properties, such as `distance`, go into the Feature).
struct Records: Sendable {
  /// The Features by position.
  let features: TextTable

  private let splits: MappedSection
  private let path: String

  /// A snapshot's records; nil if their sections are not of `count` restaurants.
  init?(of file: SectionFile, count: Int) {
    guard
      let features = TextTable(file.section("records"), file.section("recends"), count: count),
      let splits = file.section("recsplit"), splits.bytes.count == count * 4
    else { return nil }
    self.features = features
    self.splits = splits
    path = file.path
  }

  /// The maximum length of an answer's own properties in bytes.
  static let ownLength = distanceName.count + 24 + favorite.count

  /// The length of the Feature at a position in bytes.
  func byteCount(at position: Int) -> Int { features[position].count }

  /// Calls a closure with the bytes of the Feature at a position.
  @inline(__always)
  func withFeature<Result>(
    at position: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try features.whileMapped { try body(features[position]) }
  }

  /// Appends the Feature at a position.
  ///
  /// - Parameters:
  ///   - position: In 0..<count.
  ///   - distance: In meters, for answers with a center.
  ///   - isFavorite: Whether the answer marks it as a favorite.
  ///   - bytes: Receives the Feature.
  func appendFeature(
    at position: Int,
    distance: Double? = nil,
    isFavorite: Bool = false,
    to bytes: inout [UInt8]
  ) {
    features.whileMapped {
      let feature = features[position]
      // a damaged file may have no record here
      guard !feature.isEmpty else { return bytes.append(contentsOf: "{}".utf8) }
      guard distance != nil || isFavorite else { return append(feature[...], to: &bytes) }
      let split = min(splitOffset(at: position), feature.count)
      append(feature[..<split], to: &bytes)
      if let distance {
        bytes.append(contentsOf: Self.distanceName)
        bytes.append(contentsOf: distance.description.utf8)
      }
      if isFavorite { bytes.append(contentsOf: Self.favorite) }
      append(feature[split...], to: &bytes)
    }
  }

  /// Calls a closure with the text of the properties after the distance, each with a comma before it.
  func withProperties<Result>(
    at position: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    features.whileMapped {
      let feature = features[position]
      return body(
        UnsafeRawBufferPointer(rebasing: feature[min(splitOffset(at: position), feature.count)...])
      )
    }
  }

  private static let distanceName = Array(",\"distance\":".utf8)
  private static let favorite = Array(",\"favorite\":true".utf8)

  @inline(__always)
  private func append(_ part: Slice<UnsafeRawBufferPointer>, to bytes: inout [UInt8]) {
    // as a buffer of bytes, which is one copy; raw bytes would be appended one by one
    bytes.append(
      contentsOf: UnsafeRawBufferPointer(rebasing: part).bindMemory(to: UInt8.self)
    )
  }

  /// Where an answer's own properties go into the Feature at a position.
  func splitOffset(at position: Int) -> Int {
    withExtendedLifetime(splits) {
      Int(splits.bytes.loadUnaligned(fromByteOffset: position * 4, as: UInt32.self))
    }
  }

  /// The restaurant at a position.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  func restaurant(at position: Int) throws(SnapshotError) -> Restaurant {
    let bytes = features.whileMapped { Array(features[position]) }
    guard firstInvalidUTF8(in: bytes) == nil, let value = try? JSONValue(record: bytes),
      let restaurant = Restaurant(feature: value)
    else {
      throw SnapshotError.unusable(path, because: "its record \(position) is damaged")
    }
    return restaurant
  }

  /// The fault of the records; nil if there is none.
  func fault() -> String? { features.fault("records") }
}

extension Restaurant {
  /// The restaurant of a Feature that geoq has written; nil for another JSON value.
  init?(feature: JSONValue) {
    guard case .string(let id)? = feature[name: "id"],
      case .array(let position)? = feature[name: "geometry"]?[name: "coordinates"],
      position.count == 2, case .number(let east) = position[0],
      case .number(let north) = position[1],
      let coordinate = Double(north).flatMap({ latitude in
        Double(east).flatMap { Coordinate(latitude: latitude, longitude: $0) }
      }),
      case .object(let properties)? = feature[name: "properties"],
      case .string(let name)? = feature[name: "properties"]?[name: "name"],
      case .string(let source)? = feature[name: "properties"]?[name: "source"]
    else { return nil }
    self.init(id: id, name: name, coordinate: coordinate, source: source)
    for property in properties {
      guard let field = RestaurantField(rawValue: property.name) else { continue }
      switch (field, property.value) {
      case (.name, _), (.source, _): break
      case (.sourceID, .string(let id)): sourceID = id
      case (.extra, .object(let members)): extra = members
      case (_, let value): _ = assign(value, to: field)
      }
    }
  }
}

extension Restaurant {
  /// The restaurant of a packed record; nil if that is damaged.
  package init?(packed record: UnsafeRawBufferPointer) {
    var feature: [UInt8] = []
    _ = FeatureText.append(record, to: &feature)
    guard let value = try? JSONValue(record: feature) else { return nil }
    self.init(feature: value)
  }
}

extension JSONValue {
  /// Reads a Feature that geoq has written; its `extra` may be nested as deeply as a feed's record.
  init(record bytes: [UInt8]) throws(JSONSyntaxError) {
    var scanner = JSONScanner(bytes)
    self = try scanner.readValue(depth: -3)
    guard scanner.next == nil else { throw scanner.unexpected("the end of the text") }
  }
}
