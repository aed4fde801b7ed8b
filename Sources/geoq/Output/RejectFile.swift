import GeoFeed
import GeoQuery

/// The file of `--reject-file`: the rejected records, one JSON object per line.
///
/// It appears when the whole feed has been read. An existing file is replaced only with `--force`;
/// `-` is standard output.
struct RejectFile {
  private let file: OutputFile

  init(path: String, force: Bool) throws {
    file = try OutputFile(path: path == "-" ? "/dev/stdout" : path, force: force)
  }

  /// Writes a record with the reason why it was rejected.
  ///
  /// - Parameters:
  ///   - error: The reason and the place.
  ///   - text: The record as the feed has it; empty if it is too long.
  /// - Throws: `OutputError` if it cannot be written.
  func add(_ error: FeedError, _ text: [UInt8]) throws {
    var members = [JSONMember(name: "source", value: .string(error.source))]
    for (name, number) in [("record", error.record), ("line", error.line), ("byte", error.byte)] {
      guard let number else { continue }
      members.append(JSONMember(name: name, value: .number(String(number))))
    }
    members.append(JSONMember(name: "problem", value: .string(Remedy.naming(error.problem))))
    if !text.isEmpty {
      let text = String(decoding: text, as: UTF8.self)
      members.append(JSONMember(name: "text", value: .string(text)))
    }
    try file.write(Array("\(JSONValue.object(members))\n".utf8))
  }

  /// Renames the finished file.
  func commit() throws {
    try file.commit()
  }
}
