import ArgumentParser
import Foundation
import GeoQuery
import GeoService
import GeoStore

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the database over HTTP (OGC API - Features and simple endpoints).",
    discussion: """
        geoq serve
        geoq serve --port 0 --open
        geoq serve --place 'Office=32.95,-96.82'
        geoq serve --basemap 'https://tiles.example/{z}/{x}/{y}.png' \\
          --basemap-attribution '© Tiles Example'
        geoq serve --get '/nearest?lat=32.95&lon=-96.82&count=3'

      Prints the address it listens on, and logs one JSON line per request on standard error unless -q is \
      given. Imports by other commands are served within a second. Changing favorites always requires the \
      service's token. Without --token-file, the service makes one and shows it on the terminal as part of \
      an address: open that in a browser. If --host is not loopback, use --allow-host to name the hosts \
      that clients use.

      A store in PostgreSQL is served from the newest snapshot in the --cache folder, which is kept current. \
      If PostgreSQL cannot be reached, queries are still answered, and changes to favorites are \
      refused.

      Each option can be set by an environment variable as well; geoq help environment lists them.
      """
  )

  @Option(help: "The address to listen on.".value("address"))
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 selects a free one.".value("port"))
  var port = 8_080

  @Option(
    name: .customLong("unix-socket"),
    help: "Listen on a Unix socket for its owner and group instead of a port.".value("path"),
    completion: .file()
  )
  var socketPath: String?

  @Flag(help: "Open the lunch page in the browser.")
  var open = false

  @Option(help: "Answer one request on standard output and exit.".value("path"))
  var get: String?

  @Option(
    name: .customLong("allow-host"),
    parsing: .unconditionalSingleValue,
    help:
      "Accept requests for this host, on any port unless one is given, as well as for localhost; may be repeated."
      .value("name[:port]")
  )
  var allowedHosts: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: "Allow pages of this origin to read answers, * for all; may be repeated.".value("origin")
  )
  var cors: [String] = []

  @Option(
    name: .customLong("frame-ancestors"),
    parsing: .unconditionalSingleValue,
    help: "Allow pages of this origin to show the lunch page in a frame; may be repeated."
      .value("origin")
  )
  var frameAncestors: [String] = []

  @Flag(
    name: .customLong("behind-proxy"),
    help:
      "Take addresses, request ids and traces from the proxy in front: X-Forwarded-…, X-Request-Id, traceparent."
  )
  var isBehindProxy = false

  @Option(
    name: .customLong("token-file"),
    help: "Use the token in this file, and require it for reading favorites and metrics too."
      .value("file")
  )
  var tokenFile: String?

  @Option(
    name: .customLong("place"),
    parsing: .unconditionalSingleValue,
    help: "Offer this starting point on the lunch page; may be repeated.".value("name=lat,lon")
  )
  var places: [PlaceArgument] = []

  @Option(
    help: "Draw the lunch page's map on these tiles; browsers fetch them from there."
      .value("template")
  )
  var basemap: String?

  @Option(
    name: .customLong("basemap-attribution"),
    help: "The credit line for --basemap, shown on each map.".value("text")
  )
  var basemapAttribution: String?

  @Option(
    help: "Serve this PMTiles or MBTiles file as a map under the restaurants.".value("file"),
    completion: .file(extensions: ["pmtiles", "mbtiles"])
  )
  var tiles: String?

  @Option(
    name: .customLong("web-home"),
    help: "Add a tab Internets, which shows this site, to the lunch page.".value("url")
  )
  var webHome: String?

  @Option(
    name: .customLong("max-staleness"),
    help: "Report not ready (/readyz) after this long without PostgreSQL (default: never)."
      .value("seconds")
  )
  var maximumStaleness: Int?

  @OptionGroup var images: ImageOptions

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    try require(port, in: 0...65_535, "--port must be in 0...65535")
    if host.isEmpty { throw ValidationError("--host: expected an address") }
    if let webHome, WebAddress(webHome) == nil {
      throw unexpected("--web-home", webHome, "an address such as https://lunch.example/")
    }
    if let name = allowedHosts.first(where: { !HostRule.isHost($0) }) {
      throw ValidationError(
        "--allow-host: expected a host such as maps.example, 192.0.2.7 or maps.example:8443, "
          + "without scheme and wildcard, got \"\(terminalSafe(name))\""
      )
    }
    if let origin = cors.first(where: { !Self.isOrigin($0) }) {
      throw unexpected("--cors", origin, "an origin such as https://maps.example or *")
    }
    if let origin = frameAncestors.first(where: { $0 == "*" || !Self.isOrigin($0) }) {
      let expected = "an origin such as https://intranet.example"
      throw unexpected("--frame-ancestors", origin, expected)
    }
    if let socketPath {
      // the length that sockaddr_un has room for on every system
      guard (1...103).contains(socketPath.utf8.count) else {
        throw ValidationError("--unix-socket: expected a path of 1 to 103 bytes")
      }
      if open { throw ValidationError("--open: goes with a port, not with --unix-socket") }
    }
    try checkBasemap()
    guard maximumStaleness != nil else { return }
    let rule = "--max-staleness must be in 1...31536000"
    try require(maximumStaleness, in: 1...31_536_000, rule)
    guard PostgresAddress.isAddress(globals.databasePath) else {
      throw ValidationError("--max-staleness: goes with a store in PostgreSQL")
    }
  }

  private func checkBasemap() throws {
    guard let basemap else {
      if basemapAttribution == nil { return }
      throw ValidationError("--basemap-attribution: goes with --basemap")
    }
    guard let basemapAttribution else {
      throw ValidationError(
        "--basemap: needs --basemap-attribution, the credit line for its makers"
      )
    }
    guard (1...BasemapTemplate.length).contains(basemapAttribution.utf8.count) else {
      throw ValidationError("--basemap-attribution: expected 1 to \(BasemapTemplate.length) bytes")
    }
    if BasemapTemplate(template: basemap, attribution: basemapAttribution) == nil {
      throw ValidationError(
        "--basemap: expected an address such as https://tiles.example/{z}/{x}/{y}.png, "
          + "got \"\(terminalSafe(basemap))\""
      )
    }
  }

  func run() async throws {
    let place = try globals.place()
    // one answer is of what the store has now; a service catches up
    let cached = get == nil ? LiveData(cachedOf: place) : nil
    let live = try cached ?? LiveData(place)
    let token = try tokenFile.map(WriteToken.read) ?? AccessRule.randomToken()
    let isVerbose = globals.verbose
    var settings = settings(token: token, place)
    settings.basemap = try tiles.map { try Basemap(path: $0) }
    settings.images = try images.images(beside: place.filePrefix) { address, reason in
      guard isVerbose else { return }
      StandardStreams.complain("\(terminalSafe(address.text)): no image: \(terminalSafe(reason))")
    }
    let service = RestaurantService(
      settings: settings,
      live: live,
      favorites: StoredFavorites(place)
    )
    if let get {
      // the port is not known yet, so links with it would be wrong
      let host = port == 0 ? authority : authority(port: port)
      return try printAnswer(to: get, from: service, host, token)
    }
    var run = ServiceRun(of: service)
    run.host = host
    run.port = port
    run.socketPath = socketPath
    run.logsRequests = !globals.quiet
    run.store = place
    run.endOverdue = { _exit(0) }
    if !isOwnMachineOnly {
      StandardStreams.complain(
        "Clients that reach \(listenerName) can read all restaurants; favorites and "
          + "metrics need the token."
      )
    }
    do {
      try await run.run { port in
        let address = "http://\(authority(port: port))"
        let opening = address + "/app/?token=" + String(decoding: token, as: UTF8.self)
        // a token made here is shown once, and only on a terminal
        let isShown = tokenFile == nil && StandardStreams.isOutputTerminal
        let line = socketPath.map { "unix:\($0)" } ?? (isShown ? opening : address)
        try? StandardStreams.print(line + "\n")
        for other in otherAddresses {
          globals.say("From other machines: http://\(other):\(port)/app/")
        }
        if open { Browser.show(opening) }
      }
      // images still being fetched are no longer needed, and nothing is lost
      if settings.images?.isBusy == true { _exit(0) }
    } catch {
      throw CommandFailure.unavailable("cannot listen on \(listenerName): \(reason(error))")
    }
  }

  private func settings(token: [UInt8], _ place: StorePlace) -> ServiceSettings {
    var settings = ServiceSettings()
    settings.hosts = HostRule(
      allowing: allowedHosts + [Self.authority(of: host)] + otherAddresses
    )
    settings.crossOrigin = CrossOriginRule(origins: cors)
    settings.frameAncestors = frameAncestors
    settings.isBehindProxy = isBehindProxy
    settings.version = Geoq.version
    settings.places = places.map(\.place)
    settings.maps.basemap = basemap.flatMap {
      BasemapTemplate(template: $0, attribution: basemapAttribution ?? "")
    }
    if case .postgres = place {
      settings.maximumStaleness = maximumStaleness.map { .seconds($0) }
    }
    settings.webHome = webHome.flatMap { WebAddress($0) }
    settings.access = AccessRule(
      token: token,
      protectsReading: tokenFile != nil || !isOwnMachineOnly
    )
    return settings
  }

  /// Whether only programs on this machine can reach the service.
  private var isOwnMachineOnly: Bool {
    (socketPath != nil || Self.isLoopback(host)) && !isBehindProxy
  }

  /// The addresses of this machine, if it listens on all of them.
  private var otherAddresses: [String] {
    socketPath == nil && ["0.0.0.0", "::"].contains(host) ? ServiceRun.machineAddresses() : []
  }

  /// Why an address cannot be listened on, and what to do.
  private func reason(_ error: any Error) -> String {
    guard let number = ServiceRun.systemErrorNumber(of: error) else {
      return terminalSafe("\(error)")
    }
    let reason = String(cString: strerror(number))
    let isPortTaken = number == EADDRINUSE && socketPath == nil
    return isPortTaken ? "\(reason); --port 0 selects a free port" : reason
  }

  /// Where it listens, for messages.
  private var listenerName: String { socketPath.map(terminalSafe) ?? authority(port: port) }

  /// The host and port that clients on this machine use.
  private func authority(port: Int) -> String { "\(authority):\(port)" }

  private var authority: String {
    ["0.0.0.0", "::"].contains(host) ? "localhost" : Self.authority(of: host)
  }

  /// Whether only programs on this machine can reach an address.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    return ["localhost", "::1", "[::1]"].contains(host) || (isIPv4 && parts[0] == "127")
  }

  /// A host as it is written in a URL.
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

extension ServeCommand {
  /// `--get`: answers one request without a network, and prints the body: its bytes, or on a terminal its text
  /// with control characters escaped.
  ///
  /// It has the service's token, because the user who runs the command owns the database.
  ///
  /// - Throws: `CommandFailure` with the service's sentence if it answers with an error.
  private func printAnswer(
    to path: String,
    from service: RestaurantService,
    _ host: String,
    _ token: [UInt8]
  ) throws {
    let port = host.split(separator: ":").last.flatMap { Int($0) }
    let (status, body) = service.get(path, host: host, port: port, token: token)
    guard status < 400 else {
      let problem = try? JSONValue(parsing: body)
      let detail = problem?[name: "detail"]?.asText ?? "the service refused"
      let code = status < 500 ? CommandFailure.usage : CommandFailure.unavailable
      throw code("--get", "\(terminalSafe(detail)) (\(status))")
    }
    guard StandardStreams.isOutputTerminal else { return try StandardStreams.print(body) }
    // JSON stays JSON
    let text = terminalSafeJSON(String(decoding: body, as: UTF8.self))
    try StandardStreams.print(terminalSafeLines(text))
  }
}

/// The user's browser.
enum Browser {
  #if os(macOS)
  private static let program = "open"
  #else
  private static let program = "xdg-open"
  #endif

  /// Opens a page; does nothing without a browser.
  static func show(_ address: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      StandardStreams.complain("cannot start a browser; open \(address)")
    }
  }
}
