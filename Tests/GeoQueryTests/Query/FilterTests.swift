import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct FilterTests {
  /// The texts that filters look at.
  private struct FilterTexts {
    let name: String
    let category: String?
    let address: String?
    let city: String?
  }

  private func takes(_ filter: Filter, _ texts: FilterTexts) throws -> Bool {
    var restaurant = Restaurant(
      id: "one",
      name: texts.name,
      coordinate: .at(1, 2),
      source: "test"
    )
    restaurant.category = texts.category
    restaurant.address.street = texts.address
    restaurant.address.city = texts.city
    let file = try TemporarySnapshot(of: [restaurant])
    return try QueryEngine(file.snapshot).count(Query(.everywhere, matching: filter)).total == 1
  }

  private let glorias = FilterTexts(
    name: "Gloria's Latin Cuisine",
    category: "Tex Mex",
    address: "5100 Belt Line Rd, #864",
    city: "Dallas"
  )

  @Test(arguments: [
    ("glorias", true), ("Gloria's", true), ("GLORIA\u{2019}S", true), ("glor", true),
    ("glória", true),
    ("loria", false), ("tex", true), ("belt line", true), ("line belt", true), ("5100 864", true),
    ("dal glo", true), ("dallas houston", false), ("belt-line", true), ("#864", true),
    ("510", true), ("100", false), ("", true), ("  \t", true), ("!", false), ("'", false),
    ("glorias !", true), ("lat cui mex", true),
  ])
  func `a text matches restaurants with words starting with each of its words`(
    _ text: String,
    _ isTaken: Bool
  ) throws {
    #expect(try takes(Filter(text: text), glorias) == isTaken)
  }

  @Test(arguments: [
    (["Tex Mex"], true), (["tex mex"], true), (["TÉX MEX"], true), (["Tex"], false),
    (["Thai", "Tex Mex"], true), (["Thai"], false), ([""], false), ([], true),
  ])
  func `a category is taken as a whole, case and accents aside`(
    _ categories: [String],
    _ isTaken: Bool
  ) throws {
    #expect(try takes(Filter(categories: categories), glorias) == isTaken)
  }

  @Test func `text and category must both fit`() throws {
    #expect(try takes(Filter(categories: ["Tex Mex"], text: "dallas"), glorias))
    #expect(try !takes(Filter(categories: ["Thai"], text: "dallas"), glorias))
    #expect(try !takes(Filter(categories: ["Tex Mex"], text: "houston"), glorias))
  }

  @Test func `missing values match nothing`() throws {
    let bare = FilterTexts(name: "A", category: nil, address: nil, city: nil)
    #expect(try takes(Filter(text: "a"), bare))
    #expect(try !takes(Filter(text: "dallas"), bare))
    #expect(try !takes(Filter(categories: ["Thai"]), bare))
    #expect(try takes(.all, bare))
  }

  @Test func `the filter that takes all costs nothing`() throws {
    #expect(Filter.all.takesAll)
    #expect(Filter(text: " ").takesAll)
    #expect(!Filter(text: "-").takesAll)
    #expect(!Filter(ids: []).takesAll)
  }

  @Test func `words of other scripts match too`() throws {
    let texts = FilterTexts(name: "北京 Кафе", category: nil, address: "Łódzka 5", city: nil)
    for text in ["北", "京", "КАФ", "lodz 5", "кафе 北京"] {
      #expect(try takes(Filter(text: text), texts), "\(text)")
    }
    #expect(try !takes(Filter(text: "афе"), texts))
  }

  @Test func `a cache of filters forgets the one that was asked for longest ago`() {
    let memory = RecentValues<[UInt8], BitSet>(capacity: 64)
    func filter(_ number: Int) -> [UInt8] { Filter(text: "word\(number)").bytes }
    for number in 0..<200 {
      memory.insert(BitSet(capacity: 8, [number % 8]), for: filter(number))
      // one that is asked for again and again stays
      #expect(memory[filter(0)] != nil)
    }
    let known = (1..<200).filter { memory[filter($0)] != nil }
    #expect(known == Array(137..<200))
  }
}
