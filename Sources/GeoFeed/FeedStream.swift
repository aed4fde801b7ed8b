package import GeoQuery

/// The records of a feed, read one at a time, in memory that does not grow with the feed.
///
/// A bad record is a rejected entry and does not affect others. An error of the feed as a whole (it
/// is truncated, continues after its end, or is not UTF-8) is thrown where it is found, after
/// accepted entries: the consumer must be able to undo these.
///
/// ```swift
/// var stream = try FeedReader(source: "lunch").stream(MemoryBytes(bytes))
/// while let entry = try stream.next() {
///   if case .accepted(let record) = entry { print(record.restaurant.name) }
/// }
/// ```
public struct FeedStream {
  /// The format of the records.
  public let format: FeedFormat

  /// The source of records that name none.
  public let source: String

  /// The name of the feed in errors.
  public let name: String

  /// The number of records read, accepted or not.
  public private(set) var recordCount = 0

  /// The number of bytes of text read, after decompression.
  public var byteCount: Int { window.offset }

  private var window: FeedWindow
  private var splitter: RecordSplitter
  private var reader: RecordReader
  private let overridesSource: Bool
  private let recordLimit: Int
  private let manner: [String]?
  private var recognition: RecordRecognition?
  private var lastRange = 0..<0
  private var namesSource = false

  init(_ bytes: any ByteSource, options: FeedReader) throws {
    var window = FeedWindow(bytes)
    do {
      let opening = try FeedDetection(&window, options: options)
      if let problem = options.columns.problem(for: opening.format) { throw FeedFault(problem) }
      format = opening.format
      splitter = opening.splitter
      reader = RecordReader(
        format: opening.format,
        source: options.source,
        isOwn: opening.isOwn,
        synonyms: MemberSynonyms(opening.columns),
        retailers: RetailerList(opening.retailers),
        ratingScale: options.ratingScale,
        allowsNullIsland: options.allowsNullIsland,
        columns: opening.cellNames
      )
    } catch let fault as FeedFault {
      throw window.error(of: fault, name: options.name)
    }
    manner =
      splitter.readsText(format) && reader.columns == nil
      ? options.manner + [format.rawValue, "\(reader.isOwn)"] : nil
    source = options.source
    name = options.name
    overridesSource = options.overridesSource
    recordLimit = options.recordLimit ?? .max
    self.window = window
  }

  /// The next record, or nil after the last.
  ///
  /// - Throws: `FeedError` if the feed as a whole is bad; the error of its source if reading fails.
  public mutating func next() throws -> FeedEntry? {
    guard case .read(let entry, _)? = try nextOfImport() else { return nil }
    return entry
  }

  /// Whether its records name chains that are not in the feed.
  package var needsChains: Bool { format == .retailerStores && reader.retailers.isEmpty }

  /// Adds to stores the chains that they name.
  package mutating func join(_ chains: [Chain]) {
    reader.retailers.add(chains)
  }

  /// The next offer or chain, or nil after the last.
  ///
  /// - Throws: `FeedError` as `next` does.
  package mutating func nextOffer() throws -> OfferEntry? {
    guard let text = try nextText(nil) else { return nil }
    let place = place(of: text)
    switch value(of: text, at: place) {
    case .failure(let error): return .rejected(error)
    case .success(let value):
      do throws(FeedProblem) {
        return format == .retailers
          ? .chain(try ChainRecord.read(value, source: source), place)
          : .offer(try OfferRecord.read(value, source: source), place)
      } catch {
        return .rejected(place.error(error.text))
      }
    }
  }

  /// The text of the next record, or nil after the last.
  private mutating func nextText(_ recognition: RecordRecognition?) throws -> RecordText? {
    guard recordCount < recordLimit else { return nil }
    do {
      guard let text = try splitter.next(in: &window, recognition) else {
        try splitter.checkEnd(of: format, at: window.offset)
        return nil
      }
      recordCount += 1
      lastRange = text.range
      return text
    } catch let fault as FeedFault {
      throw window.error(of: fault, name: name)
    }
  }

  /// From now on recognizes records with unchanged bytes, if the format allows it.
  package mutating func recognize(_ known: KnownRecords?, key: SipHash.Key) {
    recognition = manner.map { RecordRecognition(known, key: key, manner: $0) }
  }

  /// The next record, which may be a known one, or nil after the last.
  package mutating func nextOfImport() throws -> ImportEntry? {
    guard format.content == .restaurants else {
      throw FeedError(
        source: name,
        problem: "this is a feed of \(format.content.rawValue), not of restaurants"
      )
    }
    guard let text = try nextText(recognition) else { return nil }
    if case .known(let position) = text.content { return .known(position, place(of: text)) }
    let entry = entry(of: text)
    return .read(entry, key(of: entry))
  }

  /// The last record's key.
  ///
  /// `nil` if the record produced warnings, which must be repeated, or if its source depends on
  /// more than its text.
  private func key(of entry: FeedEntry) -> RecordKey {
    guard let recognition, case .accepted(let record) = entry, record.warnings.isEmpty,
      !namesSource,
      lastRange.lowerBound >= window.base
    else { return .none }
    let start = lastRange.lowerBound - window.base
    return window.bytes.withUnsafeBytes { bytes in
      recognition.key(of: .init(rebasing: bytes[start..<start + lastRange.count]))
    }
  }

  /// The bytes of the record that `next` returned last; empty if it was too long.
  public var recordText: [UInt8] {
    guard lastRange.lowerBound >= window.base else { return [] }
    return Array(
      window.bytes[lastRange.lowerBound - window.base..<lastRange.upperBound - window.base]
    )
  }

  private mutating func place(of text: RecordText) -> FeedPlace {
    let start = text.range.lowerBound
    return FeedPlace(
      source: name,
      record: recordCount,
      line: text.line ?? window.line(at: start),
      byte: start
    )
  }

  private mutating func entry(of text: RecordText) -> FeedEntry {
    let place = place(of: text)
    switch value(of: text, at: place) {
    case .failure(let error): return .rejected(error)
    case .success(let value):
      do throws(FeedProblem) {
        return .accepted(try record(value, at: place, count: text.range.count))
      } catch {
        return .rejected(place.error(error.text))
      }
    }
  }

  /// The value of a record, or the error of its text.
  private mutating func value(
    of text: RecordText,
    at place: FeedPlace
  ) -> Result<JSONValue, FeedError> {
    switch text.content {
    case .known: preconditionFailure("A known record is not read again.")
    case .broken(let error):
      let line = error.offset >= window.base ? window.line(at: error.offset) : place.line
      return .failure(
        FeedError(
          source: name,
          record: recordCount,
          line: line,
          byte: error.offset,
          problem: error.problem
        )
      )
    case .tooLong:
      return .failure(
        place.error(
          "the record has \(text.range.count) bytes; "
            + "the limit is \(FeedReader.maximumRecordBytes)"
        )
      )
    case .value(let value): return .success(value)
    }
  }

  private mutating func record(
    _ value: JSONValue,
    at place: FeedPlace,
    count: Int
  ) throws(FeedProblem) -> FeedRecord {
    var reading = try reader.read(value)
    if count > FeedReader.maximumRecordBytes / 2 { try reading.restaurant.checkExport() }
    namesSource = !reading.restaurant.source.utf8.elementsEqual(source.utf8)
    if overridesSource, namesSource {
      // the record's id was scoped by another source; here it is the feed's own
      (reading.restaurant.source, reading.restaurant.sourceID) = (source, nil)
    }
    return FeedRecord(
      restaurant: reading.restaurant,
      place: place,
      warnings: reading.warnings.map(place.error)
    )
  }
}

extension FeedWindow {
  /// An error with the name of its feed and its line.
  mutating func error(of fault: FeedFault, name: String) -> FeedError {
    guard let offset = fault.offset else {
      return FeedError(source: name, problem: fault.sentence(name: name))
    }
    let isHeld = offset >= base
    return FeedError(
      source: name,
      line: fault.line ?? (isHeld ? line(at: offset) : nil),
      byte: offset,
      problem: fault.sentence(name: name)
    )
  }
}

extension Restaurant {
  /// Checks that the record, which is longer as GeoJSON, would still be readable from an export.
  fileprivate func checkExport() throws(FeedProblem) {
    var json = JSONText()
    json.feature(Match(restaurant: self), with: GeoJSONRecord.mark)
    guard json.bytes.count <= FeedReader.maximumRecordBytes else {
      throw FeedProblem(
        "the record is longer than \(FeedReader.maximumRecordBytes >> 20) MiB as GeoJSON"
      )
    }
  }
}
