import GeoIndex
import GeoQuery

/// Fictitious restaurants: always the same for the same size and seed.
///
/// Each is made from its number alone, in constant time and without storing others. Their positions
/// are `ClusteredPoints`; a city's name and its area code are made from the city's number.
struct MadeUpRestaurants {
  private let seed: UInt64
  private let points: ClusteredPoints
  private let changedPercent: Double

  private static let shareTotal = MadeUpWords.kinds.reduce(0) { $0 + $1.share }

  /// - Parameters:
  ///   - size: The number of restaurants; with more of them, cities are wider.
  ///   - seed: The seed.
  ///   - changedPercent: The percentage that differs, as in a feed's next version.
  init(size: Int, seed: UInt64, changedPercent: Double = 0) {
    self.seed = seed
    self.changedPercent = changedPercent
    var random = SeededRandom(seed: seed)
    points = ClusteredPoints(size: size, using: &random)
  }

  /// The restaurant with a number.
  func restaurant(_ number: Int) -> Restaurant {
    var random = SeededRandom(seed: mixed(UInt64(number), 1))
    let city = points.city(using: &random)
    let place = points.point(inCity: city, using: &random)
    let kind = kind(using: &random)
    var restaurant = Restaurant(
      id: hexadecimal(mixed(UInt64(number), 0)),
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

  private func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
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
