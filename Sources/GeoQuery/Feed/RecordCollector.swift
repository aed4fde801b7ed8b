/// Turns record texts into restaurants one by one, and keeps account of those that are none.
struct RecordCollector {
  private(set) var feed: Feed

  private let reader: FeedReader
  private let isOwn: Bool
  private let bytes: [UInt8]
  private var lines: LineCounter
  private var positions: [ByteKey: Int] = [:]
  private var number = 0

  init(reader: FeedReader, layout: FeedLayout, bytes: [UInt8]) {
    self.reader = reader
    self.bytes = bytes
    isOwn = layout.isOwn
    lines = LineCounter(bytes)
    feed = Feed(source: reader.source, name: reader.name, format: layout.format)
  }

  /// Reads one record; what is wrong with it is noted and costs no other.
  mutating func add(_ record: FeedLayout.Record) {
    let range = record.range
    number += 1
    do {
      if let fault = record.fault { throw fault }
      let reading = try read(range)
      let key = ByteKey(reading.restaurant.id)
      if let first = positions[key] {
        throw FeedProblem(
          "id \"\(shortened(reading.restaurant.id))\" was already given by record \(first)"
        )
      }
      positions[key] = number
      feed.restaurants.append(reading.restaurant)
      feed.recordNumbers.append(number)
      for warning in reading.warnings { feed.warnings.append(error(warning, at: range.lowerBound)) }
    } catch let problem as FeedProblem {
      feed.rejected.append(error(problem.text, at: range.lowerBound))
    } catch let syntax as JSONSyntaxError {
      feed.rejected.append(error(syntax.problem, at: syntax.offset))
    } catch {
      feed.rejected.append(self.error("\(error)", at: range.lowerBound))
    }
  }

  private func read(_ range: Range<Int>) throws -> RecordReading {
    guard range.count <= FeedReader.maximumRecordBytes else {
      throw FeedProblem(
        "the record has \(range.count) bytes; at most \(FeedReader.maximumRecordBytes) are read"
      )
    }
    var scanner = JSONScanner(bytes, range: range)
    let value = try scanner.readValue()
    var reading =
      switch feed.format {
      case .bottlerocket: try BottleRocketRecord.read(value, source: reader.source)
      case .geojson, .geojsonseq:
        try GeoJSONRecord.read(value, source: reader.source, isOwn: isOwn)
      }
    if range.count > FeedReader.maximumRecordBytes / 2 { try checkExport(of: reading.restaurant) }
    if reader.overridesSource { reading.restaurant.source = reader.source }
    return reading
  }

  /// A record that is long as it is may be longer as GeoJSON; it must still be readable then.
  private func checkExport(of restaurant: Restaurant) throws(FeedProblem) {
    var json = JSONText()
    json.feature(Match(restaurant: restaurant), with: GeoJSONRecord.mark)
    guard json.bytes.count <= FeedReader.maximumRecordBytes else {
      throw FeedProblem(
        "the record is longer than \(FeedReader.maximumRecordBytes >> 20) MiB as GeoJSON"
      )
    }
  }

  private mutating func error(_ problem: String, at offset: Int) -> FeedError {
    FeedError(
      source: reader.name,
      record: number,
      line: lines.line(at: offset),
      byte: offset,
      problem: problem
    )
  }
}
