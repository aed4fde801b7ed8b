import Testing

@testable import GeoQuery

struct SuggestionTests {
  private static let commands = [
    "import", "nearest", "radius", "bbox", "search", "list", "show", "export", "favorite", "serve",
    "verify", "info",
  ]

  @Test(arguments: [
    ("nearst", "nearest"), ("NEAREST", "nearest"), ("naerest", "nearest"), ("raduis", "radius"),
    ("box", "bbox"), ("lits", "list"), ("sohw", "show"), ("serach", "search"),
    ("favourite", "favorite"),
    ("near", "nearest"), ("rad", "radius"), ("fav", "favorite"), ("inport", "import"),
    ("expotr", "export"), ("info", "info"),
  ])
  func `a slip of the finger finds its word`(typed: String, meant: String) {
    #expect(closest(to: typed, among: Self.commands) == meant)
  }

  @Test(arguments: ["", "restaurants", "xyz", "delete", "--at", "🌮"])
  func `a word like none finds none`(typed: String) {
    #expect(closest(to: typed, among: Self.commands) == nil)
  }

  @Test
  func `of equally close candidates the first wins`() {
    #expect(closest(to: "cat", among: ["bat", "car"]) == "bat")
    #expect(closest(to: "cat", among: ["car", "bat"]) == "car")
    #expect(closest(to: "cat", among: ["bat", "cat"]) == "cat")
  }

  @Test
  func `two neighbors swapped are one error`() {
    #expect(closest(to: "ab", among: ["ba"]) == "ba")
    #expect(closest(to: "abc", among: ["cab"]) == nil)
  }

  @Test
  func `never more than three errors`() {
    #expect(closest(to: "abcdefghijklmno", among: ["abcdefghijklXYZ"]) == "abcdefghijklXYZ")
    #expect(closest(to: "abcdefghijklmno", among: ["abcdefghijkWXYZ"]) == nil)
  }

  @Test
  func `no candidates, no suggestion`() {
    #expect(closest(to: "nearest", among: []) == nil)
  }
}
