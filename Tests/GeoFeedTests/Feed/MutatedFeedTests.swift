import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

/// Feeds changed at random: whatever comes out, it comes out, and it is sound.
struct MutatedFeedTests {
  /// The changes of each fixture: `GEOQ_MUTATED_FEEDS=N` for more.
  private static let rounds =
    ProcessInfo.processInfo.environment["GEOQ_MUTATED_FEEDS"].flatMap(Int.init) ?? 40

  private static let pieces: [[UInt8]] = [
    Array("{".utf8), Array("[".utf8), Array("\"".utf8), Array("\\u00".utf8), Array(",,".utf8),
    Array("null".utf8), Array("1e999".utf8), Array(String(repeating: "9", count: 400).utf8),
    Array(String(repeating: "[", count: 64).utf8), Array("\r\n".utf8), [0x1E], [0], [0xFF],
    [0xC3], [0xEF, 0xBB, 0xBF], Array("\\ud800".utf8), Array("=".utf8), Array("\t".utf8),
  ]

  /// Changes some bytes: cuts, flips, inserts or doubles.
  private static func mutate(_ bytes: inout [UInt8], using random: inout SplitMix64) {
    for _ in 0...random.int(below: 3) where !bytes.isEmpty {
      let place = random.int(below: bytes.count)
      let end = min(bytes.count, place + 1 + random.int(below: 40))
      switch random.int(below: 5) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes[place] ^= UInt8(1 << random.int(below: 8))
      case 2: bytes.insert(contentsOf: pieces[random.int(below: pieces.count)], at: place)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes.removeSubrange(end...)
      }
    }
  }

  @Test(arguments: Fixture.all)
  func `a mutated feed is read or refused, the same however it comes`(fixture: Fixture) throws {
    var random = SplitMix64(stream: "mutated \(fixture.file)")
    let original = try fixture.bytes()
    var different: [Int] = []
    for round in 0..<Self.rounds {
      var bytes = original
      Self.mutate(&bytes, using: &random)
      let whole = Self.outcome(MemoryBytes(bytes))
      if Self.outcome(DripBytes(bytes, size: 13)) != whole { different.append(round) }
    }
    #expect(different.isEmpty, "rounds \(different.prefix(5)), SEED=\(SplitMix64.seed)")
  }

  /// What a feed gives, as lines; every restaurant must survive being written and read again.
  private static func outcome(_ bytes: some ByteSource) -> [String] {
    do {
      let feed = try FeedReader(source: "a").read(from: bytes)
      for restaurant in feed.restaurants { check(restaurant) }
      return feed.restaurants.map { String(decoding: $0.allBytes, as: UTF8.self) }
        + (feed.rejected + feed.warnings).map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  private static func check(_ restaurant: Restaurant) {
    #expect(!restaurant.id.isEmpty && !restaurant.name.isEmpty)
    #expect((-90...90).contains(restaurant.coordinate.latitude))
    #expect((-180...180).contains(restaurant.coordinate.longitude))
    let text = AnswerFormat.geojson.text(of: [Match(restaurant: restaurant)])
    let back = try? FeedReader(source: "b").read(Array(text.utf8))
    #expect(back?.restaurants.map(\.allBytes) == [restaurant.allBytes])
  }
}
