import GeoFeed
import GeoQuery

/// The file of `--reject-file`: the records left out, one JSON object a line.
///
/// It is there when the whole feed has been read. What is there already is replaced only by force; `-`
/// is standard output.
struct RejectFile {
  private let file: OutputFile

  init(path: String, force: Bool) throws {
    file = try OutputFile(path: path == "-" ? "/dev/stdout" : path, force: force)
  }

  /// Writes a record with the reason why it was left out.
  ///
  /// - Parameters:
  ///   - error: The reason and the place.
  ///   - text: The record as the feed has it; empty where it is too long to be kept.
  /// - Throws: `OutputError` where it cannot be written.
  func add(_ error: FeedError, _ text: [UInt8]) throws {
    var members = [JSONMember(name: "source", value: .string(error.source))]
    for (name, number) in [("record", error.record), ("line", error.line), ("byte", error.byte)] {
      guard let number else { continue }
      members.append(JSONMember(name: name, value: .number(String(number))))
    }
    members.append(JSONMember(name: "problem", value: .string(error.problem)))
    if !text.isEmpty {
      let text = String(decoding: text, as: UTF8.self)
      members.append(JSONMember(name: "text", value: .string(text)))
    }
    try file.write(Array("\(JSONValue.object(members))\n".utf8))
  }

  /// Puts the file in place.
  func commit() throws {
    try file.commit()
  }
}
