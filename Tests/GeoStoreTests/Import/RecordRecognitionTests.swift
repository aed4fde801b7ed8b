import Foundation
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Records that are known by their text, and all that must not be taken for one.
struct RecordRecognitionTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func add(
    _ text: String,
    source: String = "test",
    _ change: (inout FeedReader) -> Void = { _ in },
    in pieces: Int = 1 << 20
  ) throws -> ImportReport {
    var reader = FeedReader(source: source)
    change(&reader)
    return try RestaurantStore.importFeed(
      from: try reader.stream(DripBytes(Array(text.utf8), size: pieces)),
      into: store.path
    )
  }

  private func record(_ number: Int, _ name: String = "Place", more: String = "") -> String {
    #"{"id":"p\#(number)","name":"\#(name) \#(number)","lat":\#(number % 80),"lon":1\#(more)}"#
  }

  /// How many records of a feed are known by their text.
  private func knownCount(_ text: String, source: String = "test") throws -> Int {
    let opened = try store.open()
    defer { try? opened.close() }
    let (known, key) = try opened.read { connection in
      let key = try connection.storeID().key
      return (try StoredRows(connection.db, key: key, generation: 1).records, key)
    }
    var stream = try FeedReader(source: source).stream(MemoryBytes(Array(text.utf8)))
    stream.recognize(known, key: key)
    var count = 0
    while let record = try stream.nextFound() {
      if case .known = record.content { count += 1 }
    }
    return count
  }

  @Test func `the same feed is known record by record, whatever its pieces`() throws {
    for (first, rest) in [("", "\n"), ("[", ",\n")] {
      let text =
        first + (0..<200).map { record($0) }.joined(separator: rest)
        + (first.isEmpty ? "\n" : "]")
      _ = try add(text)
      #expect(try knownCount(text) == 200)
      for pieces in [1, 7, 1_000] {
        let report = try add(text, in: pieces)
        #expect(report.unchanged == 200 && report.read == 200 && report.generation <= 2)
      }
    }
  }

  @Test func `a record that differs in one byte is read`() throws {
    let records = (0..<100).map { record($0) }
    _ = try add(records.joined(separator: "\n"))
    for (old, new) in [
      ("Place 7\"", "Placf 7\""), ("\"lat\":79,", "\"lat\":78,"), ("p11\"", "p111\""),
    ] {
      let text = records.map { $0.replacing(old, with: new) }.joined(separator: "\n")
      #expect(try knownCount(text) == 99)
      let fresh = try TemporaryStore()
      _ = try add(text)
      _ = try RestaurantStore.importFeed(
        from: try FeedReader(source: "test").stream(MemoryBytes(Array(text.utf8))),
        into: fresh.path
      )
      #expect(try store.restaurants().map(\.allBytes) == fresh.restaurants().map(\.allBytes))
      _ = try add(records.joined(separator: "\n"))
    }
  }

  @Test func `a known record that comes twice is skipped the second time`() throws {
    let text = (0..<5).map { record($0) }.joined(separator: "\n")
    _ = try add(text)
    let report = try add(text + "\n" + record(3) + "\n" + record(1, "Other"))
    #expect(report.unchanged == 5 && report.rejectedCount == 2 && report.read == 7)
    #expect(report.rejected.map(\.record) == [6, 7])
    #expect(report.rejected[0].problem == "its id is the same as in record 4")
    #expect(report.rejected[1].problem == "id \"p1\" is the same as in record 2")
    let turned = try add(record(1, "Other") + "\n" + text)
    #expect(turned.updated == 1 && turned.rejected.map(\.record) == [3])
    #expect(try store.open().restaurant(id: "p1")?.name == "Other 1")
  }

  @Test func `what is said of a record is said again each time`() throws {
    let odd = record(1).replacing("\"lat\":1,", with: "\"lat\":\"1\",")
    let first = try add(record(0) + "\n" + odd)
    let second = try add(record(0) + "\n" + odd)
    #expect(first.warnings.map(\.problem) == second.warnings.map(\.problem))
    #expect(first.warnings.count == 1)
  }

  @Test func `another manner of reading knows nothing`() throws {
    let text = (0..<20).map { record($0, more: #","title":"T""#) }.joined(separator: "\n")
    _ = try add(text)
    #expect(try knownCount(text) == 20)
    #expect(try knownCount(text, source: "elsewhere") == 0)
    let report = try add(text) { $0.columns.names[.name] = "title" }
    #expect(report.updated == 20)
    #expect(try store.open().restaurant(id: "p1")?.name == "T")
    #expect(try add(text).updated == 20)
  }

  @Test func `a record that is gone is forgotten with its row`() throws {
    let text = (0..<20).map { record($0) }.joined(separator: "\n")
    _ = try add(text)
    _ = try add((0..<19).map { record($0) }.joined(separator: "\n"))
    #expect(try knownCount(text) == 19)
    #expect(try add(text).inserted == 1)
    #expect(try knownCount(text) == 20)
  }

  @Test func `unchanged records are learned with the next change`() throws {
    let text = (0..<20).map { record($0) }.joined(separator: "\n")
    let spaced = text.replacing(",", with: ", ")
    _ = try add(text)
    #expect(try add(spaced).unchanged == 20)
    #expect(try knownCount(spaced) == 0)
    #expect(try add(spaced + "\n" + record(20)).inserted == 1)
    #expect(try knownCount(spaced) == 20)
  }

  @Test func `a broken feed of known records is refused as ever`() throws {
    let text = (0..<20).map { record($0) }.joined(separator: ",")
    _ = try add("[" + text + "]")
    for broken in ["[" + text, "[" + text + "]x", "[" + text + ",]", "[" + text + " " + record(1)] {
      #expect(throws: FeedError.self) { try add(broken) }
    }
  }

  @Test func `records without an end are not scanned again and again`() throws {
    let key = SipHash.Key(low: 1, high: 2)
    let recognition = RecordRecognition(KnownRecords([]), key: key, manner: [])
    let text = String(repeating: "{\n", count: 20_000) + record(1)
    var window = FeedWindow(MemoryBytes(Array(text.utf8)))
    try window.beginText()
    var splitter = SequenceSplitter(usesSeparators: false)
    var count = 0
    while try splitter.next(in: &window, recognition) != nil { count += 1 }
    #expect(count == 20_001)
    #expect(window.searchedCount <= 2 * text.utf8.count + 2 * FeedWindow.chunk)
  }

  /// Where this fails because records are read differently, raise `RecordRecognition.edition` as well:
  /// else stores keep what the older version made of records that have not changed.
  @Test func `a change to how records are read raises the edition`() throws {
    var all: [UInt8] = []
    for fixture in Fixture.all {
      for members in try fixture.expected() { all += JSONWriter.of(.object(members)).utf8 }
    }
    let key = SipHash.Key(low: 1, high: 2)
    let hash = all.withUnsafeBytes { SipHash.short($0, key: key) }
    #expect(RecordRecognition.edition == 8)
    #expect(hash == 10_661_966_167_994_786_414, "the hash is \(hash)")
  }

  @Test func `the end of an object is where its braces end`() {
    for (text, end) in [
      ("{}", 2), ("{} ", 2), (#"{"a":{"b":"}"}}x"#, 15), (#"{"a":"\"}"}"#, 11), ("{", nil),
      ("", nil),
      (#"{"a"#, nil), (#"{"a\"#, nil), ("[]", nil), (#"{"\\":1}"#, 8), ("{\"a\u{1}\":1}", 8),
    ] as [(String, Int?)] {
      let bytes = Array(text.utf8)
      #expect(bytes.withUnsafeBytes { endOfObject($0, 0) } == end, "\(text)")
      #expect(([0x20] + bytes).withUnsafeBytes { endOfObject($0, 1) } == end.map { $0 + 1 })
    }
  }
}
