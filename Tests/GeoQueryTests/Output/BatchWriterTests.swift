import Testing

@testable import GeoFeed
@testable import GeoQuery

struct BatchWriterTests {
  private func text(_ style: BatchWriter.Style, _ body: (inout BatchWriter) -> Void) -> String {
    var writer = BatchWriter(style)
    body(&writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  private let match = Match(restaurant: .plain("a", at: .at(1, 2)), distance: 3.5)

  private let item =
    #"{"id":"a","name":"Name of a","latitude":1.0,"longitude":2.0,"distance":3.5,"source":"test"}"#

  @Test func `lines of JSON carry the input line, answers and errors`() {
    let text = text(.jsonl) {
      $0.write(line: 3, [match, match])
      $0.write(line: 4, [])
      $0.write(line: 7, error: "\"x\" is no point")
    }
    #expect(
      text == """
        {"line":3,"items":[\(item),\(item)]}
        {"line":4,"items":[]}
        {"line":7,"error":"\\"x\\" is no point"}

        """
    )
  }

  @Test func `rows begin with the input line, and errors have no row`() throws {
    let csv = text(.csv) {
      $0.write(line: 3, [match, match])
      $0.write(line: 4, [])
      $0.write(line: 7, error: "no point")
      $0.write(line: 9, [match])
    }
    let records = try #require(CSVParser.records(of: csv))
    #expect(records.first == ["line"] + RestaurantField.ofPlaces.map(\.rawValue))
    #expect(
      records.dropFirst().map { Array($0.prefix(3)) } == [
        ["3", "a", "Name of a"], ["3", "a", "Name of a"], ["9", "a", "Name of a"],
      ]
    )
    let tsv = text(.tsv) { $0.write(line: 12, [match]) }
    let lines = tsv.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("line\tid\tname\t"))
    #expect(lines[1].hasPrefix("12\ta\tName of a\t"))
  }

  @Test func `the header comes once, before anything is written`() {
    var writer = BatchWriter(.csv)
    #expect(!writer.takeBytes().isEmpty)
    #expect(writer.takeBytes().isEmpty)
    writer.write(line: 1, [match])
    #expect(String(decoding: writer.takeBytes(), as: UTF8.self).hasPrefix("1,a,"))
    var json = BatchWriter(.jsonl)
    #expect(json.takeBytes().isEmpty)
  }
}
