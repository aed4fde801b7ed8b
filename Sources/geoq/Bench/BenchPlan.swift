import ArgumentParser

/// What a benchmark does, checked.
struct BenchPlan {
  var operation = BenchOperation.nearest(count: 10)
  var pointsFile: String?
  var queriesFile: String?
  var size = 1_000_000
  var seed: UInt64 = 1
  /// How many queries; nil for all of the file, or the operation's usual number.
  var queryCount: Int?
  var rounds = 1
  /// How many threads answer; nil for all cores.
  var threads: Int? = 1
  /// Whether one call asks all queries.
  var isBatch = false
  /// How many threads build the tree; nil for all cores.
  var buildThreads: Int?
  var countsOnly = false
  var isSorted = false
  /// Every so manyeth position is allowed; nil for no filter.
  var filterStride: Int?
  var snapshotFile: String?
  var answersFile: String?
  var overwritesAnswers = false
}
