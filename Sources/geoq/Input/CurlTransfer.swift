import CCurl

/// One transfer of libcurl: its options, then one run.
///
/// Nothing is sent if libcurl refuses an option.
final class CurlTransfer {
  private let library: CurlLibrary
  private let handle: UnsafeMutableRawPointer
  private let message: UnsafeMutablePointer<CChar>
  private var fields: UnsafeMutableRawPointer?
  private var refusal: Int32 = 0

  /// A transfer without options.
  ///
  /// - Throws: `CurlMissing`.
  init() throws {
    library = try .loaded()
    guard let handle = library.makeTransfer() else {
      throw CurlMissing(reason: "it makes no transfer")
    }
    self.handle = handle
    message = .allocate(capacity: GEOQ_CURL_ERROR_SIZE)
    message.initialize(repeating: 0, count: GEOQ_CURL_ERROR_SIZE)
    set(GEOQ_CURLOPT_ERRORBUFFER, message)
  }

  deinit {
    library.freeTransfer(handle)
    library.freeList(fields)
    message.deallocate()
  }

  func set(_ option: geoq_curl_long_option, _ value: Int) {
    note(geoq_curl_set_long(library.setOption, handle, option, value))
  }

  func set(_ option: geoq_curl_size_option, _ value: Int) {
    note(geoq_curl_set_size(library.setOption, handle, option, Int64(value)))
  }

  func set(_ option: geoq_curl_string_option, _ value: String) {
    note(geoq_curl_set_string(library.setOption, handle, option, value))
  }

  /// The value has to outlive the run.
  func set(_ option: geoq_curl_pointer_option, _ value: UnsafeMutableRawPointer?) {
    note(geoq_curl_set_pointer(library.setOption, handle, option, value))
  }

  func set(_ option: geoq_curl_function_option, _ value: geoq_curl_receiver) {
    note(geoq_curl_set_receiver(library.setOption, handle, option, value))
  }

  /// Sets an option that older versions of libcurl do not have.
  func setIfKnown(_ option: geoq_curl_long_option, _ value: Int) {
    _ = geoq_curl_set_long(library.setOption, handle, option, value)
  }

  /// Adds a header field to the request.
  func add(field name: String, _ value: String) {
    fields = library.append(fields, "\(name): \(value)")
    set(GEOQ_CURLOPT_HTTPHEADER, fields)
  }

  /// Runs the transfer to its end.
  ///
  /// - Returns: libcurl's code: 0 if all went well.
  func run() -> Int32 {
    refusal == 0 ? library.perform(handle) : refusal
  }

  /// The error number with which the system refused a connection; 0 if it is not known.
  var systemError: Int32 {
    var value = 0
    guard geoq_curl_get_long(library.getInfo, handle, GEOQ_CURLINFO_OS_ERRNO, &value) == 0 else {
      return 0
    }
    return Int32(truncatingIfNeeded: value)
  }

  /// What libcurl says about a run that failed.
  func text(of code: Int32) -> String {
    let text = message[0] == 0 ? library.text(code).map { String(cString: $0) } : nil
    let shown = text ?? String(cString: message)
    // a word of capitals stays
    let isWord = shown.dropFirst().first?.isLowercase == true
    return isWord ? shown.prefix(1).lowercased() + shown.dropFirst() : shown
  }

  private func note(_ code: Int32) {
    if refusal == 0 { refusal = code }
  }
}
