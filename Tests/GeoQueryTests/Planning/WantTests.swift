import GeoIndex
import Testing

@testable import GeoQuery

/// What people write for a want.
@Suite struct WantTests {
  /// A want in words.
  private func meaning(_ text: String) throws -> String {
    switch try Want(parsing: text).places {
    case .offer(let id): "offer \(id)"
    case .set: "set"
    case .filter(let filter):
      [
        filter.categories.map { "category \($0)" },
        filter.text.isEmpty ? [] : ["words \(filter.text)"],
        filter.conditions.isEmpty
          ? [] : ["conditions " + filter.conditions.map(\.description).joined(separator: ", ")],
      ].flatMap(\.self).joined(separator: "; ")
    }
  }

  @Test(
    arguments: [
      ("Thai", "category Thai"), (" Wing Joint\t", "category Wing Joint"),
      ("category:Thai", "category Thai"), ("CATEGORY: Thai ", "category Thai"),
      ("category:a > b", "category a > b"), ("Bar & Grill!", "category Bar & Grill!"),
      ("text:craft beer", "words craft beer"), ("text:a = b", "words a = b"),
      ("rating >= 4", "conditions rating >= 4.0"), ("rating>=4", "conditions rating >= 4.0"),
      ("name ~ grill and city = Dallas", "conditions name ~ grill, city = dallas"),
      ("offer:7533", "offer 7533"), ("Offer: a:b", "offer a:b"),
      ("categry:Thai", "category categry:Thai"), ("category", "category category"),
      ("name ~ category:x", "conditions name ~ category:x"), ("寿司", "category 寿司"),
    ]
  )
  func `A text says which kind of want it is`(text: String, expected: String) throws {
    #expect(try meaning(text) == expected)
  }

  @Test(
    arguments: [
      ("", "want is empty"), (" \t", "want is empty"), ("\u{A0}", "want is empty"),
      ("category:", "want: category: has nothing after it"),
      ("text: \u{2003}", "want: text: has nothing after it"),
      ("offer:", "want: offer: has nothing after it"),
      ("ratng >= 4", "want: unknown field \"ratng\""), ("rating >= x", "rating is a number"),
      ("rating", ""), ("> 4", "no field"), ("Dining > Thai", "for a category write category:NAME"),
      (
        Array(repeating: "closed = no", count: 9).joined(separator: " and "),
        "more than 8 conditions"
      ),
      ("rating >= 4 or (stars = 5)", "unknown field \"stars\" at column 17; did you mean rating?"),
      (String(repeating: "é", count: 129), "want: a want has at most 256 bytes of UTF-8, got 258"),
    ]
  )
  func `A text that is not a want is refused with a sentence`(text: String, sentence: String) {
    do throws(QueryError) {
      _ = try Want(parsing: text)
      #expect(sentence.isEmpty)
    } catch {
      #expect("\(error)".contains(sentence) && !sentence.isEmpty, "\(error)")
    }
  }

  @Test func `There are 1 to 64 wants`() throws {
    #expect(try Want.list(Array(repeating: "a", count: 64)).count == 64)
    for count in [0, 65] {
      #expect(throws: QueryError("want", "there must be 1 to 64 wants, not \(count)")) {
        try Want.list(Array(repeating: "a", count: count))
      }
    }
  }

  @Test func `An offer is what its lookup says, and an unknown one is refused`() throws {
    let offers: OfferLookup = { id in
      id == "7" ? Want("7", .set(BitSet(capacity: 9, [2, 3])), amount: 1.5) : nil
    }
    let want = try Want(parsing: "offer:7").resolved(by: offers)
    guard case .set(let places) = want.places else {
      Issue.record("an offer is a set of places")
      return
    }
    #expect(want.label == "offer:7" && want.amount == 1.5 && places.contains(3))
    #expect(
      throws: QueryError("want", "unknown offer offer:8")
    ) { try Want(parsing: "offer:8").resolved(by: offers) }
  }

  @Test(
    arguments: [
      ("category: Thai", "Thai"), ("Thai", "Thai"), ("text:craft beer", "“craft beer”"),
      ("rating >= 4", "rating >= 4"), ("offer:7", "Soup"), ("offer:8", "offer:8"),
    ]
  )
  func `People read what a want is, and an offer's name`(text: String, title: String) throws {
    let want = try Want(parsing: text).resolved { id in
      Want("offer:\(id)", .set(BitSet(capacity: 9)), title: id == "7" ? "Soup" : nil)
    }
    #expect(want.title == title && want.label == text)
  }

  @Test func `Places are counted as a query counts them`() throws {
    var random = MadeUpRestaurants(seed: 4)
    let file = try TemporarySnapshot(of: random.restaurants(200))
    let engine = QueryEngine(file.snapshot)
    for text in ["Thai", "rating >= 4", "text:a", "nothing at all"] {
      let want = try Want(parsing: text)
      guard case .filter(let filter) = want.places else { continue }
      #expect(
        try engine.count(of: want) == engine.page(Query(.everywhere, matching: filter)).total
      )
    }
    #expect(try engine.count(of: Want("all", .filter(.all))) == 200)
    #expect(try engine.count(of: Want("x", .set(BitSet(capacity: 200, [3, 5])))) == 2)
  }

  @Test func `Offers count and are worth what they are in an answer`() throws {
    var random = MadeUpRestaurants(seed: 3)
    let file = try TemporarySnapshot(of: random.restaurants(50))
    let engine = QueryEngine(file.snapshot)
    let query = CoverQuery(
      near: MadeUpRestaurants.valid(32.95, -96.82),
      wants: try Want.list(["offer:a", "offer:b"]),
      places: 1,
      preferring: .value
    )
    let answer = try engine.answer(query) { id in
      let places = BitSet(capacity: 50, id == "a" ? [1, 2] : [7])
      return Want(id, .set(places), amount: id == "a" ? 1 : 2.01)
    }
    #expect(answer.places.map(\.position) == [7])
    let text = String(decoding: try answer.text.bytes(in: .json), as: UTF8.self)
    #expect(
      text.hasPrefix("{\"schema\":\"geoq.cover/1\",\"met\":1,\"of\":2,\"value\":2.01,\"cost\":")
    )
    #expect(text.contains("\"meets\":[\"offer:b\"]"))
    #expect(text.contains("{\"want\":\"offer:a\",\"met\":false,\"places\":2,"))
    #expect(text.contains("\"unmet\":\"places\"},{\"want\":\"offer:b\",\"met\":true,\"by\":"))
    #expect(!text.contains("\"lacks\""))
  }
}
