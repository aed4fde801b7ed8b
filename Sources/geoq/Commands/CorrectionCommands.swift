import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore

struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a restaurant that no feed has.",
    discussion: """
        geoq add "Soup Corner" --at 32.9512,-96.8281 category=Soup phone=+1-972-555-0100
        geoq add "Soup Corner" --at 32.9512,-96.8281 'hours=Mo-Fr 11:00-15:00'

      It belongs to the source own, which no import of another feed changes. The same name at the same \
      address is the same restaurant, and its values are replaced. geoq edit changes one value, geoq \
      remove removes the restaurant.
      """
  )

  @Argument(help: "The name.") var name: String

  @Option(parsing: .unconditional, help: "Its position, LAT,LON or geo:LAT,LON.".value("lat,lon"))
  var at: String

  @Argument(help: "More values, KEY=VALUE, by the keys of geoq help formats.")
  var values: [String] = []

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if name.trimmed.isEmpty { throw ValidationError("the name is empty") }
    _ = try named("--at") { try parsePoint(at) }
    let all = try values.map { try FieldValue($0) }
    for value in all where [.name, .latitude, .longitude].contains(value.field) {
      throw ValidationError("\(value.field.rawValue) is already given as the name or with --at")
    }
  }

  func run() throws {
    let point = try named("--at") { try parsePoint(at) }
    let others = try values.map { try FieldValue($0) }
    for value in others { _ = try Correction.values(value.text, of: value.field) }
    let record: [(field: RestaurantField, text: String)] =
      [
        (.name, name), (.latitude, point.latitude.description),
        (.longitude, point.longitude.description),
      ] + others.map { ($0.field, $0.text) }
    let place = try globals.place()
    var options = ImportOptions()
    options.keepsMissing = true
    let report = try place.importFeed(from: Correction.addition(record), options: options)
    let own = try Condition(.source, .equal, Correction.ownSource)
    let near = Query(.radius(1, of: point), matching: Filter(conditions: [own]))
    let found = try place.withStore { try QueryEngine($0.snapshot()).page(near).matches }
      .first { UTF8Key($0.restaurant.name) == UTF8Key(name.trimmed) }
    guard let id = found?.restaurant.id else {
      return globals.say(
        "\(terminalSafe(name)): it is hidden, and stays so; geoq edit --list has its id"
      )
    }
    let corrected = try place.withStore { try $0.corrections(of: [id]) }.flatMap(\.changes)
      .map(\.field).filter { field in others.contains { $0.field == field } }
    let outcome =
      report.inserted > 0
      ? "added"
      : report.updated > 0 ? "it was there, and has these values now" : "it was there already"
    let kept = corrected.map(\.rawValue).joined(separator: ", ")
    globals.say(
      "\(terminalSafe(id)): \(outcome)"
        + (kept.isEmpty
          ? "" : ", but for \(kept), which a correction keeps; geoq edit --undo ends it")
    )
  }
}

struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Correct a restaurant; imports keep the correction.",
    discussion: """
        geoq edit yard-house-dfd1f6d4 rating=4.9 'hours=Mo-Su 11:00-22:00'
        geoq edit yard-house-dfd1f6d4 phone= closed=true
        geoq edit --list
        geoq edit yard-house-dfd1f6d4 phone --undo
        geoq edit yard-house-dfd1f6d4 --undo

      A value is read as in a CSV feed; no value removes what the feed has. The feed's own values stay in \
      the database, and --undo returns to them: for some keys, or for the whole restaurant, also one that \
      geoq hide has hidden.
      """
  )

  @Argument(
    help: "The id, as listed by -f ids.",
    completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
  )
  var id: String?

  @Argument(help: "KEY=VALUE; with --undo, KEY.")
  var values: [String] = []

  @Flag(help: "List the corrections.")
  var list = false

  @Flag(help: "Undo corrections.")
  var undo = false

  @Flag(help: "With --list: print JSON (schema geoq.corrections/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if list {
      if id != nil || undo { throw ValidationError("--list lists all corrections; give it alone") }
      return
    }
    if json { throw ValidationError("--json goes with --list") }
    guard id != nil else {
      throw ValidationError("give an id and KEY=VALUE, or --list, or --undo and an id")
    }
    if undo {
      for key in values { _ = try FieldValue.field(key) }
      return
    }
    guard !values.isEmpty else {
      throw ValidationError("give what to correct: KEY=VALUE, or --undo to undo everything")
    }
    for value in values { _ = try FieldValue(value) }
  }

  func run() throws {
    let place = try globals.place()
    guard let id else { return try printList(place) }
    if undo {
      var fields = try values.map { try FieldValue.field($0) }
      fields += fields.compactMap { Correction.companions[$0] }
      _ = try place.undo([id], fields.isEmpty ? nil : fields)
      return globals.say("\(terminalSafe(id)): undone; the feed's values count again")
    }
    let given = try values.map { try FieldValue($0) }
    let changes = try given.flatMap { value in
      try Correction.values(value.text, of: value.field).filter { found in
        found.field == value.field || !given.contains { $0.field == found.field }
      }
    }
    let report = try place.correct(id, changes)
    guard report.updated > 0 else { return globals.say("\(terminalSafe(id)): nothing to change") }
    for correction in try place.withStore({ try $0.corrections(of: [id]) }) {
      for change in correction.changes where changes.contains(where: { $0.field == change.field }) {
        globals.say(terminalSafe("\(id): \(correction.sentence(change))"))
      }
    }
  }

  private func printList(_ place: StorePlace) throws {
    let corrections = try place.withStore { try $0.corrections() }
    if json {
      return try StandardStreams.printJSON(JSONReport.text(of: corrections, database: place.shown))
    }
    if corrections.isEmpty { globals.say("no corrections") }
    let rows = corrections.flatMap { correction in
      let head = [correction.id, correction.name]
      let hidden = correction.hiddenSince.map { [["hidden", "", "", $0]] } ?? []
      let changes = correction.changes.map { change in
        [
          change.field.rawValue, correction.feedText(change) ?? "", change.value ?? "",
          change.since,
        ]
      }
      let note = correction.feed == nil ? " (gone)" : ""
      return (hidden + changes).map { head + $0[..<3] + [$0[3] + note] }
    }
    try TableWriter.print(Self.columns, rows, color: globals.color)
  }

  private static let columns = [
    TableColumn(title: "id", minimumWidth: 12, priority: 10),
    TableColumn(title: "name", minimumWidth: 12, priority: 7),
    TableColumn(title: "key", priority: 9),
    TableColumn(title: "in the feed", minimumWidth: 10, priority: 6),
    TableColumn(title: "corrected to", minimumWidth: 10, priority: 8),
    TableColumn(title: "since", priority: 5),
  ]
}

struct HideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide",
    abstract: "Hide restaurants from all answers; imports keep them hidden.",
    discussion: """
        geoq hide yard-house-dfd1f6d4
        geoq list --where 'closed = true' -f ids | geoq hide -
        geoq edit yard-house-dfd1f6d4 --undo

      Hides all of them, or none if an id is unknown. geoq edit --list lists them, and geoq edit ID \
      --undo shows one again.
      """
  )

  @Argument(
    help: "Ids, as listed by -f ids; - reads them from standard input, one per line.",
    completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
  )
  var ids: [String]

  @Flag(help: "Show what would change, without changing anything.")
  var dryRun = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    var all = ids.filter { $0 != "-" }
    if all.count < ids.count {
      var lines = LineReader(try FeedFile(pathOrInput: "-"))
      while let line = try lines.next() {
        if !line.isEmpty { all.append(line) }
      }
    }
    guard !all.isEmpty else { return globals.say("no ids, nothing hidden") }
    let count = try globals.place().hide(all, isDryRun: dryRun).updated
    let noun = restaurants(count)
    globals.say(
      dryRun
        ? "\(noun) would be hidden (dry run, nothing was written)"
        : "\(noun) hidden; geoq edit ID --undo shows one again"
    )
  }
}

/// A value for a key on the command line: `rating=4.9`.
private struct FieldValue {
  let field: RestaurantField
  let text: String

  /// - Throws: `ValidationError` for another form, and for a key that is unknown or cannot be corrected.
  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw ValidationError("expected KEY=VALUE, got \"\(terminalSafe(argument))\"")
    }
    field = try Self.field(String(parts[0]))
    text = String(parts[1])
  }

  static func field(_ key: String) throws -> RestaurantField {
    let keys = Correction.fields.map(\.rawValue)
    if let field = RestaurantField(rawValue: key), Correction.fields.contains(field) {
      return field
    }
    let hint = closest(to: key, among: keys).map { "did you mean \($0)?" }
    let other =
      RestaurantField(rawValue: key) == nil ? "unknown key" : "no correction changes the key"
    throw ValidationError(
      "\(other) \"\(terminalSafe(key))\"; \(hint ?? "keys are " + keys.joined(separator: ", "))"
    )
  }
}

extension Correction {
  /// What the feed says of a corrected field; nil if it has nothing.
  func feedText(_ change: Change) -> String? { feed.flatMap { Self.text(of: $0[change.field]) } }

  /// A change as a sentence for people.
  func sentence(_ change: Change) -> String {
    let old =
      feedText(change).map { "the feed says \(shortened($0, to: 200))" } ?? "the feed has none"
    return "\(change.field.rawValue) is \(change.value ?? "removed") since \(change.since) (\(old))"
  }
}
