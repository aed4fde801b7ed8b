/// A direction of space that nodes are split along.
enum Axis {
  case x
  case y
  case z
}

extension Site {
  func value(along axis: Axis) -> Double {
    switch axis {
    case .x: x
    case .y: y
    case .z: z
    }
  }
}

extension NodeBox {
  /// The axis along which the box is longest; of equal ones the first.
  var widestAxis: Axis {
    let (x, y, z) = (maxX - minX, maxY - minY, maxZ - minZ)
    if x >= y, x >= z { return .x }
    return y >= z ? .y : .z
  }
}
