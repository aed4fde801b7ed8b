import CCurl
import GeoFeed
import GeoService

/// Fetches images that records name.
///
/// Feeds are from other people, so their addresses may try to reach hosts that only this machine
/// can reach. Only listed hosts are contacted, also for redirects. The IP address is checked when
/// its socket is opened, so that it does not matter what the name resolved to before.
struct ImageDownload: Sendable {
  let hosts: [ImageHost]

  /// Seconds for a fetch, including redirects.
  var seconds = ImageLimits.fetchSeconds

  /// Replaces the system's resolver in tests; nil for the system's.
  var resolve: (@Sendable (String) -> [String])?

  /// The address and port to connect to after the check; tests redirect this to their own
  /// listeners.
  typealias Route = @Sendable (NetworkAddress) -> (address: NetworkAddress, port: UInt16)?
  var route: Route = { _ in nil }

  /// Fetches the file of an address.
  ///
  /// - Throws: `ByteSourceError`, or `MissingLibrary`.
  func fetch(_ address: WebAddress) throws -> [UInt8] {
    let end = ContinuousClock.now + .seconds(seconds)
    var address = address
    for _ in 0...ImageLimits.redirects {
      guard hosts.contains(where: { $0.includes(address) }) else {
        throw ByteSourceError("its host is not one of --images")
      }
      let answer = try request(address, until: end)
      guard let redirect = answer.redirect else {
        guard answer.status == 200 else {
          throw ByteSourceError("the server answered \(answer.status)")
        }
        return answer.bytes
      }
      guard let next = WebAddress(redirect) else {
        throw ByteSourceError("a redirect leads to an address that is neither http nor https")
      }
      address = next
    }
    throw ByteSourceError("there are more than \(ImageLimits.redirects) redirects")
  }

  private func request(
    _ address: WebAddress,
    until end: ContinuousClock.Instant
  ) throws -> (status: Int, redirect: String?, bytes: [UInt8]) {
    let left = (end - .now) / .milliseconds(1)
    guard left > 0 else { throw ByteSourceError("it took longer than \(seconds) s") }
    let transfer = try CurlTransfer()
    transfer.keepToTheWeb()
    transfer.set(GEOQ_CURLOPT_URL, address.text)
    transfer.set(GEOQ_CURLOPT_FOLLOWLOCATION, 0)
    transfer.set(GEOQ_CURLOPT_NOPROXY, "*")
    transfer.set(GEOQ_CURLOPT_CONNECTTIMEOUT_MS, ImageLimits.connectSeconds * 1000)
    transfer.set(GEOQ_CURLOPT_TIMEOUT_MS, max(1, Int(left)))
    transfer.set(GEOQ_CURLOPT_MAXFILESIZE_LARGE, ImageLimits.bytes)
    transfer.add(field: "Accept", "image/webp, image/png, image/jpeg, image/gif")
    if let resolve { transfer.resolve(address.host, address.port, to: resolve(address.host)) }
    let image = IncomingImage(route)
    let code = image.receive(transfer)
    if image.isRefused { throw ByteSourceError("it leads to an address that is not public") }
    if image.isTooLarge || code == GEOQ_CURLE_FILESIZE_EXCEEDED {
      throw ByteSourceError("it is larger than \(ImageLimits.bytes >> 20) MiB")
    }
    guard code == 0 else { throw ByteSourceError(transfer.text(of: code)) }
    let isRedirect = (300..<400).contains(transfer.status)
    return (transfer.status, isRedirect ? transfer.redirect : nil, image.bytes)
  }
}

/// An image as it arrives, in memory, with a maximum size.
private final class IncomingImage {
  private(set) var bytes: [UInt8] = []
  private(set) var isTooLarge = false
  /// Whether the IP address was rejected.
  private(set) var isRefused = false

  private let route: ImageDownload.Route

  init(_ route: @escaping ImageDownload.Route) {
    self.route = route
  }

  /// Runs the transfer, and returns libcurl's code.
  func receive(_ transfer: CurlTransfer) -> Int32 {
    let context = Unmanaged.passUnretained(self).toOpaque()
    transfer.set(GEOQ_CURLOPT_WRITEDATA, context)
    transfer.set(GEOQ_CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      let isTaken = IncomingImage.of(context)?.take(.init(start: bytes, count: count))
      return isTaken == true ? count : 0
    }
    transfer.set(GEOQ_CURLOPT_OPENSOCKETDATA, context)
    transfer.set(GEOQ_CURLOPT_OPENSOCKETFUNCTION) { context, _, address in
      guard let image = IncomingImage.of(context), let address else { return -1 }
      return image.socket(for: address)
    }
    return withExtendedLifetime(self) { transfer.run() }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> IncomingImage? {
    context.map { Unmanaged<IncomingImage>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Adds a piece; false ends the transfer.
  private func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    isTooLarge = bytes.count + piece.count > ImageLimits.bytes
    if isTooLarge { return false }
    bytes.append(contentsOf: piece)
    return true
  }

  /// Opens a socket if the address is allowed; -1 otherwise.
  private func socket(for target: UnsafeMutablePointer<geoq_curl_address>) -> Int32 {
    let raw = UnsafeMutableRawPointer(target)
    guard let offset = MemoryLayout<geoq_curl_address>.offset(of: \.address) else { return -1 }
    let start = raw + offset
    let found = NetworkAddress(
      start.assumingMemoryBound(to: sockaddr.self),
      length: Int(target.pointee.length)
    )
    guard let found, found.isGlobal else {
      isRefused = true
      return -1
    }
    if let (address, port) = route(found) {
      // must have the same length, because libcurl's own memory is changed
      guard address.bytes.count == found.bytes.count else { return -1 }
      start.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
      let place = start + (address.bytes.count == 4 ? 4 : 8)
      for (index, byte) in address.bytes.enumerated() {
        place.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      }
    }
    let facts = target.pointee
    #if canImport(Glibc)
    return Glibc.socket(facts.family, facts.type | Int32(SOCK_CLOEXEC.rawValue), facts.protocol)
    #else
    return Darwin.socket(facts.family, facts.type, facts.protocol)
    #endif
  }
}
