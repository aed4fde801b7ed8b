import ArgumentParser
import Foundation
import GeoQuery
import GeoService

/// The options of `serve` as environment variables: `GEOQ_` and the option's name in capitals, with
/// `_` for `-`.
///
/// They become arguments, so that one parser checks both. An option on the command line comes first, and
/// an empty variable counts as none.
enum ServeEnvironment {
  /// How a variable is read.
  enum Kind {
    case value
    /// 1 or 0.
    case flag
    /// Values with commas between them, each of which has some parts with commas between them.
    case list(parts: Int)
  }

  /// The long names, but for `db`, which all commands have, in the order of the help.
  static let options: [(name: String, kind: Kind)] = [
    ("host", .value), ("port", .value), ("unix-socket", .value), ("open", .flag), ("get", .value),
    ("allow-host", .list(parts: 1)), ("cors", .list(parts: 1)),
    ("frame-ancestors", .list(parts: 1)), ("behind-proxy", .flag), ("token-file", .value),
    // NAME=LAT,LON
    ("place", .list(parts: 2)), ("basemap", .value), ("basemap-attribution", .value),
    ("tiles", .value), ("web-home", .value), ("max-staleness", .value), ("images", .value),
    ("images-max", .value), ("image-dir", .value), ("cache", .value), ("quiet", .flag),
    ("verbose", .flag), ("color", .value),
  ]

  /// The variable of an option.
  static func variable(_ name: String) -> String {
    "GEOQ_" + name.uppercased().replacing("-", with: "_")
  }

  /// Arguments with those of the variables, and which options these set.
  ///
  /// - Throws: `ValidationError` if a flag's variable is neither 1 nor 0.
  static func expanded(
    _ arguments: [String]
  ) throws -> (arguments: [String], variables: [(option: String, variable: String)]) {
    var added: [String] = []
    var variables: [(option: String, variable: String)] = []
    let own = arguments.prefix { $0 != "--" }
    for (name, kind) in options {
      let option = "--" + name
      let short = ["quiet": "-q", "verbose": "-v"][name]
      if own.contains(where: { $0 == option || $0 == short || $0.hasPrefix(option + "=") }) {
        continue
      }
      guard let (variable, value) = value(of: name) else { continue }
      switch kind {
      case .value: added.append("\(option)=\(value)")
      case .flag:
        guard ["0", "1"].contains(value) else {
          throw ValidationError("\(variable): expected 1 or 0, got \"\(terminalSafe(value))\"")
        }
        if value == "1" { added.append(option) }
      case .list(let parts):
        let pieces = value.split(separator: ",", omittingEmptySubsequences: false)
        for start in stride(from: 0, to: pieces.count, by: parts) {
          let entry = pieces[start..<min(start + parts, pieces.count)].joined(separator: ",")
          added.append("\(option)=\(entry.trimmingBlanks)")
        }
      }
      variables.append((option, variable))
    }
    return (own + added + arguments.dropFirst(own.count), variables)
  }

  /// The value of an option's variable; `PORT`, which many hosts of services set, stands in for
  /// `GEOQ_PORT`.
  private static func value(of name: String) -> (variable: String, value: String)? {
    let names = [variable(name)] + (name == "port" ? ["PORT"] : [])
    for name in names {
      if let value = CommandContext.variable(name), !value.isEmpty { return (name, value) }
    }
    return nil
  }

  /// A message with the names of variables instead of the options that they set.
  static func renamed(
    _ message: String,
    _ variables: [(option: String, variable: String)]
  ) -> String {
    variables.reduce(message) { message, pair in
      let parts = message.parts(between: pair.option)
      return parts.dropFirst().reduce(parts[0]) { text, rest in
        // the start of a longer option
        let isOther = rest.utf8.first.map { (0x61...0x7A).contains($0) || $0 == 0x2D } ?? false
        return text + (isOther ? pair.option : pair.variable) + rest
      }
    }
  }
}

/// The sources of images for `serve`.
struct ImageOptions: ParsableArguments {
  @Option(
    help: "Fetch records' images from these hosts (default: none); http://HOST for http."
      .value("host[,host]")
  )
  var images: String?

  @Option(
    name: .customLong("images-max"),
    help: "Megabytes of fetched images to keep, in the folder FILE.images next to the database."
      .value("megabytes")
  )
  var maximum = 256

  @Option(
    name: .customLong("image-dir"),
    help: "Show the images of this folder, named by id: ID.png, ID+1.png, …".value("folder")
  )
  var folder: String?

  func validate() throws {
    _ = try hosts()
    try require(maximum, in: 4...1_000_000, "--images-max must be in 4...1000000")
  }

  private func hosts() throws -> [ImageHost] {
    guard let images else { return [] }
    return try images.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let text = String(part).trimmingBlanks
      guard let host = ImageHost(text) else {
        throw ValidationError(
          "--images: expected a host such as img.example, img.example:8443 or http://img.example, "
            + "got \"\(terminalSafe(text))\""
        )
      }
      return host
    }
  }

  /// Opens the given folders; nil without any of these options.
  ///
  /// `note` gets the reason why an address has no image.
  ///
  /// - Throws: `CommandFailure` if a folder cannot be used.
  func images(
    beside path: String,
    note: @escaping @Sendable (WebAddress, String) -> Void
  ) throws -> RestaurantImages? {
    var own: ImageFolder?
    if let folder {
      guard let found = ImageFolder(folder) else {
        throw CommandFailure.noInput(
          "--image-dir: \(folder)",
          "no such folder, or it cannot be read"
        )
      }
      own = found
    }
    let hosts = try hosts()
    if hosts.isEmpty { return own.map { RestaurantImages(folder: $0) } }
    guard let cache = ImageCache(path + ".images", maximumBytes: maximum * 1_000_000) else {
      throw CommandFailure.inputOutput(
        "--images: the folder \(terminalSafe(path)).images cannot be created or written"
      )
    }
    let download = ImageDownload(hosts: hosts)
    return RestaurantImages(folder: own, hosts: hosts, cache: cache, note: note) {
      try download.fetch($0)
    }
  }
}

/// The token for writing: the single line of a file.
enum WriteToken {
  private static let lengths = 16...200

  /// Reads a token.
  ///
  /// - Throws: `CommandFailure` if the file cannot be read, is accessible to others, or does not
  ///   contain a token.
  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure.noInput(
        "--token-file: cannot read \(terminalSafe(path)); check its name and permissions"
      )
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try checkOwner(of: descriptor, path)
    // one byte more than the longest token, so that a larger file is not read completely
    let limit = lengths.upperBound + 3
    var token = [UInt8]((try? file.read(upToCount: limit)) ?? Data())
    while let last = token.last, last == 0x0A || last == 0x0D { token.removeLast() }
    guard lengths.contains(token.count), token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CommandFailure.usage(
        "--token-file: expected one line of \(lengths.lowerBound) to \(lengths.upperBound) printable "
          + "characters without spaces; make one with: openssl rand -hex 32"
      )
    }
    return token
  }

  /// Rejects a file that others can read or write, because its token is not a secret.
  private static func checkOwner(of descriptor: Int32, _ path: String) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    let mode = Int(status.st_mode)
    guard mode & 0o026 == 0 else {
      throw CommandFailure.usage(
        "--token-file: others can read or write \(terminalSafe(path)); run: chmod 600 "
          + terminalSafe(path)
      )
    }
  }
}
