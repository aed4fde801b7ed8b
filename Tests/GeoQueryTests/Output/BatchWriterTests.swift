import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct BatchWriterTests {
  private func text(_ style: AnswerFormat, _ body: (inout BatchWriter) -> Void) -> String {
    var writer = BatchWriter(style)
    body(&writer)
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  private let match = Match(restaurant: .plain("a", at: .at(1, 2)), distance: 3.5)

  private let item =
    #"{"id":"a","name":"Name of a","latitude":1.0,"longitude":2.0,"distance":3.5,"source":"test"}"#

  @Test func `lines of JSON carry the input line, answers and errors`() {
    let text = text(.jsonl) {
      $0.write(BatchPoint(line: 3), [match, match])
      $0.write(BatchPoint(line: 4), [])
      $0.write(BatchPoint(line: 7), error: "\"x\" is no point")
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
      $0.write(BatchPoint(line: 3), [match, match])
      $0.write(BatchPoint(line: 4), [])
      $0.write(BatchPoint(line: 7), error: "no point")
      $0.write(BatchPoint(line: 9), [match])
    }
    let records = try #require(CSVParser.records(of: csv))
    #expect(records.first == ["line"] + RestaurantField.ofPlaces.map(\.rawValue))
    #expect(
      records.dropFirst().map { Array($0.prefix(3)) } == [
        ["3", "a", "Name of a"], ["3", "a", "Name of a"], ["9", "a", "Name of a"],
      ]
    )
    let tsv = text(.tsv) { $0.write(BatchPoint(line: 12), [match]) }
    let lines = tsv.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("line\tid\tname\t"))
    #expect(lines[1].hasPrefix("12\ta\tName of a\t"))
  }

  @Test func `the header comes once, before anything is written`() {
    var writer = BatchWriter(.csv)
    #expect(!writer.takeBytes().isEmpty)
    #expect(writer.takeBytes().isEmpty)
    writer.write(BatchPoint(line: 1), [match])
    #expect(String(decoding: writer.takeBytes(), as: UTF8.self).hasPrefix("1,a,"))
    var json = BatchWriter(.jsonl)
    #expect(json.takeBytes().isEmpty)
  }

  @Test func `a point's own columns go along, and give way to names of the answer`() {
    let point = BatchPoint(
      line: 2,
      id: "S1",
      columns: [
        JSONMember(name: "name", value: .string("=Stop")),
        JSONMember(name: "n", value: .number("1")),
        JSONMember(name: "gap", value: .null),
      ]
    )
    func text(_ format: AnswerFormat) -> String {
      var writer = BatchWriter(
        format,
        idName: "stop",
        columns: point.columns.map(\.name),
        fields: [.name, .distance]
      )
      writer.write(point, [match])
      writer.end()
      return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
    #expect(text(.csv) == "stop,point_name,n,gap,name,distance\r\nS1,'=Stop,1,,Name of a,3.5\r\n")
    #expect(
      text(.tsv) == "stop\tpoint_name\tn\tgap\tname\tdistance\nS1\t=Stop\t1\t\tName of a\t3.5\n"
    )
    let object =
      #"{"line":2,"id":"S1","point":{"name":"=Stop","n":1},"items":[{"name":"Name of a","distance":3.5}]}"#
    #expect(text(.jsonl) == object + "\n")
    #expect(text(.json) == "{\"schema\":\"geoq.batch/1\",\"points\":[\n\(object)\n]}\n")
    #expect(
      text(.geojson).contains(#""properties":{"stop":"S1","point_name":"=Stop","n":1,"name""#)
    )
    #expect(text(.geojsonseq).hasPrefix("\u{1E}{\"type\":\"Feature\""))
    #expect(text(.ids) == "a\n")
  }
}
