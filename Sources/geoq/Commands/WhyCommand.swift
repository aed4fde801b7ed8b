import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Explain why a restaurant is in an answer or not, and what would have it in.",
    discussion: """
        geoq why ramen-hakata-888c0926 --at 32.95,-96.82 -k 5 --open 'Fri 12:30'
        geoq why ramen-hakata-888c0926 --at 32.95,-96.82 -r 1km --where 'rating >= 4'
        geoq why ramen-hakata-888c0926 --bbox -96.9,32.9,-96.8,33.0 --json

      Give the options of the query: with --at and -r they are those of radius, with --at alone those of \
      nearest, with --bbox those of bbox, otherwise those of list and search (whose words go into --text). \
      Every part that fails is listed with its value, and what together would have the restaurant in. An \
      unknown id is reported on standard error; the exit code is then 1, or with -e 4.
      """
  )

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json
  }

  @Argument(
    help: "The id, as listed by -f ids; write -- before it if it starts with a hyphen.",
    completion: .custom { words, _, prefix in StoreCompletions(words).ids(prefix) }
  )
  var id: String

  @OptionGroup var place: RegionOptions

  @Option(
    name: [.customShort("k", allowingJoined: true), .customLong("count")],
    parsing: .unconditional,
    help: "With --at: the number of nearest restaurants (default: \(Self.defaultCount)).".value("n")
  )
  var count: Int?

  @Option(
    name: .customLong("max"),
    parsing: .unconditional,
    help: "With --at: the maximum distance of the nearest.".value("dist")
  )
  var maximumDistance: String?

  private static let defaultCount = 10

  @OptionGroup var filters: FilterOptions
  @OptionGroup var page: PageOptions

  @Option(name: .shortAndLong, help: "Output format.")
  var format: Format = .text

  @Flag(help: "Same as -f json (schema geoq.why/1).")
  var json = false

  @Flag(name: .shortAndLong, help: "Exit with 4 if the restaurant is not in the answer.")
  var exitStatus = false

  @OptionGroup var globals: GlobalOptions

  func validate() throws {
    if !place.isReference { _ = try region() }
  }

  func run() throws {
    let query = try page.query(in: region(), matching: filters.filter(globals))
    let store = try globals.openStore()
    defer { try? store.close() }
    let explanation: Explanation
    do {
      explanation = try globals.engine(store).explain(id, in: query)
    } catch let error as UnknownRestaurant {
      throw try CommandFailure(
        unknownIDs: [error.id],
        in: store,
        similar: error.similar,
        foundNothing: exitStatus
      )
    }
    if json || format == .json {
      try StandardStreams.printJSON("\(explanation.json)\n")
    } else {
      try StandardStreams.print(lines: WhyText(why: explanation).lines.map(terminalSafe))
    }
    if exitStatus, !explanation.isOnPage {
      throw CommandFailure.nothingFound()
    }
  }

  /// The region that the options tell.
  private func region() throws -> Query.Region {
    if let count, count < 0 { throw ValidationError("--count must be 0 or more, got \(count)") }
    let choosesNearest = count != nil || maximumDistance != nil
    if let region = try place.region(globals) {
      guard choosesNearest else { return region }
      guard place.radius == nil else {
        throw ValidationError("-r lists all within a distance; it does not go with -k and --max")
      }
      throw RegionOptions.needsPoint("-k and --max need")
    }
    guard let center = try place.center(globals) else { return .everywhere }
    let maximum = try maximumDistance.map { text in
      try named("--max") { try parseDistance(text) }
    }
    return .nearest(to: center, count: count ?? Self.defaultCount, within: maximum ?? .infinity)
  }
}

/// An explanation for people, with the options of the command line.
private struct WhyText {
  let why: Explanation

  var lines: [String] {
    let name = "\(why.restaurant.name) (\(why.restaurant.id))"
    let away = why.distance.map { ", \(formatDistance($0)) away" } ?? ""
    if why.isOnPage {
      return [
        "\(name) is in the answer: number \(number(why.rank)) of \(grouped(why.total))\(away)"
      ]
    }
    let head =
      why.isIncluded
      ? "\(name) matches, as number \(number(why.rank)) of \(grouped(why.total))\(away), but is not on this page:"
      : "\(name) is not in the answer:"
    return [head] + why.failures.map { "  " + sentence(about: $0) } + [remedy].compactMap(\.self)
  }

  private func number(_ rank: Int?) -> String { grouped(rank ?? 0) }

  private func sentence(about failure: Explanation.Failure) -> String {
    switch failure {
    case .ids: "it is not one of the ids"
    case .favorites: "it is not a favorite"
    case .text(let words):
      "--text: no word of its name, category, address or city starts with "
        + Self.list(words.map { "\"\($0)\"" }, "or")
    case .categories:
      "--category: " + (why.restaurant.category.map { "its category is \($0)" } ?? "it has none")
    case .open(let opening): "--open: " + Self.sentence(about: opening)
    case .area(let meters): "--within: it is \(Self.short(meters)) outside the area"
    case .condition(let requirement): "--where: " + Self.sentence(about: requirement)
    case .radius(let meters):
      "\(distanceOption): it is \(Self.short(why.distance ?? 0)) away, \(Self.short(meters)) too far"
    case .box(let meters): "--bbox: it is \(Self.short(meters)) outside the box"
    case .count(let before): "-k: \(Self.matching(before, "is", "are")) nearer"
    case .page(let before):
      "\(pageOption): \(Self.matching(before, "comes", "come")) before it"
    }
  }

  private static func matching(_ count: Int, _ one: String, _ several: String) -> String {
    "\(restaurants(count)) that " + (count == 1 ? "matches \(one)" : "match \(several)")
  }

  private static func sentence(about opening: Explanation.Opening) -> String {
    if opening.isClosedForGood { return "it is closed for good" }
    guard opening.state != .unknown else {
      return "its opening hours on \(day(opening.time)) are not known"
    }
    let next = opening.next.map { ", and opens on \(day($0))" } ?? ""
    return "it is closed on \(day(opening.time))\(next)"
  }

  private static func sentence(about requirement: Explanation.Requirement) -> String {
    let values = requirement.values.map { member in
      member.value.isNull
        ? "it has no \(member.name)" : "\(member.name) is \(text(of: member.value))"
    }
    let outside = requirement.outside.map { ["it is \(short($0)) away from there"] } ?? []
    return "not true that \(requirement.expression); \(list(values + outside, "and"))"
  }

  private static func text(of value: JSONValue) -> String {
    if case .string(let text) = value { text } else { value.description }
  }

  // MARK: - What would have it in

  private var remedy: String? {
    guard let remedy = why.remedy else { return nil }
    var changes: [String] = []
    switch (why.query.region, remedy.region) {
    case (.nearest(_, let count, let maximum), .nearest(_, let newCount, let newMaximum)):
      if newMaximum != maximum { changes.append("--max \(Self.atLeast(newMaximum))") }
      if newCount != count { changes.append("-k \(newCount)") }
    case (.radius(let radius, _), .radius(let newRadius, _)):
      if newRadius != radius { changes.append("-r \(Self.atLeast(newRadius))") }
    case (.box(let box), .box(let newBox)):
      if newBox != box { changes.append("--bbox \(newBox)") }
    default: break
    }
    if why.addsUnknownHours { changes.append("--open-unknown") }
    if let limit = remedy.limit, limit != why.query.limit { changes.append("--limit \(limit)") }
    var dropped = why.failures.filter(why.isDropped).map(name)
    if why.query.cursor != nil, remedy.cursor == nil { dropped.append("--cursor") }
    let parts = [
      changes.isEmpty ? nil : "with " + Self.list(changes, "and"),
      dropped.isEmpty ? nil : "without " + Self.list(dropped, "and"),
    ].compactMap(\.self)
    return "It would be \(why.isIncluded ? "there" : "in it") \(parts.joined(separator: ", and "))."
  }

  /// A part of the filter that is to be omitted.
  private func name(of failure: Explanation.Failure) -> String {
    switch failure {
    case .text(let words):
      why.remedy?.filter.text == ""
        ? "--text" : Self.list(words.map { "\"\($0)\"" }, "and") + " in --text"
    case .categories: "--category"
    case .open: "--open"
    case .area: "--within"
    case .condition(let requirement): "--where '\(requirement.expression)'"
    case .ids: "the ids"
    case .favorites: "the choice of favorites"
    case .radius, .box, .count, .page: ""
    }
  }

  private var distanceOption: String {
    if case .nearest = why.query.region { "--max" } else { "-r" }
  }

  private var pageOption: String {
    why.query.limit == nil || why.remedy?.limit == why.query.limit ? "--cursor" : "--limit"
  }

  /// A distance in meters that is not shorter than the exact one, as a value of an option.
  private static func atLeast(_ meters: Double) -> String {
    var tenths = (meters * 10).rounded(.up)
    if tenths / 10 < meters { tenths += 1 }
    let whole = meters.rounded(.up)
    return meters >= 1_000 || tenths == whole * 10 ? "\(Int(whole))" : "\(tenths / 10)"
  }

  /// A distance rounded for people, short ones less than others.
  private static func short(_ meters: Double) -> String {
    meters < 10 ? "\((meters * 100).rounded(.up) / 100) m" : formatDistance(meters)
  }

  /// A time with its weekday.
  private static func day(_ time: LocalTime) -> String {
    "\(DetailView.weekdays[time.weekday]) \(time.description.replacing("T", with: " "))"
  }

  private static func list(_ parts: [String], _ joint: String) -> String {
    guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " \(joint) " + last
  }
}
