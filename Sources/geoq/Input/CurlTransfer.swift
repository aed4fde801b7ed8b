import CCurl
import GeoStore

/// One transfer of libcurl: its options, then one run.
///
/// Nothing is sent if libcurl refuses an option.
final class CurlTransfer {
  private let library: CurlLibrary
  private let handle: UnsafeMutableRawPointer
  private let message: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutableRawPointer?
  private var addresses: UnsafeMutableRawPointer?
  private var refusal: Int32 = 0

  /// A transfer without options; throws `MissingLibrary`.
  init() throws {
    library = try .loaded()
    guard let handle = library.makeTransfer() else {
      throw library.cannotStart
    }
    self.handle = handle
    message = .allocate(capacity: GEOQ_CURL_ERROR_SIZE)
    message.initialize(repeating: 0, count: GEOQ_CURL_ERROR_SIZE)
    set(GEOQ_CURLOPT_ERRORBUFFER, message)
  }

  deinit {
    library.freeTransfer(handle)
    library.freeList(fields)
    library.freeList(addresses)
    message.deallocate()
  }

  func set(_ option: geoq_curl_long_option, _ value: Int) {
    note(geoq_curl_set_long(library.setOption, handle, option, value))
  }

  func set(_ option: geoq_curl_string_option, _ value: String) {
    note(geoq_curl_set_string(library.setOption, handle, option, value))
  }

  /// Sets an option; the value must stay valid until the transfer has run.
  func set(_ option: geoq_curl_pointer_option, _ value: UnsafeMutableRawPointer?) {
    note(geoq_curl_set_pointer(library.setOption, handle, option, value))
  }

  func set(_ option: geoq_curl_function_option, _ value: geoq_curl_receiver) {
    note(geoq_curl_set_receiver(library.setOption, handle, option, value))
  }

  func set(_ option: geoq_curl_socket_option, _ value: geoq_curl_opener) {
    note(geoq_curl_set_opener(library.setOption, handle, option, value))
  }

  /// Adds a header field to the request.
  func add(field name: String, _ value: String) {
    fields = library.append(fields, "\(name): \(value)")
    set(GEOQ_CURLOPT_HTTPHEADER, fields)
  }

  /// Sets the options of all transfers: http and https only, no signals.
  func keepToTheWeb(proxy: String = "", exceptions: String = "") {
    // a redirect must not lead to a file or another protocol, and carries no password
    set(GEOQ_CURLOPT_PROTOCOLS, GEOQ_CURLPROTO_HTTP_HTTPS)
    set(GEOQ_CURLOPT_REDIR_PROTOCOLS, GEOQ_CURLPROTO_HTTP_HTTPS)
    set(GEOQ_CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(GEOQ_CURLOPT_PROXY, proxy)
    set(GEOQ_CURLOPT_NOPROXY, exceptions)
    set(GEOQ_CURLOPT_NOSIGNAL, 1)
    // does not wait for a name server that does not respond; older versions do not have the option
    _ = geoq_curl_set_long(library.setOption, handle, GEOQ_CURLOPT_QUICK_EXIT, 1)
    set(GEOQ_CURLOPT_USERAGENT, "geoq/\(Geoq.version)")
  }

  /// Resolves a host's name to these addresses, without asking a name server.
  func resolve(_ host: String, _ port: Int, to found: [String]) {
    addresses = library.append(addresses, "\(host):\(port):\(found.joined(separator: ","))")
    set(GEOQ_CURLOPT_RESOLVE, addresses)
  }

  /// Runs the transfer.
  ///
  /// - Returns: libcurl's code: 0 for success.
  func run() -> Int32 {
    refusal == 0 ? library.perform(handle) : refusal
  }

  /// The status of the response; 0 if there was none.
  var status: Int {
    var value = 0
    _ = geoq_curl_get_long(library.getInfo, handle, GEOQ_CURLINFO_RESPONSE_CODE, &value)
    return value
  }

  /// The target of a redirect; nil if it is not one.
  var redirect: String? {
    var value: UnsafePointer<CChar>?
    _ = geoq_curl_get_string(library.getInfo, handle, GEOQ_CURLINFO_REDIRECT_URL, &value)
    return value.map { String(cString: $0) }
  }

  /// The system's error number for a refused connection; 0 if unknown.
  var systemError: Int32 {
    var value = 0
    guard geoq_curl_get_long(library.getInfo, handle, GEOQ_CURLINFO_OS_ERRNO, &value) == 0 else {
      return 0
    }
    return Int32(truncatingIfNeeded: value)
  }

  /// libcurl's description of an error.
  func text(of code: Int32) -> String {
    let text = message[0] == 0 ? library.text(code).map { String(cString: $0) } : nil
    let shown = text ?? String(cString: message)
    // a word in capitals keeps them
    let isWord = shown.dropFirst().first?.isLowercase == true
    return isWord ? shown.prefix(1).lowercased() + shown.dropFirst() : shown
  }

  private func note(_ code: Int32) {
    if refusal == 0 { refusal = code }
  }
}

/// The libcurl library, loaded when a feed has an address.
///
/// So the build needs no TLS library, and the tool starts without one.
struct CurlLibrary: Sendable {
  let makeTransfer: geoq_curl_easy_init
  let perform: geoq_curl_easy_perform
  let freeTransfer: geoq_curl_easy_cleanup
  let text: geoq_curl_easy_strerror
  let append: geoq_curl_slist_append
  let freeList: geoq_curl_slist_free_all
  // a variadic function, which Swift cannot call; constant after loading
  nonisolated(unsafe) let setOption: UnsafeMutableRawPointer
  nonisolated(unsafe) let getInfo: UnsafeMutableRawPointer
  /// The error where a transfer cannot be made.
  let cannotStart: MissingLibrary

  /// The library of this process; throws `MissingLibrary`.
  static func loaded() throws -> CurlLibrary { try shared.get() }

  private static let shared = Result { try CurlLibrary() }

  #if canImport(Glibc)
  private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  #else
  private static let names = ["/usr/lib/libcurl.4.dylib"]
  #endif

  private init() throws {
    let library = try SharedLibrary(
      "libcurl, which fetches feeds,",
      of: "libcurl4 on Debian",
      names: Self.names
    )
    makeTransfer = try library.function("curl_easy_init")
    perform = try library.function("curl_easy_perform")
    freeTransfer = try library.function("curl_easy_cleanup")
    text = try library.function("curl_easy_strerror")
    append = try library.function("curl_slist_append")
    freeList = try library.function("curl_slist_free_all")
    setOption = try library.symbol("curl_easy_setopt")
    getInfo = try library.symbol("curl_easy_getinfo")
    cannotStart = library.missing("it cannot start")
    let initialize: geoq_curl_global_init = try library.function("curl_global_init")
    let code = initialize(GEOQ_CURL_GLOBAL_DEFAULT)
    guard code == 0 else { throw library.missing("it does not start: code \(code)") }
  }
}
