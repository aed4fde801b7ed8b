/// Writes a Mapbox Vector Tile 2.1: protocol buffers, points only.
struct VectorTileEncoder {
  /// The width and height of a tile in units.
  static let extent = 4_096

  /// A value of a property.
  enum Value {
    case text(UnsafeRawBufferPointer)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
  }

  /// A layer (§4.1).
  struct Layer {
    private let name: String
    private let keys: [String]
    private var features = ProtocolBuffer()
    /// The distinct values (§4.4), each as its message.
    private var values = TextInterner()
    private var tags = ProtocolBuffer()
    private var feature = ProtocolBuffer()
    private var scratch = ProtocolBuffer()

    /// The number of features.
    private(set) var count = 0

    /// - Parameters:
    ///   - name: Its name.
    ///   - keys: All keys that its features may have.
    init(_ name: String, keys: [String]) {
      self.name = name
      self.keys = keys
    }

    /// Adds a property of the next feature.
    mutating func add(_ key: Int, _ value: Value) {
      scratch.bytes.removeAll(keepingCapacity: true)
      scratch.value(value)
      tags.number(UInt64(key))
      tags.number(UInt64(scratch.bytes.withUnsafeBytes { values.number(of: $0).number }))
    }

    /// Adds a point with the properties since the last one (§4.2, §4.3).
    ///
    /// - Parameters:
    ///   - x: Units from the tile's west edge.
    ///   - y: Units from its north edge.
    mutating func addPoint(x: Int, y: Int) {
      feature.bytes.removeAll(keepingCapacity: true)
      feature.field(2, bytes: tags.bytes[...])
      feature.field(3, 1)
      scratch.bytes.removeAll(keepingCapacity: true)
      // one command, MoveTo; its two parameters in zigzag
      scratch.number(1 << 3 | 1)
      scratch.signed(Int64(x))
      scratch.signed(Int64(y))
      feature.field(4, bytes: scratch.bytes[...])
      features.field(2, bytes: feature.bytes[...])
      tags.bytes.removeAll(keepingCapacity: true)
      count += 1
    }

    /// The layer's message.
    fileprivate var bytes: [UInt8] {
      var layer = ProtocolBuffer()
      layer.field(15, 2)
      layer.field(1, bytes: Array(name.utf8)[...])
      layer.bytes += features.bytes
      for key in keys { layer.field(3, bytes: Array(key.utf8)[...]) }
      for number in 0..<values.count { layer.field(4, bytes: values[number]) }
      layer.field(5, UInt64(VectorTileEncoder.extent))
      return layer.bytes
    }
  }

  /// The tile with these layers, without empty ones.
  static func bytes(of layers: [Layer]) -> [UInt8] {
    var tile = ProtocolBuffer()
    for layer in layers where layer.count > 0 { tile.field(3, bytes: layer.bytes[...]) }
    return tile.bytes
  }
}

/// Writes protocol buffers.
struct ProtocolBuffer {
  var bytes: [UInt8] = []

  /// Writes a number, seven bits per byte.
  mutating func number(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes a number in zigzag.
  mutating func signed(_ number: Int64) {
    self.number(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Writes a field that is a number.
  mutating func field(_ field: UInt64, _ value: UInt64) {
    number(field << 3)
    number(value)
  }

  /// Writes a field that is bytes: a text, a message or packed numbers.
  mutating func field(_ field: UInt64, bytes value: ArraySlice<UInt8>) {
    number(field << 3 | 2)
    number(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes the one field of a value.
  mutating func value(_ value: VectorTileEncoder.Value) {
    switch value {
    case .text(let text):
      number(1 << 3 | 2)
      number(UInt64(text.count))
      bytes.append(raw: text)
    case .number(let double):
      number(3 << 3 | 1)
      withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    case .integer(let integer) where integer >= 0: field(5, UInt64(integer))
    case .integer(let integer):
      number(6 << 3)
      signed(integer)
    case .flag(let flag): field(7, flag ? 1 : 0)
    }
  }
}
