/// Where the parts of a tree are in its block of memory, which is also the start of its section file.
///
/// A header, then three sections, each from a multiple of 4 096 bytes on:
///
/// - *nodes*: per node six vectors of eight 32-bit floats, one per lane: the least and the greatest x,
///   y and z below it, rounded outward; an empty lane's box is inside out.
/// - *leaves*: per leaf 32 x, then 32 y, then 32 z, 64-bit floats, meters, and 32 positions in the
///   caller's collection, 32-bit unsigned; if there is no point, NaN and 0.
/// - *coordinates*: per position latitude and longitude as they were given, 64-bit floats, degrees.
struct TreeLayout: Equatable {
  /// Sections start at multiples of this, a page of memory.
  static let alignment = 4_096

  /// The bytes of a node: three lines of a processor's cache.
  static let nodeStride = 6 * MemoryLayout<SIMD8<Float>>.stride

  /// The bytes of a leaf: fourteen lines.
  static let leafStride =
    TreeShape.leafCapacity * (3 * MemoryLayout<Double>.stride + MemoryLayout<UInt32>.stride)

  /// The bytes of a coordinate.
  static let coordinateStride = 2 * MemoryLayout<Double>.stride

  let nodes: Range<Int>
  let leaves: Range<Int>
  let coordinates: Range<Int>

  init(_ shape: TreeShape) {
    var end = Self.alignment
    func section(_ byteCount: Int) -> Range<Int> {
      let start = (end + Self.alignment - 1) / Self.alignment * Self.alignment
      end = start + byteCount
      return start..<end
    }
    nodes = section(shape.nodeCount * Self.nodeStride)
    leaves = section(shape.leafCount * Self.leafStride)
    coordinates = section(shape.pointCount * Self.coordinateStride)
  }

  /// The sections in the order of the file.
  var sections: [Range<Int>] { [nodes, leaves, coordinates] }

  /// The length of block and file.
  var byteCount: Int { coordinates.upperBound }
}
