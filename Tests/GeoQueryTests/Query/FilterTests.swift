import Testing

@testable import GeoQuery

struct FilterTests {
  private func takes(_ filter: Filter, _ texts: FilterTexts) -> Bool {
    CompiledFilter(filter)?.matches(texts) ?? true
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
  func `a text takes whoever has a word beginning with each of its words`(
    _ text: String,
    _ isTaken: Bool
  ) {
    #expect(takes(Filter(text: text), glorias) == isTaken)
  }

  @Test(arguments: [
    (["Tex Mex"], true), (["tex mex"], true), (["TÉX MEX"], true), (["Tex"], false),
    (["Thai", "Tex Mex"], true), (["Thai"], false), ([""], false), ([], true),
  ])
  func `a category is taken as a whole, case and accents aside`(
    _ categories: [String],
    _ isTaken: Bool
  ) {
    #expect(takes(Filter(categories: categories), glorias) == isTaken)
  }

  @Test func `text and category must both fit`() {
    #expect(takes(Filter(categories: ["Tex Mex"], text: "dallas"), glorias))
    #expect(!takes(Filter(categories: ["Thai"], text: "dallas"), glorias))
    #expect(!takes(Filter(categories: ["Tex Mex"], text: "houston"), glorias))
  }

  @Test func `what a restaurant lacks matches nothing`() {
    let bare = FilterTexts(name: "A", category: nil, address: nil, city: nil)
    #expect(takes(Filter(text: "a"), bare))
    #expect(!takes(Filter(text: "dallas"), bare))
    #expect(!takes(Filter(categories: ["Thai"]), bare))
    #expect(takes(.all, bare))
  }

  @Test func `the filter that takes all costs nothing`() {
    #expect(CompiledFilter(.all) == nil)
    #expect(CompiledFilter(Filter(text: " ")) == nil)
    #expect(CompiledFilter(Filter(text: "-")) != nil)
  }

  @Test func `words of other scripts match too`() {
    let texts = FilterTexts(name: "北京 Кафе", category: nil, address: "Łódzka 5", city: nil)
    for text in ["北", "КАФ", "lodz 5", "кафе 北京"] {
      #expect(takes(Filter(text: text), texts), "\(text)")
    }
    #expect(!takes(Filter(text: "京"), texts))
  }
}
