import Foundation

/// The token for writing: the single line of a file.
enum WriteToken {
  private static let lengths = 16...200

  /// Reads a token.
  ///
  /// - Throws: `CommandFailure` if the file cannot be read, is accessible to others, or does not
  ///   contain a token.
  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure(
        "--token-file: cannot read \(terminalSafe(path)); check its name and permissions",
        exitCode: CommandFailure.noInput
      )
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try checkOwner(of: descriptor, path)
    // one byte more than the longest token, so that a larger file is not read completely
    let limit = lengths.upperBound + 3
    var token = [UInt8]((try? file.read(upToCount: limit)) ?? Data())
    while let last = token.last, last == 0x0A || last == 0x0D { token.removeLast() }
    guard lengths.contains(token.count), token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CommandFailure(
        "--token-file: expected one line of \(lengths.lowerBound) to \(lengths.upperBound) printable "
          + "characters without spaces; make one with: openssl rand -hex 32",
        exitCode: CommandFailure.usage
      )
    }
    return token
  }

  /// Rejects a file that others can read or write, because its token is not a secret.
  private static func checkOwner(of descriptor: Int32, _ path: String) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    let mode = Int(status.st_mode)
    guard mode & 0o026 == 0 else {
      throw CommandFailure(
        "--token-file: others can read or write \(terminalSafe(path)); run: chmod 600 "
          + terminalSafe(path),
        exitCode: CommandFailure.usage
      )
    }
  }
}
