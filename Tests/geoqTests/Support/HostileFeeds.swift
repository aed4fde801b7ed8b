import Testing

/// A feed that must be refused as a whole, leaving the database alone.
struct RefusedFeed: Sendable, CustomTestStringConvertible {
  /// What is hostile about it.
  let testDescription: String
  let bytes: [UInt8]
  /// A part of the one sentence that says why.
  let reason: String
  /// How many records are named, each on a line of its own, before that sentence.
  var badRecords = 0

  init(_ name: String, _ text: String, _ reason: String, badRecords: Int = 0) {
    self.init(name, Array(text.utf8), reason, badRecords: badRecords)
  }

  init(_ name: String, _ bytes: [UInt8], _ reason: String, badRecords: Int = 0) {
    testDescription = name
    self.bytes = bytes
    self.reason = reason
    self.badRecords = badRecords
  }
}

/// A feed of two records: the first is odd, the second, `Good`, must come in whatever the first is.
struct OddRecord: Sendable, CustomTestStringConvertible {
  /// What happens to the odd record.
  enum Outcome: Sendable {
    /// It is taken, and its line in `jsonl` has these bytes.
    case kept(String)
    /// It is taken with a warning.
    case warned(String, keeps: String)
    /// It is skipped and named with its number.
    case rejected(String)
  }

  /// What is odd about it.
  let testDescription: String
  let bytes: [UInt8]
  let outcome: Outcome

  init(_ name: String, _ text: String, _ outcome: Outcome) {
    testDescription = name
    bytes = Array(text.utf8)
    self.outcome = outcome
  }
}

/// Builders of feeds in which only one thing is wrong.
enum TestFeed {
  static let good = #"{"name":"Good","location":{"lat":1,"lng":2}}"#

  /// A Bottle Rocket feed of one record and a good one.
  static func records(_ record: String) -> String {
    #"{"restaurants":[\#(record),\#(good)]}"#
  }

  /// A record with members of its own.
  static func members(_ members: String) -> String {
    records(#"{\#(members),"name":"Odd","location":{"lat":1,"lng":3}}"#)
  }

  /// A record with a name as JSON.
  static func name(_ name: String) -> String {
    records(#"{"name":\#(name),"location":{"lat":1,"lng":3}}"#)
  }

  /// A record at a position as JSON.
  static func position(_ latitude: String, _ longitude: String) -> String {
    records(#"{"name":"Odd","location":{"lat":\#(latitude),"lng":\#(longitude)}}"#)
  }

  /// A FeatureCollection of a Feature with a geometry as JSON, and a good Feature.
  static func geometry(_ geometry: String, rootMembers: String = "") -> String {
    let odd = #"{"type":"Feature","geometry":\#(geometry),"properties":{"name":"Odd"}}"#
    return collection("\(odd),\(goodFeature)", rootMembers: rootMembers)
  }

  /// A FeatureCollection.
  static func collection(_ features: String, rootMembers: String = "") -> String {
    #"{"type":"FeatureCollection"\#(rootMembers),"features":[\#(features)]}"#
  }

  static let point = #"{"type":"Point","coordinates":[3,1]}"#

  static let goodFeature =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":{"name":"Good"}}"#

  /// Brackets around a value, `depth` deep.
  static func nested(_ depth: Int, _ open: String, _ close: String) -> String {
    String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
  }
}
