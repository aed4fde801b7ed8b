import GeoFeed

/// The feeds of one command in the order of their import: chains first, because the others refer to
/// them; then restaurants; then offers.
///
/// Feeds are opened to find out what they contain. A file is closed again until its turn; an
/// address and standard input stay open. A named pipe is only opened at its turn, because its
/// writer may wait until another pipe is read; standard input then waits too. Both count as feeds of
/// restaurants.
struct ImportOrder {
  /// One of the feeds.
  struct Feed {
    /// Its name on the command line.
    let name: String
    /// The opened feed or the error; nil if it is opened at its turn.
    let opened: Result<ImportRun.Opened?, any Error>?
  }

  /// The feeds, in order; feeds of one kind in the order of the command line.
  let feeds: [Feed]

  init(_ names: [String], _ run: (String) -> ImportRun) {
    guard names.count > 1 else {
      feeds = names.map { Feed(name: $0, opened: nil) }
      return
    }
    let hasPipe = names.contains { run($0).kind == .pipe }
    var ranked: [(rank: Int, feed: Feed)] = []
    for name in names {
      let feed = run(name)
      if feed.kind == .pipe || feed.kind == .standardInput && hasPipe {
        ranked.append((1, Feed(name: name, opened: nil)))
        continue
      }
      let opened = Result { try feed.open() }
      let rank = Self.rank(of: try? opened.get()?.stream.format.content)
      ranked.append((rank, Feed(name: name, opened: feed.kind == .file ? nil : opened)))
    }
    feeds = (0...2).flatMap { rank in ranked.filter { $0.rank == rank }.map(\.feed) }
  }

  /// A feed that cannot be opened, or has not changed, counts as one of restaurants.
  private static func rank(of content: FeedContent?) -> Int {
    switch content {
    case .chains: 0
    case .restaurants, nil: 1
    case .offers: 2
    }
  }
}
