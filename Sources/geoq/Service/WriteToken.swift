import Foundation

/// The token that writers must have: the one line of a file.
enum WriteToken {
  private static let leastLength = 16

  /// Reads a token.
  ///
  /// - Throws: `CommandFailure` where the file cannot be read, or holds something else.
  static func read(_ path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandFailure(
        "--token-file: cannot read \(terminalSafe(path)); check its name and permissions",
        exitCode: CommandFailure.noInput
      )
    }
    var token = [UInt8](data)
    while let last = token.last, last == 0x0A || last == 0x0D { token.removeLast() }
    guard token.count >= leastLength, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CommandFailure(
        "--token-file: expected one line of at least \(leastLength) printable characters without "
          + "blanks; make one with: openssl rand -hex 32",
        exitCode: CommandFailure.usage
      )
    }
    return token
  }
}
