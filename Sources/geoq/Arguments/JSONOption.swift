/// Splits `--json=FIELDS`, because `--json` may have no value.
///
/// An option with an optional value would consume the next word (`geoq show --json ID`), so the
/// form with fields is split before ArgumentParser sees it.
enum JSONOption {
  static let fieldsOption = "--json-fields"

  /// Replaces `--json=a,b` by `--json --json-fields=a,b`.
  static func expanded(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.count
    return arguments.enumerated().flatMap { position, argument in
      guard position < end, argument.hasPrefix("--json=") else { return [argument] }
      return ["--json", fieldsOption + argument.dropFirst("--json".count)]
    }
  }
}
