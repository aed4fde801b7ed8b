import Foundation

/// The entries of a PMTiles 3 directory (§4), which may be from any program.
struct PMTilesEntries: Sendable {
  private let entries: [PMTilesDirectory.Entry]

  /// The number of entries.
  var count: Int { entries.count }

  /// Reads a decompressed directory; nil if it is damaged.
  init?(_ bytes: [UInt8]) {
    var reader = VarintReader(bytes)
    // an entry has four numbers of at least one byte
    guard let count = reader.next(), count <= UInt64(bytes.count / 4) else { return nil }
    var numbers: [UInt64] = []
    var runs: [UInt32] = []
    var lengths: [UInt32] = []
    var last: UInt64 = 0
    for index in 0..<count {
      guard let step = reader.next(), index == 0 || step > 0 else { return nil }
      let (number, isTooGreat) = last.addingReportingOverflow(step)
      if isTooGreat { return nil }
      numbers.append(number)
      last = number
    }
    for _ in 0..<count {
      guard let run = reader.next().flatMap(UInt32.init(exactly:)) else { return nil }
      runs.append(run)
    }
    for _ in 0..<count {
      guard let length = reader.next().flatMap(UInt32.init(exactly:)) else { return nil }
      lengths.append(length)
    }
    var entries: [PMTilesDirectory.Entry] = []
    var end: UInt64?
    for index in numbers.indices {
      guard let stored = reader.next(), let offset = stored > 0 ? stored - 1 : end else {
        return nil
      }
      let (after, isTooGreat) = offset.addingReportingOverflow(UInt64(lengths[index]))
      if isTooGreat { return nil }
      end = after
      entries.append(
        .init(number: numbers[index], offset: offset, length: lengths[index], run: runs[index])
      )
    }
    self.entries = entries
  }

  /// The last entry whose number is at most `number`; nil if there is none.
  func last(upTo number: UInt64) -> PMTilesDirectory.Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}

/// Reads numbers with seven bits per byte.
private struct VarintReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The next number; nil if it is truncated or has more than 64 bits.
  mutating func next() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard offset < bytes.count else { return nil }
      let byte = bytes[offset]
      offset += 1
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}

/// A cache of the directories that were read last.
///
/// `@unchecked Sendable`: everything is accessed under the lock only.
final class LeafMemory: @unchecked Sendable {
  private let lock = NSLock()
  private var leaves: [(offset: UInt64, length: UInt32, entries: PMTilesEntries)] = []
  private var count = 0

  /// A directory; nil if it is not in the cache.
  func leaf(at offset: UInt64, length: UInt32) -> PMTilesEntries? {
    lock.withLock { leaves.first { $0.offset == offset && $0.length == length }?.entries }
  }

  /// Adds a directory, and removes the oldest ones if there are too many.
  func remember(_ entries: PMTilesEntries, at offset: UInt64, length: UInt32) {
    lock.withLock {
      leaves.append((offset, length, entries))
      count += entries.count
      while leaves.count > 1, leaves.count > 64 || count > TileFileLimits.keptEntries {
        count -= leaves.removeFirst().entries.count
      }
    }
  }
}
