import TestSupport
import Testing

@testable import GeoIndex

struct LeafScanTests {
  @Test(arguments: Layout.allCases)
  func `the bits are those of the chords, and a slot without a point has none`(_ layout: Layout) {
    for size in Array(1...34) + [63, 64, 65] {
      let scenario = Scenario(layout, size: size, centerCount: 3)
      for center in scenario.centers {
        for leaf in 0..<(size + 31) / 32 {
          Self.check(scenario, leaf, from: ECEFPoint(center))
        }
      }
    }
  }

  private static func check(_ scenario: Scenario, _ leaf: Int, from origin: ECEFPoint) {
    let view = scenario.tree.view
    let slots = 32 * leaf..<min(scenario.tree.count, 32 * leaf + 32)
    let chords = slots.map { Chord(from: origin, to: view.ecefPoint(atSlot: $0)).squared }
    let limits: [Double] = chords.flatMap { [$0, $0.nextDown, $0.nextUp] } + [0, 2e14]
    withScratch(LeafScan.byteCount) { scratch in
      let scan = LeafScan(scratch: scratch)
      for limit in limits {
        let expected = chords.indices.reduce(UInt32(0)) { bits, lane in
          chords[lane] <= limit ? bits | 1 << UInt32(lane) : bits
        }
        #expect(scan.measure(view.points(ofLeaf: leaf), from: origin, limit: limit) == expected)
        _ = scan.measure(view.points(ofLeaf: leaf), from: origin, limit: 0)
        #expect(scan.bits(within: limit) == expected)
      }
      for (lane, chord) in chords.enumerated() {
        #expect(scan[lane].bitPattern == chord.bitPattern)
        #expect(scan.pair(lane / 2)[lane % 2] == chord)
      }
      for lane in chords.count..<32 {
        #expect(scan[lane].isNaN)
      }
      #expect(scan.measureMinimum(view.points(ofLeaf: leaf), from: origin) == chords.min())
      for (lane, chord) in chords.enumerated() {
        #expect(scan[lane].bitPattern == chord.bitPattern)
      }
    }
  }
}
