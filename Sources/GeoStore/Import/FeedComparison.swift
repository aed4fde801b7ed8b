import GeoFeed
import GeoIndex
import GeoQuery

/// Compares a feed with the contents of the store, record by record, in the feed's order.
struct FeedComparison {
  /// Receives a rejected record, with its text if that is buffered.
  typealias Reject = (FeedError, [UInt8]) throws -> Void

  private(set) var report = ImportReport()

  /// The sources whose restaurants are new or changed.
  private(set) var changedSources: Set<UTF8Key> = []

  /// The row numbers that the feed no longer lists; filled by `finish`.
  private(set) var removed: [Int64] = []

  /// The keys of records that were read and changed nothing, with their rows.
  private(set) var learned: [(row: Int64, key: RecordKey)] = []

  /// Rows that an earlier record of the feed would have changed, but the last one does not.
  private(set) var restored: Set<Int64> = []

  private var known: KnownRows
  private let name: String
  private let options: ImportOptions
  private let ownNumber: UInt32
  private let lastRow: Int64
  private var sources: SourceNumbers
  private var nextRow: Int64
  private var hasAccepted = false
  private var publicIDs: PublicIDs
  private var doubts: FeedDoubts
  // the stored fingerprints of changed rows, by position; kept if a later record may change them again
  private var originals: [Int: UInt64] = [:]
  private let key: SipHash.Key
  private let readFacts: StoredFacts.Read
  // the stored values of rows that the batch changes, by position
  private var facts: [Int: StoredFacts] = [:]
  // the positions of records with derived ids, by position of the row; 0 if unknown
  private var places: [UInt64] = []
  // records whose derived id belongs to a stored row at another position: until the feed ends, it may
  // have moved, or be another branch of a chain
  private var deferred: [RowBatch] = []
  private static let maximumDeferred = 50_000

  init(
    _ request: ImportRequest,
    of entries: some FeedEntries,
    with stored: consuming StoredRows,
    key: SipHash.Key,
    readFacts: @escaping StoredFacts.Read
  ) {
    name = entries.name
    options = request.options
    self.key = key
    self.readFacts = readFacts
    known = stored.known
    sources = stored.sources
    ownNumber = sources.number(of: entries.source)
    lastRow = stored.lastRow
    nextRow = stored.lastRow + 1
    publicIDs = PublicIDs(scoped: stored.scopedIDs, key: key)
    doubts = FeedDoubts(
      path: request.store,
      content: .restaurants,
      ownNumber: ownNumber,
      before: stored.count(ofOwner: ownNumber),
      storedCount: stored.known.count
    )
    report.generation = stored.generation
  }

  /// Frees the memory of the rows, after the comparison.
  mutating func forgetRows() {
    known = KnownRows()
    publicIDs = PublicIDs(scoped: [:], key: .init(low: 0, high: 0))
    (originals, facts, places, deferred) = ([:], [:], [], [])
  }

  /// Whether any row changes.
  var changesRows: Bool { report.inserted + report.updated + report.removed > 0 }

  /// The feed's own source.
  var source: String { sources.names[Int(ownNumber)] }

  /// Compares the next records.
  ///
  /// - Throws: `FeedError` for the first bad record if the import is strict; errors of `sink` and
  ///   `reject`.
  mutating func take(_ batch: RowBatch, into sink: inout some RowSink, reject: Reject) throws {
    let numbers = batch.sources.map { sources.number(of: $0) }
    facts = [:]
    try readFacts(of: batch, numbers)
    report.add(warnings: batch.warnings)
    report.pageCount = batch.pageCount
    for entry in batch.entries {
      switch entry {
      case .known(let row, let place):
        if let error = take(knownRow: row, at: place) { try leaveOut(error, [], reject) }
      case .rejected(let position):
        let (error, text) = batch.rejected[position]
        try leaveOut(error, text, reject)
      case .row(let position):
        let (row, text) = (batch.rows[position], batch.texts.isEmpty ? [] : batch.texts[position])
        let error =
          row.derivesID
          ? try takeDerived(row, of: batch, owner: numbers[row.source], text, into: &sink)
          : try take(row, of: batch, owner: numbers[row.source], into: &sink)
        if let error { try leaveOut(error, text, reject) }
      }
    }
  }

  /// Handles the records that waited for the end of the feed.
  ///
  /// - Throws: As `take`.
  mutating func settle(into sink: inout some RowSink, reject: Reject) throws {
    let waiting = deferred
    deferred = []
    for batch in waiting {
      let numbers = batch.sources.map { sources.number(of: $0) }
      facts = [:]
      try readFacts(of: batch, numbers)
      for (row, text) in zip(batch.rows, batch.texts) {
        let owner = numbers[row.source]
        let error = try takeDerived(row, of: batch, owner: owner, text, into: &sink, isEnd: true)
        if let error { try leaveOut(error, text, reject) }
      }
    }
  }

  /// Reads the stored values of the rows that a batch changes.
  private mutating func readFacts(of batch: RowBatch, _ owners: [UInt32]) throws {
    var wanted: [(position: Int, row: Int64)] = []
    for row in batch.rows {
      guard let position = known.find(row.key.scoped(to: sources.keys[Int(owners[row.source])])),
        known[position].row <= lastRow, known[position].fingerprint != row.fingerprint
      else { continue }
      wanted.append((position, known[position].row))
    }
    guard !wanted.isEmpty else { return }
    for (entry, found) in zip(wanted, try readFacts(wanted)) { facts[entry.position] = found }
  }

  /// Handles a restaurant whose id is derived from its name and address, which a branch of the same
  /// chain may have as well.
  ///
  /// It has the id alone, or with a suffix from its position, and keeps the one that it was given.
  ///
  /// - Returns: An error if it is rejected.
  private mutating func takeDerived(
    _ row: RowBatch.Row,
    of batch: RowBatch,
    owner: UInt32,
    _ text: [UInt8],
    into sink: inout some RowSink,
    isEnd: Bool = false
  ) throws -> FeedError? {
    let place = batch.withBytes(of: row, PackedRecord.coordinate)
    guard let place else { return try take(row, of: batch, owner: owner, into: &sink) }
    let number = placeNumber(of: place)
    let sourceKey = sources.keys[Int(owner)]
    let position = known.find(row.key.scoped(to: sourceKey))
    let isMatched = position.map { known[$0].record != 0 } ?? false
    let isUnchanged = position.map { known[$0].fingerprint == row.fingerprint } ?? false
    let other = position.map { placeOfRow(at: $0) }
    if isUnchanged || isMatched && other == number || position == nil && lastRow == 0 {
      return try take(row, of: batch, owner: owner, into: &sink, place: number)
    }
    let id = batch.id(of: row)
    let branch = branchID(of: id, at: place)
    let branchKey = IDKey(branch, key: key).scoped(to: sourceKey)
    if isMatched || known.find(branchKey) != nil {
      let batch = batch.extract(row, id: branch, text: text, key: key)
      try readFacts(of: batch, [owner])
      return try take(batch.rows[0], of: batch, owner: owner, into: &sink, place: number)
    }
    if position == nil || other == number || isEnd || deferred.count >= Self.maximumDeferred {
      return try take(row, of: batch, owner: owner, into: &sink, place: number)
    }
    deferred.append(batch.extract(row, id: id, text: text, key: key))
    return nil
  }

  /// The number of the position of a restaurant with a derived id; 0 if it is unknown.
  private func placeOfRow(at position: Int) -> UInt64 {
    if position < places.count, places[position] != 0 { return places[position] }
    return facts[position]?.place.map(placeNumber) ?? 0
  }

  private mutating func note(_ place: UInt64, at position: Int) {
    if position >= places.count {
      places += repeatElement(0, count: position - places.count + 1)
    }
    places[position] = place
  }

  /// Handles a record with unchanged bytes; returns an error if it is rejected.
  private mutating func take(knownRow row: Int, at place: FeedPlace) -> FeedError? {
    let earlier = known[row].record
    report.read += 1
    guard earlier == 0 else {
      switch options.duplicates {
      case .reject:
        report.read -= 1
        return place.error("its id is the same as in record \(earlier)")
      case .first: report.repeated += 1
      case .last:
        report.repeated += 1
        if let original = originals[row] { restore(row, original) }
      }
      return nil
    }
    known[row].record = UInt32(clamping: place.record)
    hasAccepted = true
    report.unchanged += 1
    return nil
  }

  /// Ends the comparison: finds what the feed no longer lists, and checks whether that is
  /// plausible.
  ///
  /// - Throws: `FeedError` if all records or too many were rejected; `StoreError` of kind
  ///   `shrinks`, `replaces` or `duplicates` if the feed is probably a mistake.
  mutating func finish() throws {
    guard hasAccepted || report.rejectedCount == 0 else {
      // not an error about an empty feed: --allow-shrink would not help
      throw FeedError(source: name, problem: "every record was rejected; nothing was changed")
    }
    if let problem = options.rejectLimit?.problem(report) {
      throw FeedError(source: name, problem: problem)
    }
    report.sharedIDs = publicIDs.shared
      .map { ImportReport.SharedIDs(source: sources.names[Int($0.key)], count: $0.value) }
      .sorted { ($1.count, UTF8Key($0.source)) < ($0.count, UTF8Key($1.source)) }
    if !options.keepsMissing {
      // records that name another source may update it, but only its own feed may remove from it
      for position in 0..<known.count {
        let entry = known[position]
        if entry.record == 0, entry.owner == ownNumber { removed.append(entry.row) }
      }
      removed.sort()
      report.removed = removed.count
    }
    try doubts.check(report, options, sources: sources.names)
  }

  private mutating func leaveOut(_ error: FeedError, _ text: [UInt8], _ reject: Reject) throws {
    if options.isStrict { throw error }
    report.read += 1
    report.add(rejected: error)
    try reject(error, text)
  }

  /// Handles one restaurant; returns an error if it is rejected.
  private mutating func take(
    _ row: RowBatch.Row,
    of batch: RowBatch,
    owner: UInt32,
    into sink: inout some RowSink,
    place: UInt64 = 0
  ) throws -> FeedError? {
    let (position, isNew) = known.position(of: row.key.scoped(to: sources.keys[Int(owner)]))
    let earlier = known[position].record
    guard earlier == 0 || options.duplicates == .last else {
      guard options.duplicates == .first else {
        return row.place.repetition(
          of: batch.id(of: row),
          in: Int(earlier),
          isDerived: row.derivesID
        )
      }
      report.read += 1
      report.repeated += 1
      return nil
    }
    known[position].record = UInt32(clamping: row.place.record)
    if place != 0 { note(place, at: position) }
    hasAccepted = true
    report.read += 1
    let fingerprint = sources.bound(row.fingerprint, to: owner)
    var change = RowChange(number: 0, fingerprint: fingerprint, record: row.record)
    var publicID: String?
    if isNew {
      (known[position].owner, known[position].row) = (owner, nextRow)
      nextRow += 1
      report.inserted += 1
      change.isNew = true
      publicID = publicIDs.decide(
        .init(position: position, owner: owner, ownKey: row.key, given: row.publicID),
        ownID: batch.id(of: row),
        known: known,
        sources: sources
      )
      doubts.noteNew(owner: owner, fingerprint: row.fingerprint, known: known)
    } else if earlier != 0 {
      guard changesAgain(position, row.fingerprint) else { return nil }
    } else if known[position].fingerprint == row.fingerprint {
      report.unchanged += 1
      if row.record != .none, options.duplicates != .last {
        learned.append((known[position].row, row.record))
      }
      return nil
    } else {
      report.updated += 1
      if owner == ownNumber, let old = facts[position] {
        batch.withBytes(of: row) {
          doubts.noteChange(
            of: old,
            to: PackedRecord.coordinate(of: $0),
            columns: PackedRecord.columns(of: $0)
          )
        }
      }
      if options.duplicates == .last { originals[position] = known[position].fingerprint }
    }
    known[position].fingerprint = row.fingerprint
    changedSources.insert(UTF8Key(sources.names[Int(owner)]))
    change.number = known[position].row
    try batch.bytes.withUnsafeBytes { all in
      let packed = UnsafeRawBufferPointer(rebasing: all[row.range])
      guard let publicID else { return try sink.put(packed, of: change) }
      var scoped: [UInt8] = []
      PackedRecord.append(packed, publicID: publicID, to: &scoped)
      try scoped.withUnsafeBytes { try sink.put($0, of: change) }
    }
    return nil
  }

  /// Handles a record that replaces an earlier one with its id.
  ///
  /// - Returns: Whether the row must be written again.
  private mutating func changesAgain(_ position: Int, _ fingerprint: UInt64) -> Bool {
    report.repeated += 1
    guard known[position].fingerprint != fingerprint else { return false }
    // a row that this feed has added has no older state
    guard known[position].row <= lastRow else { return true }
    if originals[position] == fingerprint {
      restore(position, fingerprint)
      return false
    }
    if originals[position] == nil {
      originals[position] = known[position].fingerprint
      report.unchanged -= 1
      report.updated += 1
    }
    restored.remove(known[position].row)
    return true
  }

  /// Records that a row is the same as in the store after all.
  private mutating func restore(_ position: Int, _ original: UInt64) {
    known[position].fingerprint = original
    originals[position] = nil
    restored.insert(known[position].row)
    report.updated -= 1
    report.unchanged += 1
  }
}
