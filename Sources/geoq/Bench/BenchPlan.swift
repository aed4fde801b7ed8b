import ArgumentParser

/// The checked parameters of a benchmark.
struct BenchPlan {
  var operation = BenchOperation.nearest(count: 10)
  var pointsFile: String?
  var queriesFile: String?
  var size = 1_000_000
  var seed: UInt64 = 1
  /// The number of queries; nil for all of the file, or the operation's default.
  var queryCount: Int?
  var rounds = 1
  /// The number of threads; nil for all cores.
  var threads: Int? = 1
  /// Whether all queries are answered by one call.
  var isBatch = false
  var countsOnly = false
  var answersFile: String?
  var overwritesAnswers = false
}
