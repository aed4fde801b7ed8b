import GeoFeed
import GeoStore

/// The input of an import, and the source of its records.
struct FeedInput {
  private let name: String
  private let isAddress: Bool

  /// Whether the source's name is an address with a query, which may contain a key.
  var hasQuery: Bool { isAddress && sourceName == name && name.contains("?") }

  /// The name of the feed in errors.
  var shownName: String { name == "-" ? "standard input" : name }

  /// The address, or the path.
  var address: String { name }

  /// The kinds of inputs.
  enum Kind {
    case file, pipe, standardInput, address
  }

  /// The kind of the input; a missing file counts as a file.
  var kind: Kind {
    if name == "-" { return .standardInput }
    if isAddress { return .address }
    return Self.isPipe(name) ? .pipe : .file
  }

  /// Whether a path leads to a pipe, a device or a folder.
  private static func isPipe(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
  }

  /// The name of the source: the given one, otherwise the file's name or the address.
  let sourceName: String

  init(name: String, source: String?) {
    self.name = name
    isAddress = FeedDownload.isAddress(name)
    sourceName = source ?? Self.sourceName(of: name, isAddress: isAddress)
  }

  /// Opens the feed, unless the store has it already.
  ///
  /// - Parameters:
  ///   - place: The store, which has the version of a fetched feed.
  ///   - always: Whether to fetch it even if it is unchanged.
  ///   - seconds: The maximum time for fetching it.
  ///   - layer: The layer to read of a file that GDAL reads.
  /// - Returns: The feed; nil if the server says that it has not changed.
  /// - Throws: `CommandFailure` about the feed, or `StoreError`.
  func open(
    for place: StorePlace,
    always: Bool,
    seconds: Int,
    layer: String?
  ) throws -> (bytes: any ByteSource, origin: FeedOrigin?)? {
    if name == "-" {
      return (FeedFile(descriptor: dup(CommandContext.current.input), name: shownName), nil)
    }
    if !isAddress {
      if let file = try GDALFile(name, layer: layer) { return (file, nil) }
      guard layer == nil else {
        throw CommandFailure(
          "\(terminalSafe(name)): --layer is for files that GDAL reads, and it is none or GDAL is not installed",
          exitCode: CommandFailure.usage
        )
      }
      return (try FeedFile(path: name), nil)
    }
    var limits = FeedDownload.Limits()
    limits.seconds = seconds
    let known = always ? nil : try known(in: place)
    switch try FeedDownload.fetch(name, known: known, limits: limits) {
    case .notModified: return nil
    case .feed(let file, let origin): return (file, origin)
    }
  }

  /// The version of this address in the store; nil if it was not fetched from there.
  private func known(in place: StorePlace) throws -> FeedOrigin? {
    guard let store = try? place.open() else { return nil }
    defer { try? store.close() }
    guard let origin = try store.origin(of: sourceName), origin.address == name else { return nil }
    return origin
  }

  private static func sourceName(of name: String, isAddress: Bool) -> String {
    // the number of a descriptor names nothing
    let isDescriptor = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"].contains { name.hasPrefix($0) }
    if name == "-" || isDescriptor || !isAddress && isPipe(name) { return "stdin" }
    guard isAddress else { return String(name.split(separator: "/").last ?? Substring(name)) }
    return name
  }
}
