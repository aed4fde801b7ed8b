import ArgumentParser
import GeoService
import GeoStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `geoq serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Answer over HTTP: OGC API - Features and plain endpoints.",
    discussion: """
        geoq serve
        geoq serve --port 0 --open
        geoq serve --place 'Office=32.95,-96.82'
        geoq serve --get '/nearest?lat=32.95&lon=-96.82&count=3'

      Prints the address it listens on, and a JSON line a request on standard error unless -q is \
      given. Imports by other commands are served within a second. Favorites are changed with \
      the service's token only: open the address that is shown on the terminal in a browser, or give \
      programs the token of --token-file. On another address than loopback, name the hosts that \
      clients use with --allow-host.
      """
  )

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The port to listen on; 0 takes a free one.", valueName: "port"))
  var port = 8_080

  @Flag(help: "Show the lunch page in the browser.")
  var open = false

  @Option(help: ArgumentHelp("Answer this one request on standard output.", valueName: "path"))
  var get: String?

  @Option(
    name: .customLong("allow-host"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Answer for this host as well as for localhost; repeat for several.",
      valueName: "name"
    )
  )
  var allowedHosts: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Let pages of this origin read answers, * for all; repeat for several.",
      valueName: "origin"
    )
  )
  var cors: [String] = []

  @Flag(
    name: .customLong("behind-proxy"),
    help: "Build links from X-Forwarded-Proto, -Host and -Prefix."
  )
  var isBehindProxy = false

  @Option(
    name: .customLong("token-file"),
    help: ArgumentHelp(
      "Take the token for changing favorites from this file.",
      valueName: "file"
    )
  )
  var tokenFile: String?

  @Option(
    name: .customLong("place"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Offer this place to measure from on the lunch page; repeat for several.",
      valueName: "name=lat,lon"
    )
  )
  var places: [PlaceArgument] = []

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port: must be in 0...65535, got \(port)")
    }
    if host.isEmpty { throw ValidationError("--host: expected an address") }
    if let name = allowedHosts.first(where: { !HostRule.isName($0) }) {
      throw ValidationError(
        "--allow-host: expected a name such as maps.example, without scheme and port, "
          + "got \"\(terminalSafe(name))\""
      )
    }
    if let origin = cors.first(where: { !Self.isOrigin($0) }) {
      throw ValidationError(
        "--cors: expected an origin such as https://maps.example or *, "
          + "got \"\(terminalSafe(origin))\""
      )
    }
  }

  func run() async throws {
    let store = try RestaurantStore(path: globals.databasePath)
    let live = try LiveData(store)
    try? store.close()
    let token = try tokenFile.map(WriteToken.read) ?? AccessRule.randomToken()
    let service = RestaurantService(
      settings: settings(token: token),
      live: live,
      favorites: StoredFavorites(path: globals.databasePath)
    )
    if let get {
      // links to a port that nobody knows yet would lead nowhere
      let host = port == 0 ? authority : authority(port: port)
      return try OneRequest(path: get, host: host, token: token).print(from: service)
    }
    var run = ServiceRun(of: service)
    run.host = host
    run.port = port
    run.logsRequests = !globals.quiet
    run.databasePath = globals.databasePath
    run.endOverdue = { _exit(0) }
    ChangedFile.endWithSentence()
    if !isOwnMachineOnly {
      StandardStreams.complain(
        "Clients that reach \(Self.authority(of: host)) can read all restaurants; favorites and "
          + "metrics need the token."
      )
    }
    do {
      try await run.run { port in
        let address = "http://\(authority(port: port))"
        let opening = address + "/app/?token=" + String(decoding: token, as: UTF8.self)
        // a token that was made here is shown once, where only a person reads it
        let isShown = tokenFile == nil && Terminal.isTTY(STDOUT_FILENO)
        try? StandardStreams.print((isShown ? opening : address) + "\n")
        if open { Browser.show(opening) }
      }
    } catch {
      throw CommandFailure(
        "cannot listen on \(authority(port: port)): \(Self.reason(error))",
        exitCode: CommandFailure.unavailable
      )
    }
  }

  private func settings(token: [UInt8]) -> ServiceSettings {
    var settings = ServiceSettings()
    settings.hosts = HostRule(allowing: allowedHosts + [Self.authority(of: host)])
    settings.crossOrigin = CrossOriginRule(origins: cors)
    settings.isBehindProxy = isBehindProxy
    settings.version = Geoq.version
    settings.places = places.map(\.place)
    settings.access = AccessRule(
      token: token,
      protectsReading: tokenFile != nil || !isOwnMachineOnly
    )
    return settings
  }

  /// Whether nobody but this machine's own programs is meant to reach the service.
  private var isOwnMachineOnly: Bool { Self.isLoopback(host) && !isBehindProxy }

  /// Why an address cannot be listened on, and what to do.
  private static func reason(_ error: any Error) -> String {
    guard let number = ServiceRun.systemErrorNumber(of: error) else {
      return terminalSafe("\(error)")
    }
    let reason = String(cString: strerror(number))
    return number == EADDRINUSE ? "\(reason); --port 0 takes a free port" : reason
  }

  /// What clients on this machine can write.
  private func authority(port: Int) -> String { "\(authority):\(port)" }

  private var authority: String {
    ["0.0.0.0", "::"].contains(host) ? "localhost" : Self.authority(of: host)
  }

  /// Whether only programs on this machine reach an address.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    return ["localhost", "::1", "[::1]"].contains(host) || (isIPv4 && parts[0] == "127")
  }

  /// An address as it stands in a URL.
  private static func authority(of host: String) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
  }

  private static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    let schemes = ["http://", "https://"]
    guard let scheme = schemes.first(where: text.hasPrefix) else { return false }
    let rest = text.dropFirst(scheme.count)
    return !rest.isEmpty && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
  }
}
