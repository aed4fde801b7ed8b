/// A tile of the Web Mercator pyramid (WebMercatorQuad): at zoom z the world is 2^z columns and rows.
public struct TileAddress: Sendable, Hashable {
  /// The greatest zoom.
  public static let greatestZoom = 22

  /// The zoom, 0...22; at 0 one tile is the world.
  public let zoom: Int

  /// The column, from the west.
  public let x: Int

  /// The row, from the north.
  public let y: Int

  /// Makes an address; nil if there is no such tile.
  public init?(zoom: Int, x: Int, y: Int) {
    guard (0...Self.greatestZoom).contains(zoom), (0..<1 << zoom).contains(x),
      (0..<1 << zoom).contains(y)
    else { return nil }
    self.zoom = zoom
    self.x = x
    self.y = y
  }

  /// The prefix of the keys of all cells in the tile.
  var prefix: UInt64 { WebMercator.key(column: UInt64(x), row: UInt64(y)) }
}
