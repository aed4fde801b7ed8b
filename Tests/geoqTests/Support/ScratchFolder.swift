import Foundation

/// A fresh folder for one test, removed with all that is in it when the test ends.
final class ScratchFolder {
  let path: String

  init() {
    var template = Array("/tmp/geoq-test-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder.
  subscript(name: String) -> String { path + "/" + name }

  /// Everything in the folder but snapshots, dot files included, sorted.
  var names: [String] { allNames.filter { !$0.hasSuffix(".geoqx") } }

  /// The snapshots in the folder, sorted.
  var snapshots: [String] { allNames.filter { $0.hasSuffix(".geoqx") } }

  private var allNames: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Makes a file the plain way, with what the umask leaves unless permissions are given.
  func write(_ text: String, to name: String, permissions: mode_t? = nil) {
    let descriptor = open(self[name], O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    let bytes = Array(text.utf8)
    _ = systemWriteAll(descriptor, bytes)
    if let permissions { fchmod(descriptor, permissions) }
    close(descriptor)
  }

  /// The text of a file, `nil` if there is none.
  func text(of name: String) -> String? {
    let descriptor = open(self[name], O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return String(decoding: readToEnd(of: descriptor), as: UTF8.self)
  }

  /// The permission bits of a file.
  func permissions(of name: String) -> mode_t {
    var status = stat()
    lstat(self[name], &status)
    return status.st_mode & 0o777
  }

  /// Whether there is a symbolic link of that name.
  func isLink(_ name: String) -> Bool {
    var status = stat()
    return lstat(self[name], &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}

/// Everything that can be read from a descriptor.
func readToEnd(of descriptor: Int32) -> [UInt8] {
  var all: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4_096)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    guard count > 0 else { return all }
    all += chunk[..<count]
  }
}

private func systemWriteAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
  write(descriptor, bytes, bytes.count)
}
