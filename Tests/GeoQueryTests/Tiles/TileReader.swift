import Foundation

/// Reads a Mapbox Vector Tile by the specification, and fails at what that forbids.
struct TileReader {
  struct Feature: Equatable {
    var properties: [String: Value] = [:]
    var x = 0
    var y = 0
  }

  enum Value: Equatable {
    case text(String)
    case number(Double)
    case integer(Int)
    case flag(Bool)
  }

  struct Fault: Error {
    let what: String
  }

  /// The features by layer.
  private(set) var layers: [String: [Feature]] = [:]

  init(_ bytes: [UInt8]) throws {
    for (field, value) in try Self.fields(bytes) {
      guard field == 3, case .bytes(let layer) = value else { throw Fault(what: "no layer") }
      try readLayer(layer)
    }
  }

  private mutating func readLayer(_ bytes: [UInt8]) throws {
    var name: String?
    var version: UInt64?
    var extent: UInt64 = 4_096
    var (keys, values): ([String], [Value]) = ([], [])
    var features: [[UInt8]] = []
    for (field, value) in try Self.fields(bytes) {
      switch (field, value) {
      case (15, .number(let number)): version = number
      case (5, .number(let number)): extent = number
      case (1, .bytes(let text)): name = String(validating: text, as: UTF8.self)
      case (2, .bytes(let feature)): features.append(feature)
      case (3, .bytes(let key)): keys.append(String(decoding: key, as: UTF8.self))
      case (4, .bytes(let value)): values.append(try Self.value(value))
      default: throw Fault(what: "field \(field) in a layer")
      }
    }
    guard let name, version == 2, extent == 4_096, !features.isEmpty, layers[name] == nil,
      Set(keys).count == keys.count
    else { throw Fault(what: "a layer without name, version or features, or a second one") }
    layers[name] = try features.map { try Self.feature($0, keys, values) }
  }

  private static func feature(
    _ bytes: [UInt8],
    _ keys: [String],
    _ values: [Value]
  ) throws -> Feature {
    var feature = Feature()
    var type: UInt64?
    for (field, value) in try fields(bytes) {
      switch (field, value) {
      case (2, .bytes(let packed)):
        let tags = try numbers(packed)
        guard tags.count % 2 == 0 else { throw Fault(what: "an odd number of tags") }
        for index in stride(from: 0, to: tags.count, by: 2) {
          guard tags[index] < keys.count, tags[index + 1] < values.count else {
            throw Fault(what: "a tag of no key or value")
          }
          let key = keys[Int(tags[index])]
          guard feature.properties[key] == nil else { throw Fault(what: "\(key) twice") }
          feature.properties[key] = values[Int(tags[index + 1])]
        }
      case (3, .number(let number)): type = number
      case (4, .bytes(let packed)):
        let geometry = try numbers(packed)
        guard geometry.count == 3, geometry[0] == 9 else { throw Fault(what: "no single MoveTo") }
        feature.x = signed(geometry[1])
        feature.y = signed(geometry[2])
      default: throw Fault(what: "field \(field) in a feature")
      }
    }
    guard type == 1 else { throw Fault(what: "not a point") }
    return feature
  }

  private static func value(_ bytes: [UInt8]) throws -> Value {
    let all = try fields(bytes)
    guard all.count == 1 else { throw Fault(what: "a value with \(all.count) fields") }
    switch all[0] {
    case (1, .bytes(let text)):
      guard let text = String(validating: text, as: UTF8.self) else { throw Fault(what: "UTF-8") }
      return .text(text)
    case (3, .double(let bits)): return .number(Double(bitPattern: bits))
    case (4, .number(let number)): return .integer(Int(Int64(bitPattern: number)))
    case (5, .number(let number)): return .integer(Int(number))
    case (6, .number(let number)): return .integer(signed(number))
    case (7, .number(let number)): return .flag(number == 1)
    default: throw Fault(what: "a value of an unknown kind")
    }
  }

  private enum Wire {
    case number(UInt64)
    case double(UInt64)
    case bytes([UInt8])
  }

  private static func fields(_ bytes: [UInt8]) throws -> [(UInt64, Wire)] {
    var fields: [(UInt64, Wire)] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let key = try number(&rest)
      switch key & 7 {
      case 0: fields.append((key >> 3, .number(try number(&rest))))
      case 1:
        guard rest.count >= 8 else { throw Fault(what: "a cut double") }
        let bits = rest.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        fields.append((key >> 3, .double(bits)))
        rest = rest.dropFirst(8)
      case 2:
        let length = Int(try number(&rest))
        guard rest.count >= length else { throw Fault(what: "cut bytes") }
        fields.append((key >> 3, .bytes(Array(rest.prefix(length)))))
        rest = rest.dropFirst(length)
      default: throw Fault(what: "wire type \(key & 7)")
      }
    }
    return fields
  }

  private static func numbers(_ bytes: [UInt8]) throws -> [UInt64] {
    var numbers: [UInt64] = []
    var rest = bytes[...]
    while !rest.isEmpty { numbers.append(try number(&rest)) }
    return numbers
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = rest.popFirst() {
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    throw Fault(what: "a cut number")
  }

  private static func signed(_ number: UInt64) -> Int {
    Int(number >> 1) * (number & 1 == 0 ? 1 : -1) - Int(number & 1)
  }
}
