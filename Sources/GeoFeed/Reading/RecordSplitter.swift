import GeoQuery

/// What finds the records of a feed, by the way they stand in it.
enum RecordSplitter {
  case document(DocumentWalker)
  case sequence(SequenceSplitter)
  case table(TableReader)

  /// The next record, or nil after the last.
  ///
  /// - Parameters:
  ///   - window: The feed.
  ///   - recognition: Tells records that came before, which are not read again; nil reads all.
  /// - Returns: Its text, and what that holds.
  /// - Throws: `FeedFault` where the feed as a whole is at fault; what its source throws.
  mutating func next(
    in window: inout FeedWindow,
    _ recognition: RecordRecognition? = nil
  ) throws -> RecordText? {
    switch self {
    case .document(var walker):
      // set aside, so that the walker is changed in place and not copied
      self = .sequence(SequenceSplitter(usesSeparators: false))
      defer { self = .document(walker) }
      return try walker.next(in: &window, recognition)
    case .sequence(var splitter): return try splitter.next(in: &window, recognition)
    case .table(let reader): return try reader.next(in: &window)
    }
  }

  /// Whether a record's text decides what comes of it: a row's meaning is in the header as well, and a
  /// retailer's store refers to a list.
  func readsText(_ format: FeedFormat) -> Bool {
    if case .table = self { return false }
    return format != .retailerStores
  }

  /// Looks at what stood beside the records, now that all of it is known.
  ///
  /// - Throws: `FeedFault` where the feed says that it is not whole, or not in degrees.
  func checkEnd(of format: FeedFormat, at offset: Int) throws(FeedFault) {
    guard case .document(let walker) = self else { return }
    let root = MemberBag(.object(walker.rootMembers))
    if let problem = Self.refusal(format, root) { throw FeedFault(problem) }
    if format == .retailers, walker.hasMember("stores") {
      throw FeedFault(
        "the stores of this feed stand too far behind its retailers; import them as two feeds"
      )
    }
    guard let system = root.value("crs") else { return }
    let name = MemberBag(system).find(["properties", "name"])?.value.asText
    if let fault = FeedOpening.referenceSystemFault(name ?? "that its crs describes") {
      throw FeedFault(fault)
    }
  }

  /// What a service says beside the records, or beside none, where it did not answer in full.
  private static func refusal(_ format: FeedFormat, _ root: MemberBag) -> String? {
    switch format {
    case .overpass:
      return root.value("remark")?.asText.map {
        "Overpass did not finish: \(shortened($0, to: 200)); ask it for less, or give it time"
      }
    case .googleLegacy:
      guard let status = root.value("status")?.asText,
        ![ByteKey("OK"), "ZERO_RESULTS"].contains(ByteKey(status))
      else { return nil }
      let message = root.value("error_message")?.asText.map { " (\(shortened($0, to: 200)))" } ?? ""
      return "Google did not answer: \(shortened(status))\(message); ask it again"
    default: return nil
    }
  }
}
