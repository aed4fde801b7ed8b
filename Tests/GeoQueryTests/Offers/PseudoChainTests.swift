import Testing

@testable import GeoQuery

struct PseudoChainTests {
  @Test(arguments: [
    ("Any Restaurant", PseudoChain.restaurant), ("ANY BAR", .bar),
    ("any liquor store", .liquorStore),
    ("Any Convenience Store", .convenienceStore), ("Any Gas Station", .gasStation),
    ("Any Grocery Store®", .groceryStore),
  ])
  func `a pseudo-chain is known by its name`(_ name: String, _ chain: PseudoChain) {
    #expect(PseudoChain(named: name) == chain)
  }

  @Test(arguments: ["Any", "Restaurant", "Any Restaurants", "Anyone's", "", "Target"])
  func `another name is a chain of its own places`(_ name: String) {
    #expect(PseudoChain(named: name) == nil)
  }

  @Test func `every category of a pseudo-chain belongs to it, also in a list and a path`() {
    for chain in PseudoChain.allCases {
      for category in chain.categories {
        #expect(chain.contains(category: category))
        #expect(chain.contains(category: category.uppercased()))
        #expect(chain.contains(category: category.replacing(" ", with: "_")))
        #expect(chain.contains(category: "Shops > \(category)"))
        #expect(chain.contains(category: "Nothing, \(category)"))
      }
      #expect(!chain.contains(category: "Museum"))
      #expect(!chain.contains(category: ""))
    }
  }

  @Test(arguments: ["Peruvian Restaurant", "new_american_restaurant", "Restaurants"])
  func `a category that ends in restaurant is one`(_ category: String) {
    #expect(PseudoChain.restaurant.contains(category: category))
  }

  @Test(arguments: ["Restaurant Supply", "Snack Bar", "Prerestaurant", "Whisky", "Barber"])
  func `a category that only looks alike is none`(_ category: String) {
    #expect(!PseudoChain.allCases.contains { $0.contains(category: category) })
  }

  @Test func `names compare by words`() {
    #expect(NameWords("Wendy’s®") == NameWords("WENDYS"))
    #expect(NameWords("Subway™") == NameWords("subway"))
    #expect(NameWords("7-Eleven") == NameWords("7 eleven"))
    #expect(NameWords("H-E-B") != NameWords("HEB"))
    #expect(NameWords("!!") != NameWords("??"))
    #expect(NameWords("Café") == NameWords("cafe"))
  }
}
