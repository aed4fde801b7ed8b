import CCurl

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

  /// The library of this process.
  ///
  /// - Throws: `CurlMissing`.
  static func loaded() throws -> CurlLibrary { try shared.get() }

  private static let shared = Result { try CurlLibrary(handle()) }

  #if canImport(Glibc)
  private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  #else
  private static let names = ["/usr/lib/libcurl.4.dylib"]
  #endif

  private static func handle() throws -> UnsafeMutableRawPointer {
    // it stays loaded until the process ends
    let handle = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    guard let handle else {
      throw CurlMissing(reason: dlerror().map { String(cString: $0) } ?? "no reason given")
    }
    return handle
  }

  private init(_ handle: UnsafeMutableRawPointer) throws {
    func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
      guard let symbol = dlsym(handle, name) else {
        throw CurlMissing(reason: "it has no \(name)")
      }
      return symbol
    }
    func function<Function>(_ name: String, _ type: Function.Type) throws -> Function {
      unsafeBitCast(try symbol(name), to: type)
    }
    makeTransfer = try function("curl_easy_init", geoq_curl_easy_init.self)
    perform = try function("curl_easy_perform", geoq_curl_easy_perform.self)
    freeTransfer = try function("curl_easy_cleanup", geoq_curl_easy_cleanup.self)
    text = try function("curl_easy_strerror", geoq_curl_easy_strerror.self)
    append = try function("curl_slist_append", geoq_curl_slist_append.self)
    freeList = try function("curl_slist_free_all", geoq_curl_slist_free_all.self)
    setOption = try symbol("curl_easy_setopt")
    getInfo = try symbol("curl_easy_getinfo")
    let initialize = try function("curl_global_init", geoq_curl_global_init.self)
    let code = initialize(GEOQ_CURL_GLOBAL_DEFAULT)
    guard code == 0 else { throw CurlMissing(reason: "it does not start: code \(code)") }
  }
}

/// libcurl is missing, or the wrong version.
struct CurlMissing: Error, CustomStringConvertible {
  let reason: String

  /// What is missing, why, and what to do.
  var description: String {
    "libcurl, which fetches feeds, cannot be loaded (\(reason)); install it: libcurl4 on Debian"
  }
}
