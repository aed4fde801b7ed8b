import ArgumentParser
import GeoIndex
import GeoQuery

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a restaurant feed of any size.",
    discussion: """
        geoq generate --size 1000000 --seed 1 -o million.geojsonseq
        geoq generate --size 1000000 --seed 1 --changed 1 -o next.geojsonseq

      The same size and seed always give the same bytes. Restaurants are clustered in cities all over \
      the world; names, addresses and ratings are fictitious. --changed simulates the next version of \
      the feed, in which that percentage of the records differs.
      """
  )

  /// The formats that a feed is written in.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case geojsonseq
    case geojson
    case csv
  }

  @Option(parsing: .unconditional, help: "Number of restaurants.")
  var size: Int

  @Option(parsing: .unconditional, help: "Seed of the random numbers.")
  var seed: UInt64 = 1

  @Option(help: "Percentage of records to change, 0 to 100.".value("percent"))
  var changed: Double = 0

  @Option(
    name: .shortAndLong,
    help: "Output format (default: by the file's extension, otherwise geojsonseq)."
  )
  var format: Format?

  @Option(
    name: .shortAndLong,
    help: "Write to this file; - for standard output.".value("file"),
    completion: .file()
  )
  var output = "-"

  @Flag(help: "Overwrite an existing -o file.")
  var force = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if size < 0 { throw ValidationError("--size: expected a number of 0 or more, got \(size)") }
    if !(0...100).contains(changed) { throw ValidationError("--changed: expected 0 to 100") }
  }

  func run() throws {
    let file = try OutputFile(path: output == "-" ? "/dev/stdout" : output, force: force)
    let restaurants = MadeUpRestaurants(size: size, seed: seed, changedPercent: changed)
    var writer = answerFormat.feedWriter()
    writer.begin(AnswerSummary(count: size, total: size, extent: nil, hasDistance: false))
    let isShown = output != "-" || !StandardStreams.isOutputTerminal
    let bar = ProgressBar(isQuiet: globals.quiet || !isShown, "writing")
    defer { bar.clear() }
    for number in 0..<size {
      writer.write(Match(restaurant: restaurants.restaurant(number)))
      guard writer.pendingCount >= 1 << 16 else { continue }
      try file.write(writer.takeBytes())
      let (count, size) = (number + 1, size)
      bar.show {
        ProgressBar.line(count, "restaurants", share: Double(count) / Double(size), seconds: $0)
      }
    }
    writer.end()
    try file.write(writer.takeBytes())
    try file.commit()
    bar.clear()
    if output != "-" { globals.say("\(terminalSafe(output)): \(counted(size, "restaurant"))") }
  }

  private var answerFormat: AnswerFormat {
    let named = OutputFormat(fileName: output).flatMap { Format(rawValue: $0.rawValue) }
    return (format ?? named).flatMap { AnswerFormat(rawValue: $0.rawValue) } ?? .geojsonseq
  }
}

/// Fictitious restaurants: always the same for the same size and seed.
///
/// Each is made from its number alone, in constant time and without storing others. Their positions
/// are `ClusteredPoints`; a city's name and its area code are made from the city's number.
struct MadeUpRestaurants {
  private let seed: UInt64
  private let points: ClusteredPoints
  private let changedPercent: Double

  private static let shareTotal = MadeUpWords.kinds.reduce(0) { $0 + $1.share }

  /// With more restaurants cities are wider; a percentage differs, as in a feed's next version.
  init(size: Int, seed: UInt64, changedPercent: Double = 0) {
    self.seed = seed
    self.changedPercent = changedPercent
    var random = SeededRandom(seed: seed)
    points = ClusteredPoints(size: size, using: &random)
  }

  func restaurant(_ number: Int) -> Restaurant {
    var random = SeededRandom(seed: mixed(UInt64(number), 1))
    let city = points.city(using: &random)
    let place = points.point(inCity: city, using: &random)
    let kind = kind(using: &random)
    var restaurant = Restaurant(
      id: String(mixed(UInt64(number), 0), radix: 16).leftPadded(16),
      name: name(of: kind, using: &random),
      coordinate: place,
      source: "generated"
    )
    restaurant.category = kind.name
    fillAddress(&restaurant, city, using: &random)
    fillRating(&restaurant, using: &random)
    if random.uniform() < 0.03 { restaurant.closed = true }
    change(&restaurant, number)
    return restaurant
  }

  private func kind(using random: inout SeededRandom) -> MadeUpWords.Kind {
    var share = below(Self.shareTotal, &random)
    for kind in MadeUpWords.kinds {
      if share < kind.share { return kind }
      share -= kind.share
    }
    preconditionFailure("The shares must add up.")
  }

  private func name(of kind: MadeUpWords.Kind, using random: inout SeededRandom) -> String {
    let ending = pick(kind.endings, &random)
    switch below(4, &random) {
    case 0: return "\(pick(MadeUpWords.owners, &random))'s \(ending)"
    case 1:
      return "The \(pick(MadeUpWords.adjectives, &random)) \(pick(MadeUpWords.nouns, &random))"
    case 2: return "\(pick(MadeUpWords.adjectives, &random)) \(ending)"
    default:
      return "\(pick(MadeUpWords.owners, &random)) & \(pick(MadeUpWords.owners, &random)) \(ending)"
    }
  }

  private func fillAddress(
    _ restaurant: inout Restaurant,
    _ city: Int,
    using random: inout SeededRandom
  ) {
    let street = pick(MadeUpWords.streets, &random)
    let kind = pick(MadeUpWords.streetKinds, &random)
    restaurant.address.street = "\(1 + below(2_400, &random)) \(street) \(kind)"
    var cityRandom = SeededRandom(seed: mixed(UInt64(city), 2))
    restaurant.address.city = cityName(using: &cityRandom)
    let code = 10_000 + below(89_000, &cityRandom) + below(1_000, &random)
    restaurant.address.postalCode = String(code)
    let dialling = "+\(20 + below(75, &cityRandom)) \(100 + below(900, &cityRandom))"
    let phone = "\(dialling) \(100 + below(900, &random)) \(1_000 + below(9_000, &random))"
    restaurant.contact.phone = phone.replacing(" ", with: "")
    restaurant.contact.formattedPhone = phone
    if random.uniform() < 0.4 {
      restaurant.website = "https://\(restaurant.id).example/"
    }
  }

  private func cityName(using random: inout SeededRandom) -> String {
    var name = pick(MadeUpWords.syllables, &random)
    if random.uniform() < 0.7 { name += pick(MadeUpWords.syllables, &random) }
    name += pick(MadeUpWords.cityEndings, &random)
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  private func fillRating(_ restaurant: inout Restaurant, using random: inout SeededRandom) {
    guard random.uniform() < 0.85 else { return }
    let tenths = Int((39 + 6 * random.normal()).rounded())
    restaurant.rating = Double(min(50, max(10, tenths))) / 10
    restaurant.ratingScale = 5
    // many have few reviews, few have many
    let share = random.uniform()
    restaurant.reviewCount = 1 + Int(2_000 * share * share * share * share)
    let level = random.uniform()
    if level < 0.9 {
      restaurant.priceLevel = level < 0.35 ? 1 : level < 0.7 ? 2 : level < 0.84 ? 3 : 4
    }
  }

  /// Changes the record as the next version of the feed has it: a new rating; one in ten moves down
  /// the street.
  private func change(_ restaurant: inout Restaurant, _ number: Int) {
    var random = SeededRandom(seed: mixed(UInt64(number), 3))
    guard random.uniform() * 100 < changedPercent else { return }
    restaurant.reviewCount = (restaurant.reviewCount ?? 0) + 1 + below(20, &random)
    restaurant.rating = Double(10 + below(41, &random)) / 10
    restaurant.ratingScale = 5
    guard below(10, &random) == 0 else { return }
    let old = restaurant.coordinate
    let north = (Double(below(2_000, &random)) - 1_000) / 1e6
    let latitude = ((old.latitude + north) * 1e7).rounded() / 1e7
    restaurant.coordinate =
      Coordinate(latitude: min(90, max(-90, latitude)), longitude: old.longitude) ?? old
  }

  /// A number for each number and purpose: for one seed and purpose no two are equal.
  private func mixed(_ number: UInt64, _ purpose: UInt64) -> UInt64 {
    var start = SeededRandom(seed: seed &+ purpose)
    var random = SeededRandom(seed: start.next() &+ number &* 0xD1B5_4A32_D192_ED03)
    return random.next()
  }

  private func pick<Element>(_ list: [Element], _ random: inout SeededRandom) -> Element {
    list[below(list.count, &random)]
  }

  /// A whole number in 0..<bound, from the high half of a product, which is the same on every
  /// machine.
  private func below(_ bound: Int, _ random: inout SeededRandom) -> Int {
    Int(random.next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}

/// The words in the names of generated restaurants, cities and streets.
///
/// They belong to the meaning of a seed: moving a word changes every generated feed.
enum MadeUpWords {
  /// Categories with their share of a thousand and the words in their names.
  static let kinds: [Kind] = [
    ("Pizza", 110, ["Pizzeria", "Forno", "Slice", "Pizza Kitchen"]),
    ("Coffee Shop", 105, ["Coffee", "Espresso Bar", "Roasters", "Coffee House"]),
    ("Burgers", 85, ["Burgers", "Burger Bar", "Grill", "Patty Shop"]),
    ("Café", 80, ["Café", "Tea Room", "Corner", "Kitchen"]),
    ("Chinese", 75, ["Garden", "Dragon", "Wok", "Noodle House"]),
    ("Italian", 70, ["Trattoria", "Osteria", "Ristorante", "Cucina"]),
    ("Mexican", 65, ["Taqueria", "Cantina", "Cocina", "Tacos"]),
    ("Bakery", 60, ["Bakery", "Bakehouse", "Boulangerie", "Bread"]),
    ("Indian", 50, ["Tandoor", "Curry House", "Spice", "Dosa Bar"]),
    ("Sushi", 50, ["Sushi", "Izakaya", "Roll House", "Omakase"]),
    ("Pub", 45, ["Arms", "Tavern", "Public House", "Taproom"]),
    ("Thai", 40, ["Thai Kitchen", "Basil", "Orchid", "Thai House"]),
    ("Kebab", 40, ["Kebab", "Grill House", "Ocakbaşı", "Döner"]),
    ("Seafood", 30, ["Oyster Bar", "Fish House", "Harbour", "Catch"]),
    ("Vietnamese", 25, ["Phở", "Bánh Mì", "Saigon Kitchen", "Lotus"]),
    ("Steakhouse", 20, ["Steakhouse", "Chophouse", "Prime", "Asador"]),
    ("Vegetarian", 20, ["Greens", "Garden Table", "Sprout", "Roots"]),
    ("Tex Mex", 15, ["Tex Mex", "Fajita House", "Hacienda", "Ranch"]),
    ("Ethiopian", 15, ["Injera House", "Habesha", "Lalibela", "Buna"]),
  ]

  typealias Kind = (name: String, share: Int, endings: [String])

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
