import Foundation
import GeoIndex
import Testing

@testable import GeoQuery

/// Snapshots that are made of an older one and what has changed, next to those made of everything.
@Suite struct SnapshotMergeTests {
  /// Merges changes into a snapshot.
  private func merge(
    _ old: Snapshot?,
    removed: [String],
    changed: [Restaurant],
    generation: Int = 1
  ) throws -> Data {
    let path = FileManager.default.temporaryDirectory.path + "/geoq-\(UUID().uuidString).geoqx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var merge = SnapshotMerge(old)
    for id in removed { merge.remove(id: id.utf8) }
    let changed = changed.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
    var bytes: [UInt8] = []
    let ends = changed.map { restaurant in
      PackedRecord.append(restaurant, to: &bytes)
      return bytes.count
    }
    try bytes.withUnsafeBytes { bytes in
      try merge.write(
        changed.map(\.coordinate),
        to: path,
        storeID: 1,
        generation: generation
      ) { number in
        let start = number == 0 ? 0 : ends[number - 1]
        return UnsafeRawBufferPointer(rebasing: bytes[start..<ends[number]])
      }
    }
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func bytes(_ file: TemporarySnapshot) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: file.path))
  }

  private func sorted(_ all: [String: Restaurant]) -> [Restaurant] {
    all.values.sorted { UTF8Key($0.id) < UTF8Key($1.id) }
  }

  @Test func `a merge has the same bytes as a snapshot made of everything`() throws {
    var random = MadeUpRestaurants(seed: 2_111)
    var all: [String: Restaurant] = [:]
    for restaurant in random.restaurants(120) { all[restaurant.id] = restaurant }
    var file = try TemporarySnapshot(of: sorted(all))
    var gone: [String] = []
    for round in 0..<30 * rounds {
      // nothing, little, half of it, everything
      let share = [0, 1, 5, 50, 100][round % 5]
      var removed: [String] = []
      var changed: [Restaurant] = []
      let before = sorted(all)
      for old in before where random.number(below: 100) < share {
        all[old.id] = nil
        if random.number(below: 3) == 0 {
          removed.append(old.id)
        } else {
          var new = random.restaurant(random.number(below: 1_000))
          new.id = old.id
          changed.append(new)
        }
      }
      // new ones, and some of those that have been removed before
      for number in 0..<random.number(below: share + 1) {
        var new = random.restaurant(1_000 * (round + 1) + number)
        if random.number(below: 2) == 0, let id = gone.popLast() { new.id = id }
        if all[new.id] == nil, !changed.contains(where: { $0.id == new.id }) { changed.append(new) }
      }
      for restaurant in changed { all[restaurant.id] = restaurant }
      // what is gone and there again is in both lists
      let both = removed + changed.filter { _ in random.number(below: 2) == 0 }.map(\.id)
      let whole = try TemporarySnapshot(of: sorted(all))
      let merged = try merge(file.snapshot, removed: both + ["nobody"], changed: changed)
      #expect(try merged == bytes(whole), "round \(round)")
      #expect(try (merged == bytes(file)) == (removed.isEmpty && changed.isEmpty), "round \(round)")
      gone += removed
      file = whole
    }
  }

  @Test func `from nothing, to nothing and of nothing`() throws {
    var random = MadeUpRestaurants(seed: 2_112)
    let all = random.restaurants(40)
    let (none, some) = (try TemporarySnapshot(of: []), try TemporarySnapshot(of: all))
    #expect(try merge(nil, removed: [], changed: all) == bytes(some))
    #expect(try merge(nil, removed: ["a"], changed: []) == bytes(none))
    #expect(try merge(none.snapshot, removed: [], changed: all) == bytes(some))
    #expect(try merge(some.snapshot, removed: all.map(\.id), changed: []) == bytes(none))
    #expect(try merge(some.snapshot, removed: [], changed: []) == bytes(some))
  }

  @Test func `runs that are longer than a batch are copied whole`() throws {
    var random = MadeUpRestaurants(seed: 2_113)
    var all: [String: Restaurant] = [:]
    for restaurant in random.restaurants(9_000 + 1_000 * rounds) { all[restaurant.id] = restaurant }
    let file = try TemporarySnapshot(of: sorted(all))
    let ids = sorted(all).map(\.id)
    let removed = [ids[17], ids[4_096], ids[8_999]]
    for id in removed { all[id] = nil }
    let whole = try TemporarySnapshot(of: sorted(all))
    #expect(try merge(file.snapshot, removed: removed, changed: []) == bytes(whole))
  }

  @Test func `every changed byte is found without reading what the bytes say`() throws {
    var random = MadeUpRestaurants(seed: 2_114)
    let file = try TemporarySnapshot(of: random.restaurants(60))
    try file.snapshot.verifyBytes()
    let sound = try bytes(file)
    let path = file.path + ".damaged"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for _ in 0..<50 {
      var damaged = sound
      damaged[4_096 + random.number(below: damaged.count - 4_096)] ^= 1
      try damaged.write(to: URL(fileURLWithPath: path))
      guard let snapshot = try? Snapshot(path: path) else { continue }
      #expect(throws: SnapshotError.self) { try snapshot.verifyBytes() }
    }
  }
}
