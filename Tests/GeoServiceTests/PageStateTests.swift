import GeoQuery
import Testing

@testable import GeoService

/// What a page shows, as its address says it.
struct PageStateTests {
  private func pairs(_ view: PageState) -> [String] { view.pairs.map { "\($0.name)=\($0.value)" } }

  /// A text of random pieces, those that addresses use for themselves among them.
  private func text(_ random: inout SplitMix) -> String {
    let pieces = [
      "a", "Thai", " ", "&", "=", "+", "%", "#", "?", "/", "ü", "‮", "\"", "'", "<b>", "☕", ",",
    ]
    return (0...Int(random.next() % 5)).map { _ in pieces[Int(random.next() % 17)] }.joined()
  }

  @Test func `an address says the whole view: read, printed and read again it is the same`() throws
  {
    var random = SplitMix(state: 18)
    for round in 0..<2_000 {
      let id = text(&random).replacing("/", with: "-")
      let pages: [(Endpoint, String?)] = [
        (.lunch, nil), (.map, nil), (.restaurantPage, id), (.favoritesPage, nil), (.internets, nil),
      ]
      var view = PageState(pages[round % 5].0, id: pages[round % 5].1)
      view.text = text(&random)
      for _ in 0..<(random.next() % 3) {
        let category = text(&random)
        if !view.categories.contains(where: { $0.isUTF8Equal(to: category) }) {
          view.categories.append(category)
        }
      }
      let orders = [nil, Order(by: .rating, descending: true), Order(by: .name)]
      view.order = orders[Int(random.next() % 3)]
      view.at = random.next() % 2 == 0 ? "32.95,-96.82" : text(&random)
      view.near = text(&random)
      view.radius = ["", "500m", "1.5km", "200"][Int(random.next() % 4)]
      view.rating = ["", "4", "4.5"][Int(random.next() % 3)]
      view.priceLevel = ["", "2"][Int(random.next() % 2)]
      view.open = ["", "now", "Fri 12:30"][Int(random.next() % 3)]
      view.within = text(&random)
      view.area = try? BoxText.box(["", "170,-20,190,20", "-97,32,-96,33"][Int(random.next() % 3)])
      view.viewport = MapViewport(["", "1.5,2,3.25", "-90,180,0"][Int(random.next() % 3)])
      view.units = [nil, .miles, .kilometers][Int(random.next() % 3)]
      view.change =
        [nil, .init(id: id, isAdded: true), .init(id: id, isAdded: false)][Int(random.next() % 3)]
      view.cursor = random.next() % 2 == 0 ? "" : "WyJh"
      view.ids = ["one", "two, three%2C", "ü"]
      let target = view.target
      #expect(target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      let read = try #require(PageState(target: target), "\(target)")
      #expect(read.faults.isEmpty)
      #expect(read.path.isUTF8Equal(to: view.path))
      #expect(read.text.isUTF8Equal(to: view.text) && read.cursor == view.cursor)
      #expect(read.at.isUTF8Equal(to: view.at) && read.near.isUTF8Equal(to: view.near))
      #expect(read.categories.map { UTF8Key($0) } == view.categories.map { UTF8Key($0) })
      #expect(
        read.area == view.area && read.viewport == view.viewport && read.radius == view.radius
      )
      #expect(read.order == view.order && read.units == view.units && read.ids == view.ids)
      #expect(read.conditions == view.conditions && read.open == view.open)
      #expect(read.within.isUTF8Equal(to: view.within))
      let item = ["rating", "open", "within", "q"][round % 4]
      #expect(!read.without(item).pairs.contains { $0.name == item })
      #expect(
        pairs(read).joined(separator: "\n").isUTF8Equal(to: pairs(view).joined(separator: "\n"))
      )
    }
  }

  @Test func `what is unknown, empty or wrong is skipped, and what is wrong is said`() throws {
    let long = String(repeating: "a", count: 257)
    let view = try #require(
      PageState(
        target: "/app/?q=&x=1&sortby=nothing&category=a&category=a&units=leagues&at=\(long)"
      )
    )
    #expect(pairs(view) == ["category=a"])
    #expect(view.faults.count == 2)
  }

  @Test(
    arguments: [
      "https://evil.example/app/", "//evil.example/app/", "/favorites", "/app/x", "/app/session",
      "javascript:alert(1)", "", "/app/restaurants/", "/app/?q=%zz", "/app/\\evil", "/app/#x",
    ]
  )
  func `only an own page is one to come back to`(target: String) {
    #expect(PageState(target: target) == nil)
  }

  @Test(
    arguments: [
      (0.4, "0 m", "0 ft"), (72.5, "73 m", "240 ft"), (999.4, "999 m", "0.6 mi"),
      (999.6, "1 km", "0.6 mi"), (1_609.344, "1.6 km", "1 mi"), (12_345, "12 km", "7.7 mi"),
      (20_003_931, "20004 km", "12430 mi"),
    ]
  )
  func `distances are short`(meters: Double, metric: String, imperial: String) {
    #expect(PageUnits.kilometers.text(of: meters) == metric)
    #expect(PageUnits.miles.text(of: meters) == imperial)
  }

  @Test func `the language says the units`() {
    #expect(PageUnits(acceptLanguage: "en-US,en;q=0.9") == .miles)
    #expect(PageUnits(acceptLanguage: "de-DE,en-US;q=0.9") == .kilometers)
    #expect(PageUnits(acceptLanguage: nil) == .kilometers)
  }

  @Test func `a count is grouped by thousands`() {
    let counts = [0, 1, 999, 1_000, 12_345, 123_456, 1_000_000]
    let texts = ["0", "1", "999", "1,000", "12,345", "123,456", "1,000,000"]
    #expect(counts.map(grouped) == texts)
  }

  @Test func `a number has one decimal at most`() {
    let numbers = [4.5, 4, 4.04, 4.96, -0.5, 1e300]
    #expect(numbers.map(decimal) == ["4.5", "4", "4", "5", "-0.5", "1e+300"])
  }

  @Test func `texts are escaped by type, and HTML is not`() {
    let hostile = "\"><script>alert('1')</script>&\u{301}"
    let part: HTML = "<i title=\"\(hostile)\">\(hostile)</i>"
    let whole: HTML = "<p>\(part)\([part])</p>"
    #expect(whole.source.matches(of: /</).count == 6)
    #expect(!whole.source.contains("<script"))
    #expect(part.source.unicodeScalars.filter { $0 == "\"" }.count == 2)
  }
}
