import CPostgres
import Foundation
import GeoFeed
import GeoQuery

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The library libpq, loaded when a store in PostgreSQL is opened.
///
/// So the build needs neither its headers nor the library, and the tool runs on files without it.
struct PostgresLibrary: Sendable {
  let connect: geoq_pq_connect
  let finish: geoq_pq_finish
  let reset: geoq_pq_reset
  let status: geoq_pq_status
  let needsPassword: geoq_pq_needs_password
  let errorMessage: geoq_pq_error_message
  let setVerbosity: geoq_pq_set_verbosity
  let setNotice: geoq_pq_set_notice
  let user: geoq_pq_connection_text
  let send: geoq_pq_send
  let nextResult: geoq_pq_next_result
  let clear: geoq_pq_clear
  let resultStatus: geoq_pq_result_status
  let resultError: geoq_pq_result_error
  let commandStatus: geoq_pq_command_text
  let commandCount: geoq_pq_command_text
  let rowCount: geoq_pq_count
  let columnCount: geoq_pq_count
  let value: geoq_pq_value
  let length: geoq_pq_cell
  let isNull: geoq_pq_cell
  let putData: geoq_pq_put_data
  let putEnd: geoq_pq_put_end
  let getData: geoq_pq_get_data
  let free: geoq_pq_free
  let consumeInput: geoq_pq_consume_input
  let notification: geoq_pq_notification
  let isBusy: geoq_pq_is_busy
  let socket: geoq_pq_socket
  let getCancel: geoq_pq_get_cancel
  let cancel: geoq_pq_cancel
  let freeCancel: geoq_pq_free_cancel

  /// The library of this process.
  ///
  /// - Throws: `PostgresMissing`.
  static func loaded() throws -> PostgresLibrary { try shared.get() }

  private static let shared = Result { try PostgresLibrary(names: names) }

  #if canImport(Glibc)
  private static let names = ["libpq.so.5"]
  #else
  private static let names = [
    "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
    "libpq.5.dylib",
  ]
  #endif

  /// Loads the first of some libraries that is installed.
  ///
  /// - Throws: `PostgresMissing`.
  init(names: [String]) throws {
    // it stays until the process ends
    let handle = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    guard let handle else {
      throw PostgresMissing(reason: dlerror().map { String(cString: $0) } ?? "no reason given")
    }
    func function<Function>(_ name: String, _ type: Function.Type) throws -> Function {
      guard let symbol = dlsym(handle, name) else {
        throw PostgresMissing(reason: "it has no \(name)")
      }
      return unsafeBitCast(symbol, to: type)
    }
    connect = try function("PQconnectdbParams", geoq_pq_connect.self)
    finish = try function("PQfinish", geoq_pq_finish.self)
    reset = try function("PQreset", geoq_pq_reset.self)
    status = try function("PQstatus", geoq_pq_status.self)
    needsPassword = try function("PQconnectionNeedsPassword", geoq_pq_needs_password.self)
    errorMessage = try function("PQerrorMessage", geoq_pq_error_message.self)
    setVerbosity = try function("PQsetErrorVerbosity", geoq_pq_set_verbosity.self)
    setNotice = try function("PQsetNoticeProcessor", geoq_pq_set_notice.self)
    user = try function("PQuser", geoq_pq_connection_text.self)
    send = try function("PQsendQueryParams", geoq_pq_send.self)
    nextResult = try function("PQgetResult", geoq_pq_next_result.self)
    clear = try function("PQclear", geoq_pq_clear.self)
    resultStatus = try function("PQresultStatus", geoq_pq_result_status.self)
    resultError = try function("PQresultErrorField", geoq_pq_result_error.self)
    commandStatus = try function("PQcmdStatus", geoq_pq_command_text.self)
    commandCount = try function("PQcmdTuples", geoq_pq_command_text.self)
    rowCount = try function("PQntuples", geoq_pq_count.self)
    columnCount = try function("PQnfields", geoq_pq_count.self)
    value = try function("PQgetvalue", geoq_pq_value.self)
    length = try function("PQgetlength", geoq_pq_cell.self)
    isNull = try function("PQgetisnull", geoq_pq_cell.self)
    putData = try function("PQputCopyData", geoq_pq_put_data.self)
    putEnd = try function("PQputCopyEnd", geoq_pq_put_end.self)
    getData = try function("PQgetCopyData", geoq_pq_get_data.self)
    free = try function("PQfreemem", geoq_pq_free.self)
    consumeInput = try function("PQconsumeInput", geoq_pq_consume_input.self)
    notification = try function("PQnotifies", geoq_pq_notification.self)
    isBusy = try function("PQisBusy", geoq_pq_is_busy.self)
    socket = try function("PQsocket", geoq_pq_socket.self)
    getCancel = try function("PQgetCancel", geoq_pq_get_cancel.self)
    cancel = try function("PQcancel", geoq_pq_cancel.self)
    freeCancel = try function("PQfreeCancel", geoq_pq_free_cancel.self)
  }
}

/// libpq is not installed, or not in a version that has all functions.
struct PostgresMissing: Error, CustomStringConvertible {
  let reason: String

  /// What is missing, why, and what to do.
  var description: String {
    "libpq, which talks to PostgreSQL, cannot be loaded (\(shortened(reason, to: 200))); install it: "
      + "libpq5 on Debian, libpq with Homebrew"
  }
}
