import GeoIndex

/// Writes the results of each query, one JSON object per line, for comparison with other programs.
///
/// `{"q":0,"ids":[3,1],"d":[12.5,80.25]}`: the query's number, indexes of points,
/// meters. Boxes have no `d`; if results are only counted it is `{"q":0,"count":2}`.
struct AnswerLines {
  let file: String
  let overwrites: Bool

  /// Writes the answers of all queries, in order, and renames the file.
  ///
  /// - Throws: `OutputError` if the file cannot be written.
  func write(_ answers: some Sequence<BenchAnswer>) throws {
    let output = try OutputFile(path: file, force: overwrites)
    for (number, answer) in answers.enumerated() {
      try output.write(Array(Self.line(number, answer).utf8))
    }
    try output.commit()
  }

  static func line(_ number: Int, _ answer: BenchAnswer) -> String {
    switch answer {
    case .neighbors(let neighbors):
      let distances = neighbors.map(\.distance.description).joined(separator: ",")
      return "{\"q\":\(number),\"ids\":[\(list(neighbors.map(\.index)))],\"d\":[\(distances)]}\n"
    case .positions(let positions):
      return "{\"q\":\(number),\"ids\":[\(list(positions))]}\n"
    case .count(let count):
      return "{\"q\":\(number),\"count\":\(count)}\n"
    }
  }

  private static func list(_ positions: [Int]) -> String {
    positions.map(String.init).joined(separator: ",")
  }
}
