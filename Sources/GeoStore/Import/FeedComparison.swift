import GeoFeed
import GeoQuery

/// Holds a feed against what the store has, record by record, in the feed's order.
struct FeedComparison {
  /// Takes a record that was left out, with its own text where that is at hand.
  typealias Reject = (FeedError, [UInt8]) throws -> Void

  private(set) var report = ImportReport()

  /// Every id of the store and of the feed.
  private(set) var known: KnownRows

  /// The sources whose restaurants are new or changed.
  private(set) var changedSources: Set<ByteKey> = []

  /// The row numbers that the feed no longer lists; filled by `finish`.
  private(set) var removed: [Int64] = []

  /// The keys of records that were read and have changed nothing, with their rows.
  private(set) var learned: [(row: Int64, key: RecordKey)] = []

  private let name: String
  private let options: ImportOptions
  private let ownNumber: UInt32
  private let before: Int
  private var sources: SourceNumbers
  private var nextRow: Int64
  private var firstConflict: FeedError?
  private var hasAccepted = false

  /// - Parameters:
  ///   - name: What errors call the feed.
  ///   - source: The feed's own source.
  ///   - stored: What the store has.
  ///   - options: How to treat it.
  init(name: String, source: String, stored: consuming StoredRows, options: ImportOptions) {
    self.name = name
    self.options = options
    known = stored.known
    sources = stored.sources
    ownNumber = sources.number(of: source)
    nextRow = stored.lastRow + 1
    let own = ownNumber
    before = stored.count(ofOwner: own)
    report.generation = stored.generation
  }

  /// Lets go of the ids, when nobody asks for them any more.
  mutating func forgetRows() {
    known = KnownRows()
  }

  /// Whether any row changes.
  var changesRows: Bool { report.inserted + report.updated + report.removed > 0 }

  /// The feed's own source.
  var source: String { sources.names[Int(ownNumber)] }

  /// Takes the next records.
  ///
  /// - Parameters:
  ///   - batch: The records.
  ///   - sink: Gets the rows that are new or changed.
  ///   - reject: Called for each record left out.
  /// - Throws: `FeedError` for the first bad record where the import is strict; what `sink` and
  ///   `reject` throw.
  mutating func take(_ batch: RowBatch, into sink: inout some RowSink, reject: Reject) throws {
    let numbers = batch.sources.map { sources.number(of: $0) }
    var others = Others(rejected: batch.rejected[...], known: batch.known[...])
    report.add(warnings: batch.warnings)
    for (position, row) in batch.rows.enumerated() {
      try take(&others, upTo: position, reject)
      if let error = try take(row, of: batch, owner: numbers[row.source], into: &sink) {
        try leaveOut(error, batch.texts.isEmpty ? [] : batch.texts[position], reject)
      }
    }
    try take(&others, upTo: .max, reject)
  }

  /// What stands among the rows of a batch, and is not taken yet.
  private struct Others {
    var rejected: ArraySlice<RowBatch.Rejected>
    var known: ArraySlice<RowBatch.Known>
  }

  /// Takes what stands in front of a row, in the feed's order.
  private mutating func take(
    _ others: inout Others,
    upTo position: Int,
    _ reject: Reject
  ) throws {
    while true {
      let rejected = others.rejected.first.flatMap { $0.position <= position ? $0 : nil }
      let next = others.known.first.flatMap { $0.position <= position ? $0 : nil }
      if let next, next.place.record < rejected?.error.record ?? .max {
        others.known.removeFirst()
        if let error = take(next) { try leaveOut(error, [], reject) }
      } else if let rejected {
        others.rejected.removeFirst()
        try leaveOut(rejected.error, rejected.text, reject)
      } else {
        return
      }
    }
  }

  /// Takes a record that came before, or says why it is left out.
  private mutating func take(_ record: RowBatch.Known) -> FeedError? {
    let earlier = known[record.row].record
    guard earlier == 0 else {
      return record.place.error("its id was already given by record \(earlier)")
    }
    known[record.row].record = UInt32(clamping: record.place.record)
    hasAccepted = true
    report.read += 1
    report.unchanged += 1
    return nil
  }

  /// Ends the comparison: sees what the feed no longer lists, and whether it may be so.
  ///
  /// - Throws: `FeedError` where every record was left out; `StoreError` of kind `shrinks` where the
  ///   source would lose most of what it had.
  mutating func finish(path: String) throws {
    guard hasAccepted || report.rejectedCount == 0 else {
      // not a feed that has become empty: --allow-shrink is no answer to it
      throw FeedError(source: name, problem: "every record was rejected; nothing was changed")
    }
    guard !options.keepsMissing else { return }
    // records that name another source may refresh it, but only its own feed may remove from it
    for position in 0..<known.count {
      let entry = known[position]
      if entry.record == 0, entry.owner == ownNumber { removed.append(entry.row) }
    }
    removed.sort()
    report.removed = removed.count
    if !options.allowsShrinking { try checkSize(path) }
  }

  private mutating func leaveOut(_ error: FeedError, _ text: [UInt8], _ reject: Reject) throws {
    if options.isStrict { throw error }
    report.read += 1
    report.add(rejected: error)
    try reject(error, text)
  }

  /// Takes one restaurant, or says why it is left out.
  private mutating func take(
    _ row: RowBatch.Row,
    of batch: RowBatch,
    owner: UInt32,
    into sink: inout some RowSink
  ) throws -> FeedError? {
    let (position, isNew) = known.position(of: row.key)
    let entry = known[position]
    guard entry.record == 0 else {
      let id = shortened(batch.id(of: row))
      return row.place.error("id \"\(id)\" was already given by record \(entry.record)")
    }
    known[position].record = UInt32(clamping: row.place.record)
    hasAccepted = true
    if isNew {
      known[position].owner = owner
      known[position].row = nextRow
      nextRow += 1
      report.inserted += 1
    } else if entry.owner != owner {
      let error = conflict(row.place, batch.id(of: row), sources.names[Int(entry.owner)])
      firstConflict = firstConflict ?? error
      return error
    } else if entry.fingerprint == row.fingerprint {
      report.read += 1
      report.unchanged += 1
      if row.record != .none { learned.append((entry.row, row.record)) }
      return nil
    } else {
      report.updated += 1
    }
    report.read += 1
    known[position].fingerprint = row.fingerprint
    changedSources.insert(ByteKey(sources.names[Int(owner)]))
    try batch.bytes.withUnsafeBytes { all in
      let packed = UnsafeRawBufferPointer(rebasing: all[row.range])
      let change = RowChange(
        number: known[position].row,
        isNew: isNew,
        fingerprint: row.fingerprint,
        record: row.record
      )
      try sink.put(packed, of: change)
    }
    return nil
  }

  private func conflict(_ place: FeedPlace, _ id: String, _ owner: String) -> FeedError {
    let owner = shortened(owner, to: 200)
    let problem =
      "id \"\(shortened(id))\" belongs to the source \"\(owner)\"; "
      + "to refresh that one, import with --source \"\(owner)\""
    // a feed that was in memory has no lines to name
    if place.line == 0 {
      return FeedError(source: place.source, record: place.record, problem: problem)
    }
    return place.error(problem)
  }

  /// A feed that lost nearly everything is more likely broken than true.
  private func checkSize(_ path: String) throws {
    let taken = report.inserted + report.updated + report.unchanged
    let after = before - removed.count + report.inserted
    guard taken == 0 || (after * 10 <= before && !removed.isEmpty) else { return }
    let had = before == 0 ? "" : "; the source \"\(shortened(source))\" had \(before)"
    var problem =
      taken == 0
      ? "the feed has no restaurant"
      : "the feed has only \(after == 1 ? "1 restaurant" : "\(after) restaurants")"
    problem += had + "; nothing was changed (to take it all the same: --allow-shrink)"
    if taken == 0, let firstConflict {
      problem = "nothing of the feed can be taken: \(firstConflict.problem)"
    }
    throw StoreError(.shrinks, path: path, problem)
  }
}

/// What is kept of a row besides its values.
struct RowChange {
  /// The number under which it is written.
  let number: Int64
  var isNew = false
  /// The hash of its values.
  var fingerprint: UInt64 = 0
  /// The key of the record that it came of.
  var record = RecordKey.none
}

/// Where new and changed rows go.
protocol RowSink {
  /// Takes the values of a row, packed.
  mutating func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) throws
}

/// Takes rows that nobody wants written.
struct NoSink: RowSink {
  func put(_ packed: UnsafeRawBufferPointer, of row: RowChange) {}
}
