/// The prepared bytes of a Feature, where they lie.
struct ServedFeature {
  /// The Feature without a distance.
  let bytes: UnsafeRawBufferPointer

  /// Where a distance goes in.
  let split: Int

  /// The most bytes that a distance takes.
  static let distanceLength = distanceName.count + 24

  private static let distanceName = Array(",\"distance\":".utf8)

  /// Appends the Feature, with a distance if there is one.
  func append(distance: Double? = nil, to body: inout [UInt8]) {
    guard let distance else { return Self.append(bytes, to: &body) }
    Self.append(UnsafeRawBufferPointer(rebasing: bytes[..<split]), to: &body)
    body.append(contentsOf: Self.distanceName)
    body.append(contentsOf: distance.description.utf8)
    Self.append(UnsafeRawBufferPointer(rebasing: bytes[split...]), to: &body)
  }

  /// As a buffer of bytes, which is copied at once; raw bytes would go one by one.
  private static func append(_ bytes: UnsafeRawBufferPointer, to body: inout [UInt8]) {
    body.append(contentsOf: bytes.bindMemory(to: UInt8.self))
  }
}
