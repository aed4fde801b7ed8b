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
  var countsOnly = false
  var answersFile: String?
  var overwritesAnswers = false
}
