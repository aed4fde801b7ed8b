import Foundation
import TestSupport
import Testing

@testable import GeoIndex

struct SectionFileTests {
  private static let counts = [0, 1, 15, 16, 17, 33, 256, 257, 1_000, 20_000]

  private static func coordinates(_ count: Int, _ layout: Layout = .clustered) -> [Coordinate] {
    var random = SplitMix64(stream: "snapshot \(count) \(layout)")
    return layout.coordinates(count: count, using: &random)
  }

  @Test(arguments: counts)
  func `a snapshot answers as the tree it was written from`(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let coordinates = Self.coordinates(count)
    let tree = KDTree(coordinates)
    let path = folder.file("x.geoqx")
    try tree.write(to: path, storeID: 1, generation: 2)
    let snapshot = try SectionFile(path: path)
    try snapshot.verify()
    #expect((snapshot.storeID, snapshot.generation) == (1, 2))
    #expect(snapshot.path == path)
    #expect(snapshot.tree.count == count)
    #expect(snapshot.tree.byteCount == tree.byteCount)
    for index in coordinates.indices {
      #expect(snapshot.tree[index].latitude.bitPattern == coordinates[index].latitude.bitPattern)
      #expect(snapshot.tree[index].longitude.bitPattern == coordinates[index].longitude.bitPattern)
    }
    var random = SplitMix64(stream: "queries \(count)")
    for turn in 0..<20 {
      let near = coordinates.randomElement(using: &random) ?? .at(0, 0)
      let center =
        turn % 2 == 0 ? random.coordinate(near: near, degrees: 0.1) : random.coordinate()
      try Self.expectSame(snapshot.tree, tree, around: center)
    }
  }

  private static func expectSame(_ one: KDTree, _ other: KDTree, around center: Coordinate) throws {
    for count in [1, 10, 100, min(other.count, 1_000)] {
      #expect(one.nearest(to: center, count: count) == other.nearest(to: center, count: count))
    }
    for radius in [0, 1_000, other.count > 1_000 ? 100_000 : .infinity] as [Double] {
      #expect(one.within(radius: radius, of: center) == other.within(radius: radius, of: center))
      #expect(one.count(within: radius, of: center) == other.count(within: radius, of: center))
    }
    let (latitude, longitude) = (center.latitude, center.longitude)
    let box = try #require(
      BoundingBox(
        west: max(-180, longitude - 0.1),
        south: max(-90, latitude - 0.1),
        east: min(180, longitude + 0.1),
        north: min(90, latitude + 0.1)
      )
    )
    #expect(one.within(box) == other.within(box))
    #expect(one.count(in: box) == other.count(in: box))
  }

  @Test(arguments: Layout.allCases)
  func `every layout makes a sound snapshot`(_ layout: Layout) throws {
    let folder = try TemporaryFolder()
    for count in [1, 16, 17, 300, 2_049] {
      let path = folder.file("x.geoqx")
      try KDTree(Self.coordinates(count, layout)).write(to: path, storeID: 1, generation: 2)
      try SectionFile(path: path).verify()
    }
  }

  @Test(arguments: counts)
  func `the same points give the same bytes on any number of threads`(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let coordinates = Self.coordinates(count == 20_000 ? 50_000 : count)
    let path = folder.file("x.geoqx")
    var files: [[UInt8]] = []
    for threads in [1, 1, 2, 5] {
      try KDTree(coordinates, threads: threads).write(to: path, storeID: 7, generation: 8)
      files.append(try TemporaryFolder.read(path))
    }
    // and once more from the snapshot itself
    let copy = folder.file("copy.geoqx")
    try SectionFile(path: path).tree.write(to: copy, storeID: 7, generation: 8)
    files.append(try TemporaryFolder.read(copy))
    #expect(files.allSatisfy { $0 == files[0] })
  }

  @Test func `another store and generation change only their own bytes and the header's checksum`()
    throws
  {
    let folder = try TemporaryFolder()
    let tree = KDTree(Self.coordinates(500))
    let paths = [folder.file("a"), folder.file("b")]
    try tree.write(to: paths[0], storeID: 1, generation: 1)
    try tree.write(to: paths[1], storeID: .max, generation: .max)
    let (one, other) = (try TemporaryFolder.read(paths[0]), try TemporaryFolder.read(paths[1]))
    #expect(one.count == other.count)
    let masked = Array(40..<56) + Array(4_088..<4_096)
    let differing = one.indices.filter { one[$0] != other[$0] }
    #expect(Set(differing).isSubset(of: masked))
    #expect(Set(40..<56).isSubset(of: differing))
  }

  @Test func `the header stands as the format says`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x")
    try KDTree(Self.coordinates(17)).write(to: path, storeID: 0x0102, generation: 0x0304)
    let bytes = try TemporaryFolder.read(path)
    let start: [UInt8] = [0x1A, 4, 3, 2, 1, 3, 0, 0, 0, 0, 16, 0, 0, 3, 0, 0, 0]
    #expect(Array(bytes.prefix(24)) == Array("GEOQX\r\n".utf8) + start)
    #expect(Array(bytes[32..<34]) == [17, 0])
    #expect(Array(bytes[40..<42]) == [2, 1])
    #expect(Array(bytes[48..<50]) == [4, 3])
    #expect(Array(bytes[64..<72]) == Array("nodes".utf8) + [0, 0, 0])
    #expect(Array(bytes[96..<104]) == Array("leaves".utf8) + [0, 0])
    #expect(Array(bytes[128..<136]) == Array("coords".utf8) + [0, 0])
    // one node, two leaves, 17 coordinates, each section on a page of its own
    #expect(bytes.count == 3 * 4_096 + 17 * 16)
  }

  @Test(arguments: [0, 1, 300])
  func `further sections are read as they were written`(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.geoqx")
    // small and large ones, in one piece and in many
    let lengths = [0, 1, 4_095, 4_096, 4_097, 3 << 20, 0]
    let contents = lengths.map { length in
      (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
    }
    var writer = try SectionFileWriter(for: path)
    try writer.write(KDTree(Self.coordinates(count)))
    for (index, bytes) in contents.enumerated() {
      try writer.beginSection("part\(index)")
      let piece = index % 2 == 0 ? 4_000 : 2 << 20
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try writer.append(Array(bytes[start..<min(start + piece, bytes.count)]))
      }
    }
    try writer.finish(storeID: 3, generation: 4)
    let file = try SectionFile(path: path)
    try file.verify()
    #expect(file.byteCount == (try TemporaryFolder.read(path)).count)
    for (index, bytes) in contents.enumerated() {
      let section = try #require(file.section("part\(index)"))
      #expect(section.bytes.elementsEqual(bytes))
      #expect(Int(bitPattern: section.bytes.baseAddress) % 4_096 == 0)
    }
    #expect(file.section("coords")?.bytes.count == 16 * count)
    #expect(file.section("part7") == nil)
    // a tree written again leaves the other sections after
    let copy = folder.file("copy.geoqx")
    try file.tree.write(to: copy, storeID: 3, generation: 4)
    #expect(try SectionFile(path: copy).section("part1") == nil)
    try Self.expectSame(try SectionFile(path: copy).tree, file.tree, around: .at(1, 1))
    #expect(file.tree.byteCount == KDTree(Self.coordinates(count)).byteCount)
  }

  @Test func `a section outlives the file it came from`() throws {
    let folder = try TemporaryFolder()
    let file = try SectionFileBytes(of: [.at(1, 2)], in: folder, further: [10])
    let section = try #require(try SectionFile(path: folder.file("whole.geoqx")).section("more0"))
    #expect(section.bytes.elementsEqual(file.bytes.suffix(10)))
  }

  @Test func `a header has room for 120 sections`() throws {
    let folder = try TemporaryFolder()
    let further = [Int](repeating: 1, count: 117)
    let file = try SectionFileBytes(of: [.at(1, 2)], in: folder, further: further)
    #expect(file.sections.count == 120)
    try SectionFile(path: folder.file("whole.geoqx")).verify()
  }

  @Test func `a file that is replaced while it is open goes on answering`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.geoqx")
    let (old, new) = (KDTree(Self.coordinates(5_000)), KDTree(Self.coordinates(10)))
    try old.write(to: path, storeID: 1, generation: 1)
    let snapshot = try SectionFile(path: path)
    try new.write(to: path, storeID: 1, generation: 2)
    try Self.expectSame(snapshot.tree, old, around: .at(10, 10))
    try snapshot.verify()
    #expect(try SectionFile(path: path).generation == 2)
    try Self.expectSame(try SectionFile(path: path).tree, new, around: .at(10, 10))
    try FileManager.default.removeItem(atPath: path)
    try snapshot.verify()
    #expect(try folder.names() == [])
  }

  @Test func `a tree outlives the snapshot it came from`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.geoqx")
    let tree = KDTree(Self.coordinates(3_000))
    try tree.write(to: path, storeID: 1, generation: 1)
    let mapped = try SectionFile(path: path).tree
    try Self.expectSame(mapped, tree, around: .at(0, 0))
  }

  @Test func `opening and closing a thousand times leaves no descriptor and no mapping`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.geoqx")
    try KDTree(Self.coordinates(100)).write(to: path, storeID: 1, generation: 1)
    let broken = folder.file("broken.geoqx")
    try TemporaryFolder.write(try TemporaryFolder.read(path).dropLast(), to: broken)
    for _ in 0..<1_000 {
      _ = try SectionFile(path: path).tree.nearest(to: .at(0, 0), count: 1)
      #expect(throws: SnapshotError.self) { try SectionFile(path: broken) }
    }
    // the folder's name is in every path of this test and in no other's
    let own = folder.path.split(separator: "/").last.map(String.init) ?? ""
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    #expect(!maps.contains(own))
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let targets = descriptors.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(!targets.contains { $0.contains(own) })
  }
}
