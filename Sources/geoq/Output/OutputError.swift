/// Why output could not be written.
enum OutputError: Error, Equatable {
  /// The reader is gone (EPIPE): stop quietly and exit with 0.
  case closed
  /// The file exists and `--force` was not given.
  case exists(path: String)
  /// The path is something that cannot be written like a file, such as a folder.
  case notAFile(path: String, what: String)
  /// The file cannot be opened or created.
  case cannotCreate(path: String, errno: Int32)
  /// Writing, syncing or renaming failed.
  case failed(path: String, errno: Int32)

  /// The kinds of failures, each with its exit code.
  enum Kind {
    /// Exit code 0.
    case closed
    /// Exit code 73.
    case cannotCreate
    /// Exit code 74.
    case inputOutput
    /// Exit code 77.
    case permission
  }

  /// The kind of failure, by the system's error number if there is one.
  var kind: Kind {
    switch self {
    case .closed: .closed
    case .exists, .notAFile: .cannotCreate
    case .cannotCreate(_, EACCES), .cannotCreate(_, EPERM): .permission
    case .failed(_, EACCES), .failed(_, EPERM): .permission
    case .cannotCreate(_, ENOSPC), .cannotCreate(_, EDQUOT), .cannotCreate(_, EIO): .inputOutput
    case .cannotCreate: .cannotCreate
    case .failed: .inputOutput
    }
  }
}

extension OutputError: CustomStringConvertible {
  /// One sentence: what, where, what to do.
  var description: String {
    switch self {
    case .closed:
      "the reader of the output has closed it"
    case .exists(let path):
      "\(terminalSafe(path)) exists; use --force to overwrite it"
    case .notAFile(let path, let what):
      "\(terminalSafe(path)) is \(what); name a file"
    case .cannotCreate(let path, let errno):
      "cannot create \(terminalSafe(path)): \(Self.reason(errno))"
    case .failed(let path, let errno):
      "cannot write \(terminalSafe(path)): \(Self.reason(errno))"
    }
  }

  /// The system's text for an error number, with what to do if that is known.
  private static func reason(_ errno: Int32) -> String {
    let words = String(cString: strerror(errno))
    let advice: String? =
      switch errno {
      case EACCES, EPERM, EROFS: "write to a folder of your own"
      case ENOSPC, EDQUOT: "free some space and try again"
      case ENOENT, ENOTDIR: "make the folder first"
      case EFBIG: "raise the file-size limit or write less"
      case EMFILE, ENFILE: "close some files and try again"
      default: nil
      }
    return advice.map { "\(words); \($0)" } ?? words
  }
}
