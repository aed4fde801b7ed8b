import Foundation
import GeoQuery
import NIOConcurrencyHelpers

/// Images in a folder of the operator, named by id: `ID.png`, and `ID+1.png`, `ID+2.png` for more.
///
/// Ids are percent-encoded as in addresses, so that any id can be a file name. Only names that the
/// folder lists are opened, and links are not followed, so that nothing leads out of the folder.
package final class ImageFolder: Sendable {
  private struct Index {
    var changed = -1
    /// The names of files by id and number.
    var names: [UTF8Key: [Int: String]] = [:]
  }

  private let files: ImageFiles
  private let index = NIOLockedValueBox(Index())

  /// Opens a folder; nil if it is not one.
  package init?(_ path: String) {
    guard let files = ImageFiles(path) else { return nil }
    self.files = files
  }

  /// The numbers of a restaurant's images, ascending.
  func numbers(of id: String) -> [Int] { names(of: id).keys.sorted() }

  /// An image of a restaurant; nil if it is missing, or is not an image that browsers show.
  func image(_ number: Int, of id: String) -> ServedImage? {
    names(of: id)[number].flatMap { files.bytes(of: $0) }.flatMap { ServedImage($0, isOwn: true) }
  }

  private func names(of id: String) -> [Int: String] {
    index.withLockedValue { index in
      let changed = files.changed
      // a file may have been added in the same moment as the last look
      let isSettled = changed < Int(Date().timeIntervalSince1970 - 2) * 1_000_000_000
      if changed != index.changed || !isSettled {
        index.names = read()
        index.changed = changed
      }
      return index.names[UTF8Key(id)] ?? [:]
    }
  }

  private func read() -> [UTF8Key: [Int: String]] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []
    var found: [UTF8Key: [Int: String]] = [:]
    // sorted, so that of a.jpg and a.png the same one is used every time
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      guard let (id, number) = Self.meaning(of: name), found[UTF8Key(id)]?[number] == nil else {
        continue
      }
      found[UTF8Key(id), default: [:]][number] = name
    }
    return found
  }

  /// The id and the number in a name; nil if it is not the name of an image.
  static func meaning(of name: String) -> (id: String, number: Int)? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
      endings.contains(String(name[name.utf8.index(after: dot)...]).lowercased())
    else { return nil }
    let stem = name[..<dot]
    guard let plus = stem.utf8.lastIndex(of: UInt8(ascii: "+")) else {
      return PercentCoding.decoded(stem).map { ($0, 0) }
    }
    let digits = stem[stem.utf8.index(after: plus)...]
    guard (1...2).contains(digits.utf8.count), let number = Int(digits),
      (1..<ImageLimits.count).contains(number), let id = PercentCoding.decoded(stem[..<plus]),
      !id.isEmpty
    else { return nil }
    return (id, number)
  }

  private static let endings = Set(ImageFormat.allCases.flatMap(\.endings))
}

/// The files of a folder that is held open, so that a name cannot lead out of it.
final class ImageFiles: Sendable {
  let path: String

  private let descriptor: Int32

  /// Opens a folder; nil if it is not one.
  init?(_ path: String) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { return nil }
  }

  deinit {
    close(descriptor)
  }

  /// The bytes of a file; nil if it is missing, is a link or another special file, or is too large.
  func bytes(of name: String) -> [UInt8]? {
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    // does not block on a pipe with this name
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      facts.st_size <= ImageLimits.bytes
    else { return nil }
    let size = Int(facts.st_size)
    let data = try? FileHandle(fileDescriptor: file).read(upToCount: size)
    let bytes = Array(data ?? Data())
    return bytes.count == size ? bytes : nil
  }

  /// Sets the time of a file's last use to now.
  func touch(_ name: String) {
    utimensat(descriptor, name, nil, 0)
  }

  func remove(_ name: String) {
    unlinkat(descriptor, name, 0)
  }

  /// A regular file's size, and the time of its last use in nanoseconds; nil for anything else.
  func facts(of name: String) -> (size: Int, used: Int)? {
    var facts = stat()
    guard fstatat(descriptor, name, &facts, AT_SYMLINK_NOFOLLOW) == 0,
      facts.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return (Int(facts.st_size), Self.nanoseconds(of: facts))
  }

  /// The time of the last change of the folder's list of names, in nanoseconds.
  var changed: Int {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? Self.nanoseconds(of: facts) : 0
  }

  private static func nanoseconds(of facts: stat) -> Int {
    #if canImport(Glibc)
    let time = facts.st_mtim
    #else
    let time = facts.st_mtimespec
    #endif
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Runs a block while no other process runs one through this function.
  func alone(_ body: () throws -> Void) rethrows {
    flock(descriptor, LOCK_EX)
    defer { flock(descriptor, LOCK_UN) }
    try body()
  }
}
