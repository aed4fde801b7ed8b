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
    if format == .overpass, let remark = root.value("remark")?.asText {
      throw FeedFault(
        "Overpass did not finish: \(shortened(remark, to: 200)); ask it for less, or give it time"
      )
    }
    guard let system = root.value("crs") else { return }
    let name = MemberBag(system).find(["properties", "name"])?.value.asText
    if let fault = FeedOpening.referenceSystemFault(name ?? "that its crs describes") {
      throw FeedFault(fault)
    }
  }
}
