import ArgumentParser
import GeoFeed
import GeoIndex
import GeoQuery
import GeoStore

/// The import of one feed by `geoq import`.
struct ImportRun {
  let command: ImportCommand
  let input: FeedInput
  /// Receives rejected records.
  let rejects: OutputFile?
  /// Called when the whole feed has been read.
  let endOfFeed: () throws -> Void

  /// A feed whose first bytes have been read.
  struct Opened {
    let stream: FeedStream
    /// The meanings of its columns.
    let mapping: FeedMapping
    let origin: FeedOrigin?
    /// The size of the feed's text in bytes, if it is known.
    let size: Int?
  }

  /// Imports the feed and reports; `opened` is the result of `open` if that was called before.
  func run(_ opened: Result<Opened?, any Error>? = nil) throws -> ImportReport {
    let place = try command.globals.place()
    let path = place.shown
    let interrupt =
      CommandContext.current.ownsProcess
      ? ImportInterrupt(feed: input.shownName, database: path) : nil
    defer { interrupt?.end() }
    guard let feed = try opened?.get() ?? open() else { return try reportNotModified(place) }
    let before = Self.extent(of: place)
    let report = try take(feed, into: place, interrupt)
    if let notice = feed.stream.notice {
      command.globals.say("warning: " + terminalSafe("\(feed.stream.name): \(notice)"))
    }
    try publish(report, path)
    sayMapping(feed.mapping)
    if report.inserted + report.updated + report.removed > 0, !command.dryRun {
      sayExtent(before: before, of: place)
    }
    return report
  }

  /// Opens the feed and recognizes its format.
  ///
  /// - Returns: The feed; nil if the server says that it has not changed.
  func open() throws -> Opened? {
    let place = try command.globals.place()
    let opened = try input.open(
      for: place,
      always: command.strict || command.setsCredit,
      seconds: command.timeout,
      layer: command.layer
    )
    guard let (bytes, origin) = opened else { return nil }
    var reader = FeedReader(
      source: input.sourceName,
      format: try command.format(),
      overridesSource: command.source != nil,
      name: input.shownName
    )
    reader.columns = try command.columns.names(with: command.positions)
    try command.reading.apply(to: &reader)
    reader.ratingScale = command.ratingScale
    reader.recordLimit = command.stopAfter
    reader.allowsPart = command.allowPartial || command.keepMissing
    let size = (bytes as? FeedFile)?.textByteCount
    var stream = try reader.stream(bytes)
    if let origin { stream.follow(FeedPages(origin.address, seconds: command.timeout).open) }
    return Opened(stream: stream, mapping: stream.mapping, origin: origin, size: size)
  }

  private static func extent(of place: StorePlace) -> BoundingBox? {
    try? place.withStore { try $0.info().extent }
  }

  /// Prints the extent of the store if it has changed.
  private func sayExtent(before: BoundingBox?, of place: StorePlace) {
    guard let before, let after = Self.extent(of: place), before != after else { return }
    let (old, new) = (before.readableSides, after.readableSides)
    command.globals.say("extent: \(Self.text(new)) (was \(Self.text(old)))")
  }

  private static func text(_ sides: [Double]) -> String {
    sides.map(\.description).joined(separator: ",")
  }

  /// Prints which columns and values no key is read from, and in a dry run what the others mean.
  private func sayMapping(_ mapping: FeedMapping) {
    if command.dryRun {
      for entry in mapping.entries {
        let value = shortened(entry.value, to: 60)
        command.globals.say(
          terminalSafe("\(entry.field.rawValue) ← \(shortened(entry.column)) ← \(value)")
        )
      }
    }
    for (field, column, value, count) in mapping.misfits.prefix(8) {
      let place = "\(shortened(column)) in \(count) of the first \(mapping.recordCount) records"
      command.globals.say(
        terminalSafe(
          "not read as \(field.rawValue), kept in extra: \(place), such as \"\(shortened(value))\""
        )
      )
    }
    guard !mapping.others.isEmpty else { return }
    let shown = mapping.others.prefix(8).map { terminalSafe(shortened($0)) }
    let more = mapping.others.count > 8 ? " and \(mapping.others.count - 8) more" : ""
    command.globals.say(
      "not recognized, kept in extra: \(shown.joined(separator: ", "))\(more) "
        + "(--col KEY=COLUMN reads one as a key)"
    )
  }

  private func options(_ origin: FeedOrigin?) -> ImportOptions {
    var options = ImportOptions()
    // records missing from a part of a feed may be in the rest
    options.keepsMissing = command.keepMissing || command.stopAfter != nil
    options.allowsShrinking = command.allowShrink
    options.allowsReplacing = command.allowReplace
    options.allowsDuplicates = command.allowDuplicates
    options.allowsMoving = command.allowMoved
    options.allowsLosses = command.allowLoss
    options.duplicates = command.duplicates
    options.rejectLimit = command.maxRejects
    options.isDryRun = command.dryRun
    options.isStrict = command.strict
    options.attribution = command.attribution
    options.license = command.license
    // nor does a part have the version of the server's feed
    options.origin =
      command.stopAfter == nil ? origin : origin.map { FeedOrigin(address: $0.address) }
    return options
  }

  /// Imports the feed, and writes the rejected records to a file if that is requested.
  private func take(
    _ feed: Opened,
    into place: StorePlace,
    _ interrupt: ImportInterrupt?
  ) throws -> ImportReport {
    var problems = ProblemGroups()
    let bar = ProgressBar(
      isQuiet: command.globals.quiet || command.noProgress,
      "reading the feed"
    )
    var observer = ImportObserver()
    observer.wantsTexts = rejects != nil
    observer.reject = { error, text in
      problems.add(error)
      try rejects?.add(error, text)
    }
    var isRead = false
    observer.end = {
      isRead = true
      bar.show("writing the database and its index")
      try endOfFeed()
    }
    observer.progress = { progress in
      bar.show { progress.line(size: feed.size, seconds: $0) }
    }
    observer.commit = { interrupt?.close() }
    observer.notice = { command.globals.say("warning: " + terminalSafe($0)) }
    do {
      defer { bar.clear() }
      return try place.importFeed(
        from: feed.stream,
        options: options(feed.origin),
        observer: observer
      )
    } catch let error as FeedError where command.strict {
      throw CommandFailure.badData(
        terminalSafe("\(error) (--strict: the feed was rejected, nothing was changed)")
      )
    } catch let error where error is FeedError || (error as? StoreError)?.kind == .shrinks {
      // if bad records are the reason for rejecting a feed, their errors are shown
      if isRead { problems.lines.forEach(command.globals.say) }
      throw error
    }
  }

  private func publish(_ report: ImportReport, _ path: String) throws {
    let source = terminalSafe(input.sourceName)
    let globals = command.globals
    report.rejections.lines.forEach(globals.say)
    for line in report.oddities.lines { globals.say("warning: " + line) }
    advice(on: report).forEach(globals.say)
    globals.say(
      "\(source): \(Self.counts(report))"
        + (command.dryRun ? " (dry run, nothing was written)" : " → \(terminalSafe(path))")
    )
    if command.json {
      try StandardStreams.printJSON(
        JSONReport.text(
          of: report,
          source: input.sourceName,
          database: path,
          isDryRun: command.dryRun
        )
      )
    }
  }

  /// The counts of an import, for people.
  static func counts(_ report: ImportReport) -> String {
    let name = report.read == 1 ? report.content.singular : report.content.rawValue
    let noun = report.content == .restaurants ? "" : name + " "
    let repeated = report.repeated > 0 ? ", \(grouped(report.repeated)) repeated an id" : ""
    return "\(grouped(report.read)) \(noun)read, \(grouped(report.inserted)) inserted, "
      + "\(grouped(report.updated)) updated, \(grouped(report.unchanged)) unchanged, "
      + "\(grouped(report.removed)) removed, \(grouped(report.rejectedCount)) rejected" + repeated
  }

  private func reportNotModified(_ place: StorePlace) throws -> ImportReport {
    let source = input.sourceName
    var report = ImportReport()
    let (had, state) = try place.withStore { store in
      (try store.contents(of: source, from: input.name), try store.state())
    }
    report.content = had?.content ?? .restaurants
    report.unchanged = had?.count ?? 0
    report.read = report.unchanged
    report.generation = state.generation
    command.globals.say("\(terminalSafe(source)): not modified since the last import")
    try publish(report, place.shown)
    return report
  }

  /// Lines about effects that the user may not have intended.
  private func advice(on report: ImportReport) -> [String] {
    var lines: [String] = []
    if report.removed > 0, !report.rejected.isEmpty {
      lines.append("warning: some removed records may be rejected ones; use --keep-missing")
    }
    if input.hasQuery, report.inserted > 0 {
      lines.append(
        "warning: the address with its query is the source's name and is part of every export; "
          + "use --source NAME for another name"
      )
    }
    func areOrIs(_ count: Int) -> String { count == 1 ? "is" : "are" }
    if report.unknownChains > 0 {
      let count = report.unknownChains
      lines.append(
        "\(counted(count, "chain")) that offers name \(areOrIs(count)) not in the database; "
          + "import the list of chains"
      )
    }
    for shared in report.sharedIDs {
      let count = shared.count
      lines.append(
        "\(counted(count, "id")) \(areOrIs(count)) also used by \(terminalSafe(shared.source)); "
          + "\(count == 1 ? "it is" : "they are") kept as \(terminalSafe(input.sourceName)):ID"
      )
    }
    for (count, noun, state) in [
      (report.correctionsInFeed, "corrected value", "what the feed says now"),
      (report.correctionsGone, "corrected restaurant", "gone"),
    ] where count > 0 {
      lines.append(
        "\(counted(count, noun)) \(areOrIs(count)) \(state); geoq edit --list lists the corrections"
      )
    }
    let repeatsIDs = report.rejections.groups.contains {
      let problem = $0.first.problem
      return problem.contains("is the same as in record") || problem.contains("no id of its own")
    }
    if repeatsIDs {
      lines.append("rows with the same id: --duplicates first or last keeps one of each")
    }
    return lines
  }
}

extension OutputFile {
  /// Writes a rejected record as a line of JSON; its text is empty if it is too long.
  fileprivate func add(_ error: FeedError, _ text: [UInt8]) throws {
    var members = [JSONMember(name: "source", value: .string(error.source))] + error.members
    if !text.isEmpty { members.add("text", String(decoding: text, as: UTF8.self)) }
    try write(Array("\(JSONValue.object(members))\n".utf8))
  }
}

extension ProblemGroups {
  /// The problems for people: each kind once, up to 20.
  var lines: [String] {
    var lines = groups.prefix(20).map { group in
      terminalSafe(group.first.description)
        + (group.count > 1 ? " (and \(grouped(group.count - 1)) more like it)" : "")
    }
    let hidden = groups.dropFirst(20).reduce(otherCount) { $0 + $1.count }
    if hidden > 0 { lines.append("and \(grouped(hidden)) more records") }
    return lines
  }
}
