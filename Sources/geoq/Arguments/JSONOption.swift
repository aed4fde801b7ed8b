/// `--json` alone and `--json=FIELDS`.
///
/// An option with an optional value would swallow the next word (`geoq show --json ID`), so the form
/// with fields is split before ArgumentParser sees it.
enum JSONOption {
  static let fieldsOption = "--json-fields"

  /// The arguments with `--json=a,b` as `--json --json-fields=a,b`.
  static func expanded(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    return arguments.enumerated().flatMap { position, argument in
      guard position < end, argument.hasPrefix("--json=") else { return [argument] }
      return ["--json", fieldsOption + argument.dropFirst("--json".count)]
    }
  }
}
