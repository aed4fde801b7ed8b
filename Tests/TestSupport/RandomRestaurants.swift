import GeoIndex
package import GeoQuery

extension SplitMix64 {
  /// Restaurants with texts of many scripts in every field that filters look at, and gaps.
  package mutating func restaurants(_ count: Int, first: Int = 0) -> [Restaurant] {
    (first..<first + count).map { number in
      var restaurant = Restaurant.plain(
        "id-\(number)",
        at: coordinate(near: .at(10, 20), degrees: 1)
      )
      restaurant.name = "x" + words(upTo: 3)
      restaurant.category = maybe { Self.kinds[$0.int(below: Self.kinds.count)] }
      restaurant.address.street = maybe { $0.words(upTo: 3) }
      restaurant.address.city = maybe { $0.words(upTo: 1) }
      restaurant.rating = maybe { Double($0.int(below: 11)) / 2 }
      restaurant.ratingScale = maybe { $0.int(below: 2) == 0 ? 5 : 10 }
      restaurant.reviewCount = maybe { $0.int(below: 30) }
      restaurant.priceLevel = maybe { 1 + $0.int(below: 4) }
      restaurant.chain = maybe { Self.kinds[$0.int(below: Self.kinds.count)] }
      restaurant.description = maybe { $0.words(upTo: 2) }
      restaurant.closed = int(below: 4) == 0
      return restaurant
    }
  }

  /// Words of many scripts, joined by what may or may not part them.
  package mutating func words(upTo count: Int) -> String {
    (0..<1 + int(below: count + 1)).map { _ in
      let letters = (0...int(below: 3)).map { _ in Self.letters[int(below: Self.letters.count)] }
      return letters.joined() + Self.joints[int(below: Self.joints.count)]
    }
    .joined()
  }

  private mutating func maybe<Value>(_ value: (inout SplitMix64) -> Value) -> Value? {
    int(below: 4) == 0 ? nil : value(&self)
  }

  private static let kinds = ["Thai", "THAI", "thái", "Café", "Cafe\u{301}", "Tex Mex", "", "漢"]

  // what tokenizers and folders are known to differ on
  private static let letters = [
    "a", "b", "A", "é", "e\u{301}", "ß", "ẞ", "İ", "ı", "i", "I", "ﬁ", "Å", "ø", "漢", "字", "ﾊ", "が",
    "한", "ㅎ", "का", "क", "\u{93E}", "١", "5", "①", "½", "Ⅷ", "ª", "𝔸", "🄰", "Ⓐ", "ς", "σ", "ـ",
    "\u{200D}", "\u{AD}", "👩‍🍳", "🇩🇪", "_", "\u{E000}", "\u{10FFFF}", "ـُ", "ก็", "ǅ",
  ]
  private static let joints = [
    "", " ", "  ", "'", "\u{2019}", "\u{B4}", "`", "-", ".", "\"", "*", "&", "\u{A0}", "\u{3000}",
    "、",
    "\n", "\t", "\u{1}", "\u{7F}", "/",
  ]
}
