import GeoFeed
import GeoStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where a feed comes from, and under which source its records are kept.
struct FeedInput {
  private let name: String
  private let isAddress: Bool

  /// Whether the source is named by an address that may hold a key.
  var hasQuery: Bool { isAddress && sourceName == name && name.contains("?") }

  /// What errors call the feed.
  var shownName: String { name == "-" ? "standard input" : name }

  /// The address, or the path.
  var address: String { name }

  /// What feeds are read from.
  enum Kind {
    case file, pipe, standardInput, address
  }

  /// What the feed is read from; a file that is missing counts as one.
  var kind: Kind {
    if name == "-" { return .standardInput }
    if isAddress { return .address }
    var facts = stat()
    return stat(name, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG ? .pipe : .file
  }

  /// The name of the source: the one asked for, else the file's name or the address.
  let sourceName: String

  init(name: String, source: String?) {
    self.name = name
    isAddress = FeedDownload.isAddress(name)
    sourceName = source ?? Self.sourceName(of: name, isAddress: isAddress)
  }

  /// Opens the feed, unless the store has it already.
  ///
  /// - Parameters:
  ///   - path: The database, which remembers the version of a fetched feed.
  ///   - always: Whether to fetch it even so.
  /// - Returns: Nil where the server says that the store has it already.
  /// - Throws: `CommandFailure` where it cannot be opened or fetched.
  func open(
    database path: String,
    always: Bool
  ) throws -> (bytes: any ByteSource, origin: FeedOrigin?)? {
    if name == "-" { return (FeedFile(descriptor: dup(STDIN_FILENO), name: shownName), nil) }
    guard isAddress else { return (try FeedFile(path: name), nil) }
    switch try FeedDownload.fetch(name, known: always ? nil : try known(in: path)) {
    case .notModified: return nil
    case .feed(let file, let origin): return (file, origin)
    }
  }

  /// What the store remembers of this address, if it has the feed from there.
  private func known(in path: String) throws -> FeedOrigin? {
    guard let store = try? RestaurantStore(path: path) else { return nil }
    defer { try? store.close() }
    guard let origin = try store.origin(of: sourceName), origin.address == name else { return nil }
    return origin
  }

  private static func sourceName(of name: String, isAddress: Bool) -> String {
    if name == "-" { return "stdin" }
    guard isAddress else { return String(name.split(separator: "/").last ?? Substring(name)) }
    return name
  }
}
