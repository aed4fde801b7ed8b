import GeoStore

extension StorePlace {
  /// The store given by `--db` and `--cache`.
  ///
  /// - Throws: `CommandFailure` if an address is wrong, or if it needs a folder and there is none.
  init(database: String, cache: String?) throws {
    guard PostgresAddress.isAddress(database) else {
      self = .file(database)
      return
    }
    let address: PostgresAddress
    do throws(PostgresAddress.Problem) {
      address = try PostgresAddress(database)
    } catch {
      throw CommandFailure("--db: \(error)", exitCode: CommandFailure.usage)
    }
    guard let cache = cache ?? Self.userCache else {
      throw CommandFailure(
        "there is no folder for snapshots: neither HOME nor XDG_CACHE_HOME is set; give --cache",
        exitCode: CommandFailure.usage
      )
    }
    self = .postgres(address, cache: cache)
  }

  private static var userCache: String? {
    let variable = { (name: String) -> String? in
      CommandContext.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return variable("XDG_CACHE_HOME").map { $0 + "/geoq" }
      ?? variable("HOME").map { $0 + "/.cache/geoq" }
  }
}
