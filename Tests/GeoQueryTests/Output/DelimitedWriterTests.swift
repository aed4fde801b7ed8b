import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct DelimitedWriterTests {
  private let shown: [RestaurantField] = [
    .id, .name, .distance, .address, .formattedAddress, .rating, .closed, .extra,
  ]

  @Test func `CSV has a header, CRLF, and quotes only if they are needed`() {
    #expect(
      AnswerFormat.csv.text(of: Golden.matches, fields: shown)
        == "id,name,distance,address,formattedAddress,rating,closed,extra\r\n"
        + "a-1,\"Café \"\"A\"\"\",12.25,\"1 Main St, #2\",1 Main St; Addison,4.5,true,"
        + "\"{\"\"x\"\":[0.10,null]}\"\r\n" + "b,B,1000000.0,,,,,\r\n"
    )
  }

  @Test func `TSV is one line per record, tabs, line ends and backslashes escaped`() {
    var restaurant = Restaurant.plain("a\tb")
    restaurant.name = "\\ \n \r \r\n \"q\", é"
    restaurant.extra = [JSONMember(name: "t", value: .string("\\\t"))]
    let text = AnswerFormat.tsv.text(
      of: [Match(restaurant: restaurant)],
      fields: [.id, .name, .category, .extra]
    )
    #expect(
      Array(text.utf8)
        == Array(
          ("id\tname\tcategory\textra\n"
            + #"a\tb"# + "\t" + #"\\ \n \r \r\n "q", é"# + "\t\t" + #"{"t":"\\\\\\t"}"# + "\n").utf8
        )
    )
  }

  @Test func `distance is a column only if the query has a center`() throws {
    let keys = RestaurantField.ofPlaces.map(\.rawValue)
    for (hasDistance, expected) in [(true, keys), (false, keys.filter { $0 != "distance" })] {
      for (format, separator) in [(AnswerFormat.csv, ","), (.tsv, "\t")] {
        let text = format.text(of: [], hasDistance: hasDistance)
        let header = text.split(whereSeparator: \.isNewline).first
        #expect(header?.split(separator: separator).map(String.init) == expected)
      }
    }
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+1 a", "'+1 a"), ("-1+a", "'-1+a"), ("@SUM(A1)", "'@SUM(A1)"),
    ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("a=1", "a=1"), (" =1", " =1"), ("'x", "'x"), ("", ""),
    ("\n=1", "'\n=1"), ("'=1", "''=1"), ("''+", "'''+"),
  ])
  func `a text that a spreadsheet would run gets an apostrophe`(_ text: String, _ cell: String) {
    var restaurant = Restaurant.plain("a")
    restaurant.category = text
    restaurant.address.formatted = [text, "b"]
    let matches = [Match(restaurant: restaurant)]
    let csv = AnswerFormat.csv.text(of: matches, fields: [.category, .formattedAddress])
    #expect(CSVParser.records(of: csv)?.last == [cell, cell + "; b"])
  }

  @Test(arguments: ["+1 972", "-1", "+49 (0)30/123-45.6", "-1e5", "-", "+1-972-555-1212"])
  func `numbers and telephone numbers stay as they are`(text: String) {
    var restaurant = Restaurant.plain("a")
    restaurant.contact.phone = text
    let csv = AnswerFormat.csv.text(of: [Match(restaurant: restaurant)], fields: [.phone])
    #expect(csv == "phone\r\n\(text)\r\n")
  }

  @Test func `a raw table has texts as they are`() {
    var restaurant = Restaurant.plain("a")
    restaurant.category = "=1+1"
    var writer = AnswerFormat.csv.writer(fields: [.category], isRaw: true)
    writer.begin(AnswerSummary(count: 1, total: 1, extent: nil, hasDistance: false))
    writer.write(Match(restaurant: restaurant))
    #expect(writer.takeBytes() == Array("category\r\n=1+1\r\n".utf8))
  }

  @Test func `negative numbers are numbers, not formulas`() {
    let match = Match(restaurant: .plain("a", at: .at(-1.5, -96.8)), distance: 0)
    #expect(
      AnswerFormat.csv.text(of: [match], fields: [.latitude, .longitude])
        == "latitude,longitude\r\n-1.5,-96.8\r\n"
    )
  }

  @Test func `hostile texts read back from CSV with another parser`() {
    var random = SplitMix64(stream: "csv")
    let matches = (0..<150).map { number in
      Match(
        restaurant: .full("\(number)", at: random.coordinate()) { random.hostileText(upTo: 8) },
        distance: 1
      )
    }
    let records = CSVParser.records(of: AnswerFormat.csv.text(of: matches))
    #expect(records?.count == 151, "SEED=\(SplitMix64.seed)")
    for (record, match) in zip(records?.dropFirst() ?? [], matches) {
      #expect(record.count == RestaurantField.ofPlaces.count)
      for (cell, field) in zip(record, RestaurantField.ofPlaces) {
        guard case .string(let text)? = match.restaurant[field] else { continue }
        let first = text.utf8.drop { $0 == UInt8(ascii: "'") }.first
        let isFormula = first.map { "=+-@\t\r\n".utf8.contains($0) } ?? false
        let isNumber = text.utf8.dropFirst().allSatisfy { "0123456789 ()-./".utf8.contains($0) }
        let isSigned = text.utf8.first.map { "+-".utf8.contains($0) } ?? false
        let expected = isFormula && !(isSigned && isNumber) ? "'" + text : text
        #expect(cell.utf8.elementsEqual(expected.utf8), "SEED=\(SplitMix64.seed) \(field)")
      }
    }
  }

  @Test func `hostile texts read back from CSV unchanged with geoq's own reader`() throws {
    var random = SplitMix64(stream: "csv-feed")
    let starts = ["", "'", "=", "+1", "-", "@", "''=", "'Ohana", "\n", "\t", "\r\n'"]
    var restaurants = (0..<300).map { Restaurant.plain("id-\($0)") }
    for position in restaurants.indices {
      func text() -> String {
        let start = starts[random.int(below: starts.count)]
        let text = start + random.hostileText(upTo: 6).filter { $0 != "\0" }
        return text.isEmpty ? "'" : text
      }
      restaurants[position].category = text()
      restaurants[position].address.street = text()
      restaurants[position].hours = text()
    }
    let csv = AnswerFormat.csv.text(of: restaurants.map { Match(restaurant: $0) })
    let feed = try FeedReader(source: "test", format: .csv).read(Array(csv.utf8))
    #expect(feed.restaurants.count == 300, "SEED=\(SplitMix64.seed) \(feed.rejected)")
    for (found, expected) in zip(feed.restaurants, restaurants) {
      for field in [RestaurantField.category, .address, .hours] {
        let isSame = found.text(field)?.utf8.elementsEqual(expected.text(field)?.utf8 ?? "".utf8)
        #expect(isSame == true, "SEED=\(SplitMix64.seed) \(expected.id) \(field)")
      }
    }
  }

  @Test func `hostile texts read back from TSV`() {
    var random = SplitMix64(stream: "tsv")
    let names = (0..<300).map { _ in random.hostileText(upTo: 10) }
    let matches = names.map { name in
      var restaurant = Restaurant.plain("a")
      restaurant.category = name
      return Match(restaurant: restaurant)
    }
    let text = AnswerFormat.tsv.text(of: matches, fields: [.id, .category])
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect(lines.count == names.count + 2)
    for (line, name) in zip(lines.dropFirst(), names) {
      let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      #expect(cells.count == 2)
      #expect(Self.unescaped(Array(cells[1])) == Array(name.utf8), "SEED=\(SplitMix64.seed)")
    }
  }

  private static func unescaped(_ cell: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var bytes = cell[...]
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = bytes.popFirst() else {
        text.append(byte)
        continue
      }
      let meanings: [Character: UInt8] = ["t": 9, "n": 10, "r": 13, "\\": 0x5C]
      text.append(meanings[Character(Unicode.Scalar(letter))] ?? 0)
    }
    return text
  }
}
