import GeoQuery

/// Finds the records of a feed, depending on where they are.
enum RecordSplitter {
  case document(DocumentWalker)
  case sequence(SequenceSplitter)
  case table(TableReader)

  /// The next record, or nil after the last.
  ///
  /// - Parameters:
  ///   - window: The feed.
  ///   - recognition: Recognizes records with unchanged bytes, which are not parsed again; nil
  ///     parses all.
  /// - Returns: Its text, with its contents.
  /// - Throws: `FeedFault` if the feed as a whole is bad; errors of its source.
  mutating func next(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText? {
    switch self {
    case .document(var walker):
      // replaced first, so that the walker is changed in place and not copied
      self = .sequence(SequenceSplitter(usesSeparators: false))
      defer { self = .document(walker) }
      return try walker.next(in: &window, recognition)
    case .sequence(var splitter): return try splitter.next(in: &window, recognition)
    case .table(let reader): return try reader.next(in: &window)
    }
  }

  /// Whether the meaning of a record depends on its text alone: a row also depends on the header,
  /// and a retailer's store on a list.
  func readsText(_ format: FeedFormat) -> Bool {
    if case .table = self { return false }
    // a record in an object has its name there as its id
    if case .document(let walker) = self, walker.path.last == .members { return false }
    return format != .retailerStores
  }

  /// Checks the members next to the records, at the end of the feed.
  ///
  /// - Parameters:
  ///   - format: The format of the records.
  ///   - count: The number of records read.
  ///   - allowsPart: Whether the feed may be a part of the records.
  /// - Throws: `FeedFault` if the feed says that it is incomplete, or not in degrees.
  func checkEnd(of format: FeedFormat, _ count: Int, allowsPart: Bool) throws(FeedFault) {
    guard case .document(let walker) = self else { return }
    let root = JSONFields(.object(walker.rootMembers))
    if let problem = Self.refusal(format, root) { throw FeedFault(problem) }
    if !allowsPart, let problem = Self.missingPart(root, count) { throw FeedFault(problem) }
    if format == .retailers, walker.hasMember("stores") {
      throw FeedFault(
        "the stores of this feed come too far after its retailers; import them as two feeds"
      )
    }
    guard let system = root.value("crs") else { return }
    let name = JSONFields(system).find(["properties", "name"])?.value.asText
    if let fault = FeedDetection.referenceSystemFault(name ?? "that its crs describes") {
      throw FeedFault(fault)
    }
  }

  /// The link to the next page of an answer of an OGC API; nil if there is none.
  var nextPage: String? {
    guard case .document(let walker) = self else { return nil }
    return Self.link(JSONFields(.object(walker.rootMembers)))
  }

  private static func link(_ root: JSONFields) -> String? {
    guard case .array(let links)? = root.value("links") else { return nil }
    let pages = links.map { JSONFields($0) }.filter { $0.value("rel") == .string("next") }
    return pages.first?.value("href")?.asText
  }

  /// What a page of an answer says of the records that it does not have; nil if it is the whole.
  ///
  /// A total by itself may count anything; it tells of more records only next to a page or an
  /// offset.
  private static func missingPart(_ root: JSONFields, _ count: Int) -> String? {
    func number(_ names: [String]) -> Int? {
      names.lazy.compactMap { root.value($0)?.asText.flatMap { Int($0) } }.first
    }
    var next = link(root)
    for name in nextNames where next == nil {
      guard case .string(let text)? = root.value(name), !text.isEmpty else { continue }
      next = text
    }
    let isPage = pageNames.contains { root.value($0) != nil }
    let all = number(["numberMatched", "totalFeatures"] + (isPage ? totalNames : []))
    let isCut = [[], ["properties"]].contains {
      root.find($0 + ["exceededTransferLimit"])?.value == .bool(true)
    }
    guard next != nil || isCut || all.map({ $0 > count }) == true else { return nil }
    let address = next.flatMap {
      $0.contains("://") ? "; next page: \(shortened($0, to: 300))" : nil
    }
    return "the feed says that it is a part, \(count) of \(all.map(String.init) ?? "more") records"
      + (address ?? "") + "; import all of it, or use --keep-missing to remove nothing, or "
      + "--allow-partial to take it as the whole"
  }

  private static let nextNames = [
    "next", "nextPageToken", "next_page_token", "next_page", "nextLink", "@odata.nextLink",
    "nextCursor", "next_cursor",
  ]
  private static let pageNames = [
    "page", "offset", "limit", "per_page", "perPage", "pageSize", "page_size", "results_start",
    "results_shown", "start", "skip",
  ]
  private static let totalNames = ["total", "total_count", "totalCount", "results_found"]

  /// The message of a service next to the records, or instead of them, if its answer is incomplete.
  private static func refusal(_ format: FeedFormat, _ root: JSONFields) -> String? {
    switch format {
    case .overpass:
      return root.value("remark")?.asText.map {
        "Overpass did not finish: \(shortened($0, to: 200)); ask it for less, or give it time"
      }
    case .googleLegacy:
      guard let status = root.value("status")?.asText,
        ![UTF8Key("OK"), "ZERO_RESULTS"].contains(UTF8Key(status))
      else { return nil }
      let message = root.value("error_message")?.asText.map { " (\(shortened($0, to: 200)))" } ?? ""
      return "Google did not answer: \(shortened(status))\(message); ask it again"
    default: return nil
    }
  }
}

/// The text of one record, before its meaning is known.
struct RecordText {
  /// The contents of the text.
  enum Content {
    /// A value to read.
    case value(JSONValue)
    /// The text of a record with unchanged bytes, by the position of its row in the store.
    case known(Int)
    /// Invalid text that affects only this record, at an offset in the feed.
    case broken(JSONSyntaxError)
    /// A text that is too long.
    case tooLong
  }

  let content: Content

  /// The range of the text in the feed.
  let range: Range<Int>

  /// The line of its start, if its first byte is no longer buffered.
  var line: Int?

  /// A warning about its text.
  var warning: String?
}

extension RecordText {
  /// The record with the name under which it is in an object, unless it has an id of its own.
  func withID(_ id: String) -> RecordText {
    guard case .value(.object(let members)) = content,
      !members.contains(where: { FieldAliases.isID($0.name) })
    else { return self }
    let value = JSONValue.object([JSONMember(name: "id", value: .string(id))] + members)
    return RecordText(content: .value(value), range: range, line: line, warning: warning)
  }
}
