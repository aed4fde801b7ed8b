import Foundation
import GeoIndex

@testable import GeoQuery

/// What a query shall answer, by looking at every restaurant with Swift's own means.
struct QueryOracle {
  /// In order of id.
  let restaurants: [Restaurant]

  /// All matches in the query's order, whatever its limit.
  func matches(_ query: Query) -> [Match] {
    var found = restaurants.filter { Self.holds(query.filter, $0) }
      .map { restaurant in
        Match(
          restaurant: restaurant,
          distance: query.center.map { $0.distance(to: restaurant.coordinate) }
        )
      }
    switch query.region {
    case .everywhere: break
    case .box(let box): found.removeAll { !box.contains($0.restaurant.coordinate) }
    case .radius(let radius, _): found.removeAll { ($0.distance ?? 0) > radius }
    case .nearest(_, let count, let radius):
      found.removeAll { ($0.distance ?? 0) > radius }
      found = Array(Self.sorted(found, by: Order(by: .distance)).prefix(count))
      found.sort { UTF8Key($0.restaurant.id) < UTF8Key($1.restaurant.id) }
    }
    let order = query.order ?? (query.center == nil ? nil : Order(by: .distance))
    return order.map { Self.sorted(found, by: $0) } ?? found
  }

  /// Sorted by one stable sort for each key, the last key first, of what is in order of id.
  static func sorted(_ matches: [Match], by order: Order) -> [Match] {
    order.terms.reversed().reduce(matches) { sorted($0, by: $1) }
  }

  private static func sorted(_ matches: [Match], by order: Order.Term) -> [Match] {
    let turn: Double = order.isDescending ? -1 : 1
    func isBefore(_ one: Match, _ other: Match) -> Bool {
      switch order.key {
      case .distance: return turn * (one.distance ?? 0) < turn * (other.distance ?? 0)
      case .name:
        let (left, right) = (name(one), name(other))
        return order.isDescending
          ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right)
      case .rating: return isBefore(share(one), share(other))
      case .priceLevel:
        return isBefore(
          one.restaurant.priceLevel.map(Double.init),
          other.restaurant.priceLevel.map(Double.init)
        )
      case .reviewCount:
        return isBefore(
          one.restaurant.reviewCount.map(Double.init),
          other.restaurant.reviewCount.map(Double.init)
        )
      case .category:
        return isBefore(text(one.restaurant.category), text(other.restaurant.category))
      case .chain: return isBefore(text(one.restaurant.chain), text(other.restaurant.chain))
      case .city:
        return isBefore(text(one.restaurant.address.city), text(other.restaurant.address.city))
      }
    }
    func text(_ text: String?) -> [UInt8]? { text.map { Array(folded($0).utf8.prefix(256)) } }
    func isBefore(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool {
      guard let one else { return false }
      guard let other else { return true }
      return order.isDescending
        ? other.lexicographicallyPrecedes(one) : one.lexicographicallyPrecedes(other)
    }
    func isBefore(_ one: Double?, _ other: Double?) -> Bool {
      guard let one else { return false }
      guard let other else { return true }
      return turn * one < turn * other
    }
    func name(_ match: Match) -> [UInt8] { Array(folded(match.restaurant.name).utf8.prefix(256)) }
    func share(_ match: Match) -> Double? {
      match.restaurant.rating.map { $0 / (match.restaurant.ratingScale ?? 5) }
    }
    return matches.enumerated().sorted { one, other in
      if isBefore(one.element, other.element) { return true }
      if isBefore(other.element, one.element) { return false }
      return one.offset < other.offset
    }.map(\.element)
  }

  static func holds(_ filter: Filter, _ restaurant: Restaurant) -> Bool {
    if let ids = filter.ids, !ids.contains(where: { UTF8Key($0) == UTF8Key(restaurant.id) }) {
      return false
    }
    if let area = filter.area, !area.contains(restaurant.coordinate) { return false }
    if !filter.categories.isEmpty {
      guard let category = restaurant.category else { return false }
      let known = entries(category) + [folded(category)]
      guard filter.categories.map(folded).contains(where: known.contains) else { return false }
    }
    if !filter.text.allSatisfy(\.isWhitespace) {
      let texts = [
        restaurant.name, restaurant.category, restaurant.address.street, restaurant.address.city,
      ].compactMap(\.self)
      let words = texts.flatMap { text in
        var found = FoldedWords()
        found.addSearched(text)
        return found.words
      }
      let wanted = FoldedWords(filter.text).words
      guard !wanted.isEmpty,
        wanted.allSatisfy({ word in words.contains { $0.starts(with: word) } })
      else { return false }
    }
    return filter.conditions.allSatisfy { holds($0, restaurant) }
  }

  /// The entries of a category that is a list or a path, folded.
  static func entries(_ category: String) -> [String] {
    let parts = folded(category).components(separatedBy: CharacterSet(charactersIn: ",;>|"))
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0 != "" }
    return parts.isEmpty ? [folded(category)] : parts
  }

  private static func holds(_ condition: Condition, _ restaurant: Restaurant) -> Bool {
    switch condition.operand {
    // these have oracles of their own
    case .member, .exact: return false
    case .flag(let flag):
      return (restaurant.closed == flag) == (condition.comparison == .equal)
    case .number(let number):
      guard let value = value(condition.field, restaurant) else { return false }
      return compare(value < number, value == number, condition.comparison)
    case .text(let text):
      guard let field = RestaurantField(rawValue: condition.field.rawValue),
        case .string(let value)? = restaurant[field]
      else { return false }
      let own = Array(folded(value).utf8)
      let other = Array(text.utf8)
      if condition.comparison == .contains {
        return other.isEmpty || own.indices.contains { own[$0...].starts(with: other) }
      }
      return compare(own.lexicographicallyPrecedes(other), own == other, condition.comparison)
    }
  }

  private static func value(_ field: Condition.Field, _ restaurant: Restaurant) -> Double? {
    switch field {
    case .rating: restaurant.rating
    case .ratingScale: restaurant.ratingScale
    case .reviewCount: restaurant.reviewCount.map(Double.init)
    case .priceLevel: restaurant.priceLevel.map(Double.init)
    case .latitude: restaurant.coordinate.latitude
    case .longitude: restaurant.coordinate.longitude
    default: nil
    }
  }

  private static func compare(
    _ isLess: Bool,
    _ isEqual: Bool,
    _ comparison: Condition.Comparison
  ) -> Bool {
    switch comparison {
    case .equal: isEqual
    case .notEqual: !isEqual
    case .less: isLess
    case .lessOrEqual: isLess || isEqual
    case .greater: !isLess && !isEqual
    case .greaterOrEqual: !isLess
    case .contains: false
    }
  }
}
