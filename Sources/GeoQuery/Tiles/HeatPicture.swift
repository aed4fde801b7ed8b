import Foundation

/// A heat map: counts of pixels, each spread around, as one of 256 colors.
package struct HeatPicture: Sendable {
  /// The width in pixels.
  package let width: Int

  /// The number of each pixel's color in `palette`, row by row from the north.
  package let pixels: [UInt8]

  /// Red, green and blue of each color, from no restaurant to the most.
  package static let palette: [[UInt8]] = {
    // light to dark, so that it also works in gray; yellow to violet without green
    let stops: [(at: Double, color: [Double])] = [
      (0, [244, 241, 234]), (0.06, [252, 226, 168]), (0.3, [253, 174, 97]), (0.55, [232, 89, 52]),
      (0.8, [165, 29, 72]), (1, [66, 10, 66]),
    ]
    return (0..<256).map { index in
      let place = Double(index) / 255
      let next = max(1, stops.firstIndex { place <= $0.at } ?? stops.count - 1)
      let (low, high) = (stops[next - 1], stops[next])
      let share = (place - low.at) / (high.at - low.at)
      return zip(low.color, high.color).map { UInt8(($0 + ($1 - $0) * share).rounded()) }
    }
  }()

  /// Draws counts.
  ///
  /// Each restaurant is a Gaussian, cut off at a radius. The color is the logarithm of their sum,
  /// so that a single restaurant is visible in a picture with thousands elsewhere.
  ///
  /// - Parameters:
  ///   - counts: A count for each pixel, row by row.
  ///   - width: The width in pixels.
  ///   - radius: In pixels; 0 for none.
  package init(_ counts: [UInt32], width: Int, radius: Int) {
    self.width = width
    let height = width > 0 ? counts.count / width : 0
    let weights = (0...radius).map { distance in
      radius == 0 ? 1 : Float(exp(-4.5 * Double(distance * distance) / Double(radius * radius)))
    }
    let rows = Self.spread(counts.map { Float($0) }, weights, width, height, step: 1)
    let sums = Self.spread(rows, weights, width, height, step: width)
    let greatest = log1p(sums.max() ?? 0)
    pixels = sums.map { sum in
      greatest > 0 ? UInt8((log1p(sum) / greatest * 255).rounded()) : 0
    }
  }

  /// Spreads values along rows (a step of 1) or columns (a step of a row).
  private static func spread(
    _ values: [Float],
    _ weights: [Float],
    _ width: Int,
    _ height: Int,
    step: Int
  ) -> [Float] {
    if weights.count == 1 { return values }
    var sums = values
    let (length, lines, stride) = step == 1 ? (width, height, width) : (height, width, 1)
    for line in 0..<lines {
      let start = line * stride
      for place in 0..<length {
        let value = values[start + place * step]
        if value == 0 { continue }
        for distance in 1..<weights.count {
          let part = value * weights[distance]
          if place >= distance { sums[start + (place - distance) * step] += part }
          if place + distance < length { sums[start + (place + distance) * step] += part }
        }
      }
    }
    return sums
  }
}
