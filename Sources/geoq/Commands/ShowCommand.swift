import ArgumentParser
import GeoQuery
import GeoStore

/// `geoq show`.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show restaurants in full, by id.",
    discussion: """
        geoq show thai-star-d04b783c
        geoq list --text thai -f ids -0 | xargs -0 geoq show --
        geoq show --json node/123 node/456

      Unknown ids are reported on standard error; the exit code is then 1, or with -e 4 if all are unknown.
      """
  )

  @Argument(
    help: "Ids, as listed by -f ids; write -- before them if one starts with a hyphen.",
    completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
  )
  var ids: [String]

  @OptionGroup var output: OutputOptions
  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var answer = try AnswerOutput(output, globals)
    let run = QueryRun(globals: globals, output: output)
    try run.withStore { store in
      let snapshot = try globals.engine(store).snapshot
      var matches: [Match] = []
      var missing: [String] = []
      for id in ids {
        if let restaurant = try snapshot.restaurant(id: id) {
          matches.append(Match(restaurant: restaurant))
        } else {
          missing.append(id)
        }
      }
      let corrections = try store.corrections(of: ids)
      answer.notes = Dictionary(
        corrections.map { (UTF8Key($0.id), $0.changes.map($0.sentence)) },
        uniquingKeysWith: { first, _ in first }
      )
      if answer.format == .geojson { answer.credits = try store.credits() }
      if !matches.isEmpty { try answer.write(matches) }
      if let file = output.file, !matches.isEmpty {
        globals.say("\(terminalSafe(file)): \(restaurants(matches.count))")
      }
      guard let first = missing.first else { return }
      throw try CommandFailure(
        unknownIDs: missing,
        in: store,
        similar: snapshot.ids(similarTo: first),
        foundNothing: output.exitStatus && matches.isEmpty
      )
    }
  }
}
