/// A name with which offers refer to every place of a kind, whatever its chain.
///
/// It is recognized by its name. A place belongs to it if its category, or a part of that (`Thai,
/// Bars`, `Dining > Thai`), is one of `categories`. Names compare by their words: `fast_food` is
/// `Fast Food`.
package enum PseudoChain: String, Sendable, CaseIterable {
  /// Every restaurant.
  case restaurant = "Any Restaurant"
  /// Every bar.
  case bar = "Any Bar"
  /// Every grocery store.
  case groceryStore = "Any Grocery Store"
  /// Every liquor store.
  case liquorStore = "Any Liquor Store"
  /// Every convenience store.
  case convenienceStore = "Any Convenience Store"
  /// Every gas station.
  case gasStation = "Any Gas Station"

  /// The pseudo-chain with a name; nil for a real chain.
  package init?(named name: String) {
    // the names are short, but others may be long
    guard name.utf8.count <= 64, let found = Self.byName[NameWords(name)] else { return nil }
    self = found
  }

  private static let byName = Dictionary(
    uniqueKeysWithValues: allCases.map { (NameWords($0.rawValue), $0) }
  )

  /// The categories of its places, in lower case.
  ///
  /// For `restaurant`, also every category whose last word is `restaurant` or `restaurants`.
  package var categories: [String] {
    let list =
      switch self {
      case .restaurant:
        """
        restaurant, restaurants, american, asian, bagels, bakery cafe, bar and grill, barbecue, barbeque, bbq,
        bistro, brasserie, breakfast, breakfast and brunch, brunch, buffet, burger, burger joint, burgers, cafe,
        cafes, cafeteria, caribbean, chicken, chicken wings, chinese, coffee and breakfast, cuban, deli, delis,
        diner, diners, dumplings, ethiopian, fast food, fast food burgers, fish and chips, food court, french,
        gastropub, german, greek, halal, hot dogs, indian, irish, italian, japanese, korean, lebanese,
        mediterranean, mexican, middle eastern, noodles, pakistani, persian, peruvian, pizza, pizza place,
        pizzeria, poke, portuguese, ramen, salad, sandwich, sandwich place, sandwiches, seafood, soul food, soup,
        southern, spanish, steak house, steakhouse, steakhouses, sushi, sushi bar, taco place, tacos, tapas,
        tex mex, thai, turkish, vegan, vegetarian, vietnamese, wing joint, wings
        """
      case .bar:
        """
        bar, bars, bar and grill, beer bar, beer garden, biergarten, brewery, brewpub, cocktail bar, dive bar,
        gastropub, lounge, nightclub, pub, pubs, sports bar, tap house, tap room, taproom, tavern, wine bar
        """
      case .groceryStore:
        """
        greengrocer, groceries, grocery, grocery store, grocery stores, organic grocery, supermarket,
        supermarkets
        """
      case .liquorStore:
        """
        alcohol, beer store, bottle shop, liquor store, liquor stores, off licence, wine and spirits, wine shop,
        wine spirits, wine store
        """
      case .convenienceStore:
        "convenience, convenience store, convenience stores, corner store, mini mart"
      case .gasStation:
        "fuel, fuel station, gas station, gas stations, petrol station, service station, service stations"
      }
    return list.split(separator: ",").map { String($0).trimmed }
  }

  /// Whether a place with a category belongs to it.
  func contains(category: String) -> Bool {
    ([category] + categoryEntries(of: category)).contains { part in
      let words = NameWords(part)
      if Self.words[self]?.contains(words) == true { return true }
      return self == .restaurant
        && [" restaurant", " restaurants"].contains { words.text.ends(with: $0) }
    }
  }

  private static let words: [PseudoChain: Set<NameWords>] = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, Set($0.categories.map { NameWords($0) })) }
  )
}

/// The words of a name, for matching names of different feeds: letters and digits only, folded,
/// without apostrophes and the marks ®, ™ and ©.
///
/// `Wendy's®` is `WENDYS`, `7-Eleven` is `7 Eleven`. A name without letters and digits is only
/// folded.
struct NameWords: Hashable, Sendable {
  private let key: UTF8Key

  /// The words, folded, with a space between two.
  var text: String { key.text }

  init(_ name: String) {
    var bare = String.UnicodeScalarView()
    bare.append(contentsOf: name.unicodeScalars.lazy.filter { !["®", "™", "©"].contains($0) })
    let words = FoldedWords(String(bare)).words
    key = UTF8Key(
      words.isEmpty
        ? folded(name)
        : String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
    )
  }
}
