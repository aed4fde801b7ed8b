import Testing

@testable import geoq

struct TableWriterTests {
  private let places = TableWriter(columns: [
    TableColumn(title: "name", minimumWidth: 6, priority: 3),
    TableColumn(title: "category", minimumWidth: 4, priority: 1),
    TableColumn(title: "distance", alignment: .right, priority: 2),
  ])
  private let rows = [
    ["Cattleack Barbeque", "BBQ Joint", "87 m"],
    ["寿司 Sachi", "Sushi", "1.4 km"],
  ]

  @Test
  func `columns are as wide as their widest cell`() {
    #expect(
      places.lines(for: rows, width: 80) == [
        "name                category   distance",
        "Cattleack Barbeque  BBQ Joint      87 m",
        "寿司 Sachi          Sushi        1.4 km",
      ]
    )
  }

  @Test
  func `the widest flexible column shrinks first`() {
    #expect(
      places.lines(for: rows, width: 31) == [
        "name        category   distance",
        "Cattleack…  BBQ Joint      87 m",
        "寿司 Sachi  Sushi        1.4 km",
      ]
    )
    #expect(
      places.lines(for: rows, width: 25)
        == [
          "name     categ…  distance",
          "Cattle…  BBQ J…      87 m",
          "寿司 S…  Sushi     1.4 km",
        ]
    )
  }

  @Test
  func `the column of the lowest priority is skipped when shrinking is not enough`() {
    #expect(
      places.lines(for: rows, width: 16) == [
        "name    distance",
        "Cattl…      87 m",
        "寿司 …    1.4 km",
      ]
    )
    #expect(places.lines(for: rows, width: 15) == ["name", "Cattleack Barb…", "寿司 Sachi"])
  }

  @Test
  func `of two columns with equal priority the later is skipped`() {
    let table = TableWriter(columns: [TableColumn(title: "abc"), TableColumn(title: "def")])
    #expect(table.lines(for: [], width: 7) == ["abc"])
  }

  @Test(arguments: 0...60)
  func `no line is wider than the terminal or ends in a blank`(width: Int) {
    let hostile = rows + [["👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "\u{1B}[2J", ""], ["", " ", "   "]]
    let lines = places.lines(for: hostile, width: width)
    #expect(lines.count == 5)
    for line in lines {
      #expect(line.displayWidth <= max(1, width))
      #expect(line.last != " ")
    }
  }

  @Test
  func `a width of one still gives one line per row`() {
    #expect(places.lines(for: rows, width: 1) == ["…", "…", "…"])
  }

  @Test
  func `without rows there is the header line`() {
    #expect(places.lines(for: [], width: 80) == ["name  category  distance"])
  }

  @Test
  func `without columns there is nothing`() {
    #expect(TableWriter(columns: []).lines(for: [], width: 80).isEmpty)
  }

  @Test
  func `controls in cells are made visible before they are measured`() {
    let table = TableWriter(columns: [TableColumn(title: "name"), TableColumn(title: "city")])
    #expect(
      table.lines(for: [["a\u{1B}b\nc", "Plano"]], width: 80) == [
        "name            city",
        #"a\u{1b}b\u{a}c  Plano"#,
      ]
    )
  }

  @Test
  func `the widest width shows everything in full`() {
    let long = String(repeating: "taco ", count: 1_000) + "!"
    let lines = places.lines(for: [[long, "", ""]], width: .max)
    #expect(lines.last == long)
  }

  @Test
  func `the header is bold where color is on`() {
    let table = TableWriter(columns: [TableColumn(title: "id")], style: Style(isOn: true))
    #expect(table.lines(for: [["x"]], width: 80) == ["\u{1B}[1mid\u{1B}[0m", "x"])
  }
}
