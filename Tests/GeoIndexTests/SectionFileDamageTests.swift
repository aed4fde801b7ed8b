import Foundation
import Testing

@testable import GeoIndex

/// Files with damage after the header: verifying finds it, and no query leaves the file before.
struct SectionFileDamageTests {
  /// How many damages a test tries: `DAMAGES=` in the environment, else fewer in debug.
  private static let turnCount: Int = {
    if let asked = ProcessInfo.processInfo.environment["DAMAGES"].flatMap(Int.init) { return asked }
    #if DEBUG
    return 400
    #else
    return 10_000
    #endif
  }()

  /// Around the capacity of a leaf and the first levels; 300 points leave root lanes unused.
  private static let counts = [1, 2, 15, 16, 17, 33, 256, 257, 300, 1_100]

  private static func files(in folder: TemporaryFolder) throws -> [SectionFileBytes] {
    try counts.map { count in
      var random = SplitMix64(stream: "damage \(count)")
      let layout: Layout = count % 2 == 0 ? .clustered : .uniform
      return try SectionFileBytes(
        of: layout.coordinates(count: count, using: &random),
        in: folder,
        further: count % 3 == 0 ? [] : [8 + count * 5, 0, 5_000]
      )
    }
  }

  @Test func `any damage is found by verify, and unverified leads no query astray`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("damaged.geoqx")
    let files = try Self.files(in: folder)
    var random = SplitMix64(stream: "damages")
    var refusedAtOpening = 0
    var turn = 0
    while turn < Self.turnCount {
      let whole = files[turn % files.count]
      var damaged = whole
      let parts =
        whole.sections.filter { !$0.isEmpty } + [SectionFileHeader.byteCount..<whole.bytes.count]
      let part = parts[random.int(below: parts.count)]
      let damage = Damage.allCases[random.int(below: Damage.allCases.count)]
      for _ in 0...random.int(below: 3) {
        damage.apply(to: &damaged, in: part, using: &random)
      }
      guard damaged.bytes != whole.bytes else { continue }
      turn += 1
      try TemporaryFolder.write(damaged.bytes, to: path)
      guard let snapshot = try? SectionFile(path: path) else {
        refusedAtOpening += 1
        continue
      }
      #expect(throws: SnapshotError.self, "seed \(SplitMix64.seed), turn \(turn), \(damage)") {
        try snapshot.verify()
      }
      // in turns as mapped, and where the address sanitizer sees the ends
      let tree = turn % 2 == 0 ? snapshot.tree : damaged.treeInMemory() ?? snapshot.tree
      #expect(snapshot.section("more2")?.bytes.elementsEqual(damaged.bytes.suffix(5_000)) ?? true)
      Self.query(tree, like: whole, using: &random)
    }
    // only what hits the root's unused lanes
    #expect(refusedAtOpening < turn / 4)
  }

  /// Every kind of query, for the sake of running to its end.
  private static func query(
    _ tree: KDTree,
    like file: SectionFileBytes,
    using random: inout SplitMix64
  ) {
    let indexes = 0..<tree.count
    let some = file.coordinates[random.int(below: tree.count)]
    let places = [some, random.coordinate(near: some, degrees: 0.05), random.coordinate()]
    let third = indexes.filter { _ in random.int(below: 3) == 0 }
    let allowed = BitSet(capacity: tree.count, third)
    for center in places {
      var found: [Neighbor] = []
      for count in [1, 10, 40, tree.count] {
        found += tree.nearest(to: center, count: count)
      }
      found += tree.nearest(to: center, count: 5, within: 20_000)
      found += tree.nearest(to: center, count: 5, where: allowed)
      for radius in [0, 800, 90_000, 3_000_000, .infinity] as [Double] {
        found += tree.within(radius: radius, of: center)
        found += tree.within(radius: radius, of: center, where: allowed)
        _ = tree.count(within: radius, of: center)
        _ = tree.count(within: radius, of: center, where: allowed)
      }
      for radius in [90_000, .infinity] as [Double] {
        let ranks = tree.count / 3..<tree.count / 2 + 1
        found += tree.nearest(to: center, ranks, radius, nil, front: 0)
        found += tree.nearest(to: center, ranks, radius, allowed, front: 0)
        _ = tree.rank(of: Neighbor(index: 3, distance: radius), from: center, where: allowed)
      }
      #expect(found.allSatisfy { indexes.contains($0.index) && !$0.distance.isNaN })
      for size in [0.01, 1, 60] {
        guard let box = box(around: center, size) else { continue }
        let inBox = tree.within(box) + tree.within(box, sorted: false, where: allowed)
        #expect(inBox.allSatisfy(indexes.contains))
        _ = tree.count(in: box)
        _ = tree.count(in: box, where: allowed)
      }
    }
    #expect(tree.within(.world).allSatisfy(indexes.contains))
    _ = tree.nearest(to: places, count: 3).count
    _ = indexes.reduce(0) { $0 + tree[$1].latitude }
  }

  private static func box(around center: Coordinate, _ size: Double) -> BoundingBox? {
    let west = center.longitude - size
    return BoundingBox(
      west: west < -180 ? west + 360 : west,
      south: max(-90, center.latitude - size),
      east: min(180, center.longitude + size),
      north: min(90, center.latitude + size)
    )
  }

  @Test func `bytes all over the file are covered`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("damaged.geoqx")
    let file = try SectionFileBytes(
      of: [.at(1, 2), .at(3, 4), .at(-5, 6)],
      in: folder,
      further: [4_095, 0, 3]
    )
    for place in stride(from: SectionFileHeader.byteCount, to: file.bytes.count, by: 11) {
      var damaged = file.bytes
      damaged[place] ^= 0x10
      try TemporaryFolder.write(damaged, to: path)
      #expect(throws: SnapshotError.self, "byte \(place)") { try SectionFile(path: path).verify() }
    }
  }

  @Test func `verify names what is wrong`() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(stream: "names")
    let file = try SectionFileBytes(
      of: Layout.uniform.coordinates(count: 300, using: &random),
      in: folder,
      further: [0, 4_097, 100]
    )
    let layout = file.layout
    let (node, leaf) = (layout.nodes.lowerBound, layout.leaves.lowerBound)
    func reason(_ isSigned: Bool, _ change: (inout SectionFileBytes) -> Void) throws -> String? {
      var damaged = file
      change(&damaged)
      if isSigned { damaged.sign() }
      let path = folder.file("damaged.geoqx")
      try TemporaryFolder.write(damaged.bytes, to: path)
      return #expect(throws: SnapshotError.self) { try SectionFile(path: path).verify() }?.reason
    }
    for (index, name) in ["nodes", "leaves", "coords", "more0", "more1", "more2"].enumerated()
    where name != "more0" {
      let place = file.sections[index].upperBound - 1
      #expect(
        try reason(false) { $0.bytes[place] ^= 1 }
          == "the checksum of its section \(name) does not match"
      )
    }
    #expect(
      try reason(true) { $0.bytes[layout.leaves.lowerBound - 1] = 1 }
        == "the bytes before its section leaves are not zero"
    )
    #expect(
      try reason(true) { $0.bytes[file.sections[4].upperBound] = 1 }
        == "the bytes before its section more2 are not zero"
    )
    #expect(
      try reason(true) { $0.put(UInt32(300), at: leaf + 768) }
        == "slot 0 has position 300, beyond the last"
    )
    #expect(
      try reason(true) { $0.put(UInt64(0x0000_0007_0000_0007), at: leaf + 768) }
        == "slot 1 has position 7, which another slot has"
    )
    #expect(
      try reason(true) { $0.put((95.0).bitPattern, at: layout.coordinates.lowerBound + 48) }?
        .hasPrefix("the coordinate at position 3 is out of range: 95.0,") == true
    )
    #expect(
      try reason(true) { $0.bytes[leaf + 32 * 8 + 24] ^= 1 }
        == "the point in slot 3 is not where its coordinate lies"
    )
    #expect(
      try reason(true) { $0.put((0.0).bitPattern, at: layout.leaves.upperBound - 896 + 31 * 8) }
        == "slot 319 is one without a point and holds something"
    )
    #expect(
      try reason(true) { $0.put((Float(6e6)).bitPattern, at: node + 192 + 4 * 7) }
        == "the box of lane 7 of node 1 does not hold what is below"
    )
  }

  @Test func `damage with fitting checksums is found, or does no harm`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("damaged.geoqx")
    let files = try Self.files(in: folder).filter { $0.coordinates.count <= 300 }
    var random = SplitMix64(stream: "signed damages")
    for turn in 0..<Self.turnCount / 4 {
      var damaged = files[turn % files.count]
      let part = damaged.layout.sections[random.int(below: 3)]
      let damage = Damage.allCases[random.int(below: Damage.allCases.count)]
      damage.apply(to: &damaged, in: part, using: &random)
      damaged.sign()
      try TemporaryFolder.write(damaged.bytes, to: path)
      guard let snapshot = try? SectionFile(path: path) else { continue }
      guard (try? snapshot.verify()) != nil else { continue }
      // a box that is larger than need be, or a longitude at a pole: the answers are right
      let tree = snapshot.tree
      let coordinates = (0..<tree.count).map { tree[$0] }
      let center = random.coordinate(near: coordinates[0], degrees: 0.1)
      let ranked = LinearScan(coordinates: coordinates).ranked(from: center)
      let nearest = tree.nearest(to: center, count: 7)
      #expect(nearest == Array(ranked.prefix(7)), "turn \(turn), \(damage)")
      #expect(tree.within(radius: .infinity, of: center) == ranked, "turn \(turn), \(damage)")
      #expect(tree.count(in: .world) == tree.count)
    }
  }
}
