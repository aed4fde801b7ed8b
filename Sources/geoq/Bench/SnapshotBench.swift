import GeoIndex

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The snapshot of a benchmark's tree: written once, opened in every run.
struct SnapshotBench {
  let path: String

  /// Whether the file is there already.
  var exists: Bool { access(path, F_OK) == 0 }

  /// What opening took.
  struct Opening {
    let tree: KDTree
    /// Until the tree could be asked.
    let seconds: Double
    /// Until it had answered its first query.
    let answerSeconds: Double
  }

  /// Writes the file.
  ///
  /// - Throws: `CommandFailure` where it cannot be written.
  func write(_ tree: KDTree) throws {
    do {
      try tree.write(to: path, storeID: 0, generation: 0)
    } catch {
      throw CommandFailure(terminalSafe("\(error)"), exitCode: CommandFailure.inputOutput)
    }
  }

  /// Opens the file as often as asked, and asks the first query each time.
  ///
  /// - Returns: The opening whose answer took the median time.
  /// - Throws: `CommandFailure` where it is unusable, or holds other points than these.
  func open(
    rounds: Int,
    points: [Coordinate],
    firstQuery: (KDTree) -> Void
  ) throws -> Opening {
    var openings: [Opening] = []
    for _ in 0..<rounds {
      let start = Stopwatch.now
      let tree = try openTree()
      let opened = Stopwatch.now
      firstQuery(tree)
      let answered = Stopwatch.now
      openings.append(
        Opening(
          tree: tree,
          seconds: Double(opened - start) / 1e9,
          answerSeconds: Double(answered - start) / 1e9
        )
      )
    }
    openings.sort { $0.answerSeconds < $1.answerSeconds }
    let opening = openings[(rounds - 1) / 2]
    try check(opening.tree, against: points)
    return opening
  }

  private func openTree() throws -> KDTree {
    do {
      return try SectionFile(path: path).tree
    } catch {
      throw CommandFailure(terminalSafe("\(error)"), exitCode: CommandFailure.badData)
    }
  }

  /// Looks at the count and at a thousand points.
  private func check(_ tree: KDTree, against points: [Coordinate]) throws {
    guard !points.isEmpty else { return }
    let isSame =
      tree.count == points.count
      && stride(from: 0, to: points.count, by: max(1, points.count / 1_000))
        .allSatisfy { tree[$0] == points[$0] }
    guard isSame else {
      throw CommandFailure(
        "\(terminalSafe(path)): a snapshot of other points; remove it, or name another file",
        exitCode: CommandFailure.badData
      )
    }
  }
}
