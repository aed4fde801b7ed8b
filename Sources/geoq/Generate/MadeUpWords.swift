/// The words in the names of generated restaurants, cities and streets.
///
/// They belong to the meaning of a seed: moving a word changes every generated feed.
enum MadeUpWords {
  /// Categories with their share of a thousand and the words in their names.
  static let kinds: [Kind] = [
    Kind("Pizza", 110, ["Pizzeria", "Forno", "Slice", "Pizza Kitchen"]),
    Kind("Coffee Shop", 105, ["Coffee", "Espresso Bar", "Roasters", "Coffee House"]),
    Kind("Burgers", 85, ["Burgers", "Burger Bar", "Grill", "Patty Shop"]),
    Kind("Café", 80, ["Café", "Tea Room", "Corner", "Kitchen"]),
    Kind("Chinese", 75, ["Garden", "Dragon", "Wok", "Noodle House"]),
    Kind("Italian", 70, ["Trattoria", "Osteria", "Ristorante", "Cucina"]),
    Kind("Mexican", 65, ["Taqueria", "Cantina", "Cocina", "Tacos"]),
    Kind("Bakery", 60, ["Bakery", "Bakehouse", "Boulangerie", "Bread"]),
    Kind("Indian", 50, ["Tandoor", "Curry House", "Spice", "Dosa Bar"]),
    Kind("Sushi", 50, ["Sushi", "Izakaya", "Roll House", "Omakase"]),
    Kind("Pub", 45, ["Arms", "Tavern", "Public House", "Taproom"]),
    Kind("Thai", 40, ["Thai Kitchen", "Basil", "Orchid", "Thai House"]),
    Kind("Kebab", 40, ["Kebab", "Grill House", "Ocakbaşı", "Döner"]),
    Kind("Seafood", 30, ["Oyster Bar", "Fish House", "Harbour", "Catch"]),
    Kind("Vietnamese", 25, ["Phở", "Bánh Mì", "Saigon Kitchen", "Lotus"]),
    Kind("Steakhouse", 20, ["Steakhouse", "Chophouse", "Prime", "Asador"]),
    Kind("Vegetarian", 20, ["Greens", "Garden Table", "Sprout", "Roots"]),
    Kind("Tex Mex", 15, ["Tex Mex", "Fajita House", "Hacienda", "Ranch"]),
    Kind("Ethiopian", 15, ["Injera House", "Habesha", "Lalibela", "Buna"]),
  ]

  /// A category.
  struct Kind {
    let name: String
    let share: Int
    let endings: [String]

    init(_ name: String, _ share: Int, _ endings: [String]) {
      self.name = name
      self.share = share
      self.endings = endings
    }
  }

  static let owners = [
    "Ada", "Amir", "Beatriz", "Bruno", "Carla", "Chen", "Dalia", "Diego", "Elif", "Émile", "Farah",
    "Gloria", "Hugo", "Inés", "Ivan", "Jonas", "Kofi", "Lena", "Luca", "Mei", "Milan", "Nadia",
    "Nico", "Olga", "Omar", "Paula", "Quentin", "Rosa", "Søren", "Tariq", "Uma", "Vera", "Wanda",
    "Ximena", "Yuki", "Zoë",
  ]

  static let adjectives = [
    "Blue", "Golden", "Little", "Old", "Red", "Silver", "Green", "Lucky", "Quiet", "Royal", "Sunny",
    "Wild", "Black", "Copper", "Crooked", "Happy", "Hungry", "Merry", "Salty", "Sweet", "Twin",
    "White", "Rusty", "Secret",
  ]

  static let nouns = [
    "Lantern", "Fox", "Olive", "Anchor", "Bell", "Bridge", "Crown", "Fig", "Garden", "Goose",
    "Harp",
    "Hearth", "Lemon", "Lion", "Mill", "Moon", "Oak", "Onion", "Owl", "Pepper", "Plum", "River",
    "Rose", "Spoon", "Star", "Table", "Tiger", "Whistle", "Barrel", "Boat",
  ]

  static let syllables = [
    "bar", "bel", "cor", "dal", "den", "el", "far", "gan", "har", "is", "kar", "lan", "lor", "mar",
    "mon", "nor", "ol", "pen", "quin", "ras", "sal", "tar", "ul", "ven", "wes", "yor", "zan", "ri",
    "ta", "mi", "sa", "no",
  ]

  static let cityEndings = [
    "ton", "ville", "burg", "a", "o", "stad", "pur", "ford", "grad", "ia", "mouth", "field",
  ]

  static let streets = [
    "Main", "Oak", "Church", "Station", "Park", "River", "Mill", "High", "Market", "Garden",
    "Harbour", "Lake", "Hill", "Bridge", "King", "Queen", "School", "Cedar", "Maple", "Elm",
    "Linden", "Castle", "College", "Victoria", "Union", "Spring", "Chestnut", "North", "South",
    "West",
  ]

  static let streetKinds = ["Street", "Avenue", "Road", "Lane", "Square", "Boulevard"]
}
