/// The tight box, in space, around the points of one node: metres along x, y and z.
struct NodeBox: Equatable {
  private(set) var minX: Double
  private(set) var minY: Double
  private(set) var minZ: Double
  private(set) var maxX: Double
  private(set) var maxY: Double
  private(set) var maxZ: Double

  /// The box of one place.
  init(around site: Site) {
    (minX, minY, minZ) = (site.x, site.y, site.z)
    (maxX, maxY, maxZ) = (site.x, site.y, site.z)
  }

  /// The box of a run of places that holds at least one.
  init(around sites: ArraySlice<Site>) {
    self.init(around: sites[sites.startIndex])
    for site in sites {
      formUnion(NodeBox(around: site))
    }
  }

  /// Grows to hold another box.
  mutating func formUnion(_ other: NodeBox) {
    minX = min(minX, other.minX)
    minY = min(minY, other.minY)
    minZ = min(minZ, other.minZ)
    maxX = max(maxX, other.maxX)
    maxY = max(maxY, other.maxY)
    maxZ = max(maxZ, other.maxZ)
  }

  /// The shortest line from a place to the box: zero inside.
  ///
  /// Rounded like the chord to a point, and so never longer than that to any point inside.
  func nearestChord(to site: Site) -> Chord {
    Chord(
      x: max(minX - site.x, 0, site.x - maxX),
      y: max(minY - site.y, 0, site.y - maxY),
      z: max(minZ - site.z, 0, site.z - maxZ)
    )
  }

  /// The longest line from a place to the box.
  func farthestChord(to site: Site) -> Chord {
    Chord(
      x: max(maxX - site.x, site.x - minX),
      y: max(maxY - site.y, site.y - minY),
      z: max(maxZ - site.z, site.z - minZ)
    )
  }
}
