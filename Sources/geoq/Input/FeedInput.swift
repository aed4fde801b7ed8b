import GeoQuery

/// Where a feed comes from, and under which source its records are kept.
struct FeedInput {
  private let name: String
  private let isAddress: Bool

  /// The name of the source: the one asked for, else the file's name or the address.
  let sourceName: String

  init(name: String, source: String?) {
    self.name = name
    isAddress = FeedDownload.isAddress(name)
    sourceName = source ?? Self.sourceName(of: name, isAddress: isAddress)
  }

  /// Reads the feed; nil where the server says that the store has it already.
  ///
  /// - Throws: `CommandFailure` where it cannot be read.
  func read(database path: String) async throws -> (bytes: [UInt8], origin: FeedOrigin?)? {
    if name == "-" { return (try FeedFile.readStandardInput(), nil) }
    guard isAddress else { return (try FeedFile.read(name), nil) }
    switch try await FeedDownload.fetch(name, known: try known(in: path)) {
    case .notModified: return nil
    case .feed(let bytes, var origin):
      origin.address = Self.withoutUser(origin.address)
      return (bytes, origin)
    }
  }

  /// What the store remembers of this address, if it has the feed from there.
  private func known(in path: String) throws -> FeedOrigin? {
    guard let store = try? RestaurantStore(path: path) else { return nil }
    defer { try? store.close() }
    guard let origin = try store.origin(of: sourceName), origin.address == Self.withoutUser(name)
    else { return nil }
    return origin
  }

  private static func sourceName(of name: String, isAddress: Bool) -> String {
    if name == "-" { return "stdin" }
    guard isAddress else { return String(name.split(separator: "/").last ?? Substring(name)) }
    return withoutUser(name)
  }

  /// An address without `user:password@`: what is kept, printed or exported has neither.
  static func withoutUser(_ address: String) -> String {
    let parts = address.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return address }
    let host = parts[1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = host.lastIndex(of: "@") else { return address }
    return parts[0] + "//" + parts[1][host.index(after: at)...]
  }
}
