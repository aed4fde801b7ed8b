/// The kinds of targets of `-o`.
enum OutputTarget: Equatable {
  /// A new file, or one to replace, with its permissions.
  case file(FilePlace, permissions: mode_t?)
  /// A pipe or a device, which is written directly.
  case stream(path: String)
  /// A descriptor of this process, as in `/dev/stdout`.
  case descriptor(Int32)

  /// Whether it is a file to create or replace.
  var isFile: Bool { if case .file = self { true } else { false } }

  /// Finds the kind of a path, following symbolic links.
  ///
  /// - Parameters:
  ///   - path: As the user gave it; errors name this one.
  ///   - force: Whether an existing file may be replaced.
  /// - Throws: `OutputError.exists`, `.notAFile` or `.cannotCreate`.
  init(path: String, force: Bool) throws(OutputError) {
    if let descriptor = Self.ownDescriptor(path) {
      self = .descriptor(descriptor)
      return
    }
    let place = try Self.followingLinks(path)
    var status = stat()
    guard stat(place, &status) == 0 else {
      guard errno == ENOENT else { throw .cannotCreate(path: path, errno: errno) }
      self = .file(FilePlace(path: place), permissions: nil)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG where force:
      self = .file(FilePlace(path: place), permissions: status.st_mode & 0o777)
    case S_IFREG: throw .exists(path: path)
    case S_IFIFO, S_IFCHR: self = .stream(path: place)
    case S_IFDIR: throw .notAFile(path: path, what: "a folder")
    default: throw .notAFile(path: path, what: "a socket or block device")
    }
  }

  /// The descriptor that a path of this process names, which must not be replaced like a file.
  private static func ownDescriptor(_ path: String) -> Int32? {
    if path == "/dev/stdout" { return CommandContext.current.output }
    if path == "/dev/stderr" { return CommandContext.current.error }
    guard path.hasPrefix("/dev/fd/") else { return nil }
    return Int32(path.dropFirst("/dev/fd/".count))
  }

  /// The path at the end of a chain of symbolic links, whether or not the file exists.
  private static func followingLinks(_ path: String) throws(OutputError) -> String {
    var place = path
    for _ in 0..<40 {  // Linux follows 40 links
      guard let target = link(at: place) else { return place }
      place = target.hasPrefix("/") ? target : FilePlace(path: place).folder + "/" + target
    }
    throw .cannotCreate(path: path, errno: ELOOP)
  }

  /// The target of a symbolic link; `nil` if the path is not one.
  private static func link(at path: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { bytes, count in
      count = bytes.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { max(0, readlink(path, $0, text.count)) } ?? 0
      }
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}

/// A path in two parts: the folder to open and the name in it.
struct FilePlace: Equatable {
  /// The folder, `.` for a bare name.
  let folder: String
  /// The last part, empty if the path ends in a slash.
  let name: String

  /// Splits at the last slash.
  init(path: String) {
    guard let slash = path.lastIndex(of: "/") else {
      folder = "."
      name = path
      return
    }
    folder = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.index(after: slash)...])
  }
}
