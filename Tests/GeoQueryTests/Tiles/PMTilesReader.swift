import Foundation

/// Reads PMTiles 3 whose parts are not compressed, by the specification.
struct PMTilesReader {
  struct Fault: Error {
    let what: String
  }

  struct Address: Hashable {
    let zoom: Int
    let x: Int
    let y: Int
  }

  struct Entry: Hashable {
    var number: UInt64 = 0
    var offset: UInt64 = 0
    var length: UInt64 = 0
    var run: UInt64 = 0
  }

  /// The tiles.
  private(set) var tiles: [Address: [UInt8]] = [:]

  /// All entries of tiles, in the order of the directories.
  private(set) var entries: [Entry] = []
  private(set) var leafCount = 0
  let metadata: [UInt8]
  let zooms: [Int]

  /// West, south, east and north, then the center, in degrees.
  let sides: [Double]
  let centerZoom: Int

  /// Tiles, entries and contents.
  let counts: [Int]
  let rootEnd: Int

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    guard bytes.count >= 127, bytes.starts(with: Array("PMTiles".utf8) + [3]),
      bytes[96..<100] == [1, 2, 2, 1]
    else { throw Fault(what: "not a clustered, compressed file of vector tiles") }
    let numbers = (0..<11).map { Int(Self.integer(bytes[(8 + $0 * 8)..<(16 + $0 * 8)])) }
    counts = Array(numbers[8...])
    zooms = [Int(bytes[100]), Int(bytes[101])]
    func degrees(_ start: Int) -> Double {
      Double(Int32(truncatingIfNeeded: Self.integer(bytes[start..<start + 4]))) / 1e7
    }
    sides = [102, 106, 110, 114, 119, 123].map(degrees)
    centerZoom = Int(bytes[118])
    let sections = (0..<4).map { numbers[$0 * 2]..<numbers[$0 * 2] + numbers[$0 * 2 + 1] }
    rootEnd = sections[0].upperBound
    metadata = Array(bytes[sections[1]])
    guard sections[0].lowerBound == 127, rootEnd <= 16_384, sections[3].upperBound == bytes.count
    else { throw Fault(what: "sections in a place of their own") }
    for entry in try Self.entries(bytes[sections[0]]) {
      if entry.run > 0 {
        entries.append(entry)
        continue
      }
      leafCount += 1
      let start = sections[2].lowerBound + Int(entry.offset)
      let leaf = try Self.entries(bytes[start..<start + Int(entry.length)])
      guard leaf.first?.number == entry.number, leaf.allSatisfy({ $0.run > 0 }) else {
        throw Fault(what: "a leaf that begins elsewhere, or has leaves")
      }
      entries += leaf
    }
    try readTiles(sections[3])
  }

  private mutating func readTiles(_ data: Range<Int>) throws {
    var (next, end): (UInt64, UInt64) = (0, 0)
    for entry in entries {
      guard entry.number >= next, entry.offset <= end else {
        throw Fault(what: "not in order, or not clustered")
      }
      next = entry.number + entry.run
      end = max(end, entry.offset + entry.length)
      let start = data.lowerBound + Int(entry.offset)
      let tile = Array(bytes[start..<start + Int(entry.length)])
      for number in entry.number..<next { tiles[Self.address(number)] = tile }
    }
    guard Int(end) == data.count else { throw Fault(what: "bytes of no tile") }
  }

  /// A directory: numbers, runs, lengths, offsets.
  static func entries(_ bytes: ArraySlice<UInt8>) throws -> [Entry] {
    var rest = bytes
    func number() throws -> UInt64 {
      var (number, factor): (UInt64, UInt64) = (0, 1)
      while let byte = rest.popFirst() {
        number += UInt64(byte % 128) &* factor
        if byte < 128 { return number }
        factor &*= 128
      }
      throw Fault(what: "a cut number")
    }
    var entries = [Entry](repeating: Entry(), count: Int(try number()))
    for index in entries.indices {
      entries[index].number = try number() + (index > 0 ? entries[index - 1].number : 0)
    }
    for index in entries.indices { entries[index].run = try number() }
    for index in entries.indices { entries[index].length = try number() }
    for index in entries.indices {
      let stored = try number()
      if stored > 0 {
        entries[index].offset = stored - 1
      } else if index > 0 {
        entries[index].offset = entries[index - 1].offset + entries[index - 1].length
      } else {
        throw Fault(what: "a first entry that follows another")
      }
    }
    guard rest.isEmpty, !entries.isEmpty else { throw Fault(what: "an empty or longer directory") }
    return entries
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The tile with a number: walks down the curve, and turns the quarters as it goes.
  static func address(_ number: UInt64) -> Address {
    var (zoom, rest) = (0, number)
    while rest >= 1 << UInt64(2 * zoom) {
      rest -= 1 << UInt64(2 * zoom)
      zoom += 1
    }
    var (x, y, side) = (0, 0, 1)
    for _ in 0..<zoom {
      // the square so far is one quarter of the next
      switch rest & 3 {
      case 0: (x, y) = (y, x)
      case 1: y += side
      case 2: (x, y) = (x + side, y + side)
      default: (x, y) = (2 * side - 1 - y, side - 1 - x)
      }
      rest >>= 2
      side *= 2
    }
    return Address(zoom: zoom, x: x, y: y)
  }
}
