import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct BracketedListTests {
  @Test(arguments: [
    ("[Dining > Thai, Dining > Bar]", "Dining > Thai"), ("['Bars, Pubs', x]", "Bars, Pubs"),
    ("[\"A\",\"B\"]", "A"), ("[Thai]", "Thai"), ("['Thai']", "Thai"), ("Thai", "Thai"),
    ("[Joe's, x]", "Joe's"), ("[Dining", "[Dining"), ("[ , é ]", "é "), ("[", "["),
  ])
  func `a list in a cell gives its first element`(_ cell: String, _ category: String) throws {
    let quoted = "\"" + cell.replacing("\"", with: "\"\"") + "\""
    let table = """
      fsq_place_id,name,latitude,longitude,locality,fsq_category_labels
      a,A,1,2,Addison,\(quoted)

      """
    #expect(try Feeds.read(table).restaurants.map(\.category) == [category])
  }
}
