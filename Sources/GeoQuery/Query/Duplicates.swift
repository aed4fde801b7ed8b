import Foundation
import GeoIndex

/// Where to look for restaurants that are listed more than once, and how sure one must be.
public struct DuplicateQuery: Sendable {
  /// The greatest distance of two of them in meters, inclusive.
  public var distance = 100.0

  /// The least score of a pair, 0 to 1, inclusive.
  public var minimumScore = 0.5

  /// Two sources, compared as UTF-8 bytes: only pairs of a restaurant of the first and one of the second; nil
  /// for all pairs.
  public var sources: (first: String, second: String)?

  /// Only pairs of restaurants that match.
  public var filter = Filter.all

  /// The time limit; nil for none.
  public var deadline: Deadline?

  /// All pairs up to 100 m apart with a score of 0.5 or more.
  public init() {}
}

/// What two restaurants have in common: how likely it is that they are one place.
///
/// The score is a probability whose logarithm of odds is a sum of evidence, as in the record linkage of Fellegi
/// and Sunter (J. Am. Stat. Assoc. 64, 1969):
///
/// ```
/// log10(score / (1 - score)) = 5.5 · name - 3 - distance / 100 m
///   + 2 with the same phone number, - 1 with another one
///   + 0.5 at the same number of the same street, - 1 at another number
///   - 1 if both are of one source, because a feed rarely lists a place twice
/// ```
///
/// A missing value adds nothing. `name` is the mean of two similarities from 0 to 1: Dice's coefficient
/// of the pairs of adjacent letters, and the words paired by Jaro-Winkler similarity of at least 0.85 (as in
/// Cohen, Ravikumar and Fienberg, *A Comparison of String Distance Metrics for Name-Matching Tasks*, 2003),
/// without case, accents and apostrophes. The weights of name, distance and address are those of a logistic
/// regression on pairs of OpenStreetMap with Foursquare and Yelp, rounded; `Benchmarks/duplicates` prints
/// what they achieve.
public struct DuplicateEvidence: Sendable, Hashable {
  /// The distance in meters.
  public let distance: Double

  /// The similarity of the names, 0 to 1.
  public let name: Double

  /// Whether a phone number is the same; nil if one of them has none.
  public let isSamePhone: Bool?

  /// Whether number and street are the same; nil if that is not known.
  public fileprivate(set) var isSameAddress: Bool?

  /// Whether both are of one source.
  public let isOneSource: Bool

  /// The logarithm of the odds to base 10.
  var logOdds: Double {
    var sum = 5.5 * name - 3 - distance / 100
    if let isSamePhone { sum += isSamePhone ? 2 : -1 }
    if let isSameAddress { sum += isSameAddress ? 0.5 : -1 }
    return isOneSource ? sum - 1 : sum
  }

  /// How likely it is that they are one place, 0 to 1.
  public var score: Double { 1 / (1 + pow(10, -logOdds)) }
}

/// Pairs of restaurants that may be one place: the highest score first, ties by the ids of the first and
/// of the second.
///
/// The first of a pair is that of the first source, or the one with the lesser id. Restaurants are read from
/// the snapshot when they are asked for; a pair takes 16 bytes.
public struct Duplicates: Sendable {
  /// A pair.
  public struct Pair: Sendable, Hashable {
    /// The restaurants.
    public let first, second: Restaurant
    /// What they have in common.
    public let evidence: DuplicateEvidence
  }

  fileprivate struct Found: Sendable {
    let score, distance: Double
    let first, second: UInt32
  }

  fileprivate let snapshot: Snapshot
  fileprivate let found: [Found]

  /// The number of pairs.
  public var count: Int { found.count }

  /// A pair by its place in the order, from 0.
  ///
  /// - Throws: `SnapshotError` if the file is damaged.
  public func pair(at index: Int) throws -> Pair {
    let pair = found[index]
    let (first, second) = (Int(pair.first), Int(pair.second))
    let comparison = ListingComparison(snapshot, [first, second].sorted())
    return Pair(
      first: try snapshot.records.restaurant(at: first),
      second: try snapshot.records.restaurant(at: second),
      evidence: comparison.evidence(first, second, at: pair.distance)
    )
  }

  /// The best pairs only.
  ///
  /// - Parameter limit: The maximum number of pairs.
  /// - Returns: The first pairs, in the same order.
  public func prefix(_ limit: Int) -> Duplicates {
    Duplicates(snapshot: snapshot, found: Array(found.prefix(limit)))
  }

  /// The ids to hide so that one of each group stays; a group is everything that pairs connect.
  ///
  /// - Parameter source: The restaurant that stays is the one of this source with the least id; if the group has
  ///   none of it, or for nil, the one with the least id of all.
  /// - Returns: The ids, in order (UTF-8 bytes).
  /// - Complexity: O(pairs · log pairs).
  public func idsToHide(keeping source: String? = nil) -> [String] {
    var parents: [UInt32: UInt32] = [:]
    func root(of position: UInt32) -> UInt32 {
      var position = position
      while let parent = parents[position], parent != position {
        // shortens the way for the next time
        parents[position] = parents[parent]
        position = parent
      }
      return position
    }
    for pair in found {
      for position in [pair.first, pair.second] where parents[position] == nil {
        parents[position] = position
      }
      let (one, other) = (root(of: pair.first), root(of: pair.second))
      parents[max(one, other)] = min(one, other)
    }
    let members = parents.keys.sorted()
    let kept = source.flatMap { snapshot.positions(ofSource: $0) }
    var stays: [UInt32: UInt32] = [:]
    for position in members where kept?.contains(Int(position)) == true {
      let group = root(of: position)
      if stays[group] == nil { stays[group] = position }
    }
    // the root has the least id
    return members.filter { position in
      let group = root(of: position)
      return position != stays[group] ?? group
    }
    .map { String(decoding: snapshot.id(at: Int($0)), as: UTF8.self) }
  }
}

extension QueryEngine {
  /// Finds pairs of restaurants that may be one place.
  ///
  /// ```swift
  /// var query = DuplicateQuery()
  /// query.sources = ("osm", "yelp")
  /// let pairs = try engine.duplicates(query)
  /// let hidden = pairs.idsToHide(keeping: "osm")
  /// ```
  ///
  /// Each pair within the distance is compared: the index finds them all.
  ///
  /// - Throws: `QueryError` if a source is unknown, or distance or score are out of range; `QueryTimeout`.
  /// - Complexity: O(n log n + pairs within the distance), 24 bytes for each pair with the score and about 100
  ///   bytes a restaurant.
  public func duplicates(_ query: DuplicateQuery = DuplicateQuery()) throws -> Duplicates {
    guard query.distance >= 0, query.distance.isFinite else {
      throw QueryError("within", "must be 0 or more meters")
    }
    guard (0...1).contains(query.minimumScore) else {
      throw QueryError("above", "must be in 0...1")
    }
    let allowed = try positions(matching: query.filter, until: query.deadline)
    func side(_ source: String) throws -> BitSet {
      guard let found = snapshot.positions(ofSource: source) else {
        throw QueryError("between", "no restaurant has the source \"\(shortened(source))\"")
      }
      return allowed?.intersection(found) ?? found
    }
    let sides = try query.sources.map { (try side($0.first), try side($0.second)) }
    let isOneSide = query.sources.map { UTF8Key($0.first) == UTF8Key($0.second) } ?? true
    let firsts = sides?.0 ?? allowed
    let seconds = isOneSide ? nil : sides?.1
    var compared = firsts ?? BitSet(all: snapshot.count)
    if let seconds { compared.formUnion(seconds) }
    let comparison = ListingComparison(
      snapshot,
      compared.positions(ranks: 0..<compared.count).map { Int($0) }
    )
    var all = try snapshot.tree.pairs(
      within: query.distance,
      from: firsts,
      to: seconds
    ) { position, neighbors in
      if position & 63 == 0 { try query.deadline?.check() }
      return neighbors.compactMap { neighbor -> Duplicates.Found? in
        let score = comparison.evidence(
          position,
          neighbor.index,
          at: neighbor.distance,
          atLeast: query.minimumScore
        ).score
        guard score >= query.minimumScore else { return nil }
        return Duplicates.Found(
          score: score,
          distance: neighbor.distance,
          first: UInt32(position),
          second: UInt32(neighbor.index)
        )
      }
    }
    all.sort { one, other in
      if one.score != other.score { return one.score > other.score }
      return (one.first, one.second) < (other.first, other.second)
    }
    return Duplicates(snapshot: snapshot, found: all)
  }
}

extension Snapshot {
  /// The positions of a source's restaurants; nil if it has none.
  fileprivate func positions(ofSource source: String) -> BitSet? {
    guard let column = columns.codes[.source] else { return nil }
    let found = column.positions(isExact: true) { $0.elementsEqual(source.utf8) }
    return found.isEmpty ? nil : found
  }
}

/// Compares restaurants of a snapshot by what its columns have.
private struct ListingComparison: Sendable {
  private let snapshot: Snapshot
  private let names: ListingNames

  /// Compares restaurants at positions, ascending.
  init(_ snapshot: Snapshot, _ positions: [Int]) {
    self.snapshot = snapshot
    names = ListingNames(snapshot, positions)
  }

  /// What two restaurants have in common.
  ///
  /// The address is read only if it can decide, otherwise it counts as the same.
  func evidence(
    _ first: Int,
    _ second: Int,
    at distance: Double,
    atLeast minimum: Double = 0
  ) -> DuplicateEvidence {
    var evidence = DuplicateEvidence(
      distance: distance,
      name: names.similarity(first, second),
      isSamePhone: isSamePhone(first, second),
      isSameAddress: true,
      isOneSource: isOneSource(first, second)
    )
    if evidence.score >= minimum { evidence.isSameAddress = isSameAddress(first, second) }
    return evidence
  }

  private func isOneSource(_ first: Int, _ second: Int) -> Bool {
    guard let column = snapshot.columns.codes[.source] else { return false }
    return column.code(at: first) == column.code(at: second)
  }

  private func texts(
    _ field: Condition.Field,
    _ first: Int,
    _ second: Int
  ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer)? {
    guard let table = snapshot.columns.texts[field] else { return nil }
    let (one, other) = (table[first], table[second])
    return one.isEmpty || other.isEmpty ? nil : (one, other)
  }

  private func isSamePhone(_ first: Int, _ second: Int) -> Bool? {
    guard let (one, other) = texts(.phone, first, second) else { return nil }
    if one.elementsEqual(other) { return PhoneNumbers(one).isEmpty ? nil : true }
    let (left, right) = (PhoneNumbers(one), PhoneNumbers(other))
    return left.isEmpty || right.isEmpty ? nil : left.share(right)
  }

  private func isSameAddress(_ first: Int, _ second: Int) -> Bool? {
    guard let (one, other) = texts(.address, first, second) else { return nil }
    return StreetAddress(one).isSame(as: StreetAddress(other))
  }
}

/// The digits of the phone numbers in a text, which commas and semicolons divide.
private struct PhoneNumbers {
  private let numbers: [[UInt8]]

  init(_ text: UnsafeRawBufferPointer) {
    let parts = text.prefix(Self.longestText)
      .split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
    // without the zeros before an area code or a country
    numbers = parts.map { part in Array(part.filter(\.isDigit).drop { $0 == UInt8(ascii: "0") }) }
      .filter { $0.count >= Self.shortest }
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// Whether they share a number, one of them perhaps with the code of the country.
  func share(_ other: PhoneNumbers) -> Bool {
    numbers.contains { one in
      other.numbers.contains { two in
        let (short, long) = one.count < two.count ? (one, two) : (two, one)
        return long.count - short.count <= Self.longestCode
          && long.suffix(short.count) == short[...]
      }
    }
  }

  private static let shortest = 7
  private static let longestCode = 3
  private static let longestText = 256
}

/// The house numbers and the other words of an address.
private struct StreetAddress {
  private var numbers: [ArraySlice<UInt8>] = []
  private var street: [ArraySlice<UInt8>] = []

  init(_ text: UnsafeRawBufferPointer) {
    let text = UnsafeRawBufferPointer(rebasing: text.prefix(Self.longestText))
    for word in FoldedWords(String(decoding: text, as: UTF8.self)).words {
      // 12 and 12a, but not the 5th of an avenue
      let digits = word.prefix(while: \.isDigit)
      if digits.isEmpty || word.count - digits.count > 1 {
        street.append(word)
      } else {
        numbers.append(digits)
      }
    }
  }

  /// Whether both have a number in common and at least half of the words of the shorter street, which may be
  /// abbreviated; nil if one has no number, or the numbers are equal and the streets are not.
  func isSame(as other: StreetAddress) -> Bool? {
    if numbers.isEmpty || other.numbers.isEmpty { return nil }
    guard numbers.contains(where: other.numbers.contains) else { return false }
    let (short, long) =
      street.count < other.street.count ? (street, other.street) : (other.street, street)
    if short.isEmpty { return nil }
    let common = short.count { word in
      long.contains { $0.starts(with: word) || word.starts(with: $0) }
    }
    return common * 2 >= short.count ? true : nil
  }

  private static let longestText = 256
}

/// The names of restaurants as words of letters, one after another.
private struct ListingNames: Sendable {
  /// The letters of all words.
  private var letters: [UInt32] = []
  /// Where each word ends.
  private var wordEnds: [Int] = []
  /// Where the words of each restaurant end.
  private var ends: [Int] = []
  /// The restaurants, ascending.
  private let positions: [Int]
  /// Whether there is one for each position.
  private let isAll: Bool
  private let texts: TextTable?

  /// The letters and words of a name that are compared: a name may be long.
  private static let longestName = 128
  private static let mostWords = 64

  init(_ snapshot: Snapshot, _ positions: [Int]) {
    self.positions = positions
    isAll = positions.count == snapshot.count
    texts = snapshot.columns.texts[.name]
    guard let texts else { return }
    texts.whileMapped {
      for position in positions {
        let bytes = UnsafeRawBufferPointer(rebasing: texts[position].prefix(4 * Self.longestName))
        let start = letters.count
        for word in FoldedWords(String(decoding: bytes, as: UTF8.self)).words {
          let room = Self.longestName - (letters.count - start)
          if room <= 0 || wordEnds.count - (ends.last ?? 0) == Self.mostWords { break }
          letters += String(decoding: word, as: UTF8.self).unicodeScalars.prefix(room).map(\.value)
          wordEnds.append(letters.count)
        }
        ends.append(wordEnds.count)
      }
    }
  }

  /// The similarity of two names, 0 to 1.
  func similarity(_ first: Int, _ second: Int) -> Double {
    guard let texts else { return 0 }
    let (one, other) = (words(of: first), words(of: second))
    if one.isEmpty || other.isEmpty {
      return one.isEmpty && other.isEmpty && texts[first].elementsEqual(texts[second]) ? 1 : 0
    }
    return letters.withUnsafeBufferPointer { letters in
      let left = UnsafeBufferPointer(rebasing: letters[range(of: one)])
      let right = UnsafeBufferPointer(rebasing: letters[range(of: other)])
      if one.count == other.count, left.elementsEqual(right),
        zip(one, other).allSatisfy({ range(ofWord: $0).count == range(ofWord: $1).count })
      {
        return 1
      }
      return (Self.dice(left, right) + wordSimilarity(one, other, letters)) / 2
    }
  }

  private func words(of position: Int) -> Range<Int> {
    let slot = isAll ? position : positions.partitionPoint { $0 >= position }
    return (slot == 0 ? 0 : ends[slot - 1])..<ends[slot]
  }

  private func range(ofWord word: Int) -> Range<Int> {
    (word == 0 ? 0 : wordEnds[word - 1])..<wordEnds[word]
  }

  private func range(of words: Range<Int>) -> Range<Int> {
    range(ofWord: words.lowerBound).lowerBound..<wordEnds[words.upperBound - 1]
  }

  /// Dice's coefficient of the pairs of adjacent letters, without the spaces; of a single letter, of itself.
  private static func dice(
    _ one: UnsafeBufferPointer<UInt32>,
    _ other: UnsafeBufferPointer<UInt32>
  ) -> Double {
    let room = max(1, one.count - 1) + max(1, other.count - 1)
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: room) { pairs in
      func fill(_ letters: UnsafeBufferPointer<UInt32>, from start: Int) -> Int {
        let count = max(1, letters.count - 1)
        for index in 0..<count {
          let next = index + 1 < letters.count ? UInt64(letters[index + 1]) : 0
          pairs.initializeElement(at: start + index, to: UInt64(letters[index]) << 32 | next)
        }
        pairs[start..<start + count].sort()
        return start + count
      }
      let middle = fill(one, from: 0)
      let end = fill(other, from: middle)
      var (left, right, common) = (0, middle, 0)
      while left < middle, right < end {
        if pairs[left] == pairs[right] {
          (left, right, common) = (left + 1, right + 1, common + 1)
        } else if pairs[left] < pairs[right] {
          left += 1
        } else {
          right += 1
        }
      }
      return 2 * Double(common) / Double(end)
    }
  }

  /// The sum of the similarities of paired words, as a share of all words: the most similar words are paired
  /// first, ties in their order.
  private func wordSimilarity(
    _ one: Range<Int>,
    _ other: Range<Int>,
    _ letters: UnsafeBufferPointer<UInt32>
  ) -> Double {
    var pairs: [(similarity: Double, left: Int, right: Int)] = []
    for left in one {
      let word = UnsafeBufferPointer(rebasing: letters[range(ofWord: left)])
      for right in other {
        let found = jaroWinkler(word, UnsafeBufferPointer(rebasing: letters[range(ofWord: right)]))
        if found >= Self.leastWord { pairs.append((found, left, right)) }
      }
    }
    if pairs.count > 1 {
      pairs.sort { one, other in
        if one.similarity != other.similarity { return one.similarity > other.similarity }
        return (one.left, one.right) < (other.left, other.right)
      }
    }
    var (usedLeft, usedRight, sum) = (UInt64(0), UInt64(0), 0.0)
    for pair in pairs {
      let left = UInt64(1) << UInt64(pair.left - one.lowerBound)
      let right = UInt64(1) << UInt64(pair.right - other.lowerBound)
      if usedLeft & left != 0 || usedRight & right != 0 { continue }
      (usedLeft, usedRight, sum) = (usedLeft | left, usedRight | right, sum + pair.similarity)
    }
    return 2 * sum / Double(one.count + other.count)
  }

  private static let leastWord = 0.85
}

/// The similarity of two words, 0 to 1 (Winkler 1990), by their first 64 letters.
private func jaroWinkler(
  _ one: UnsafeBufferPointer<UInt32>,
  _ other: UnsafeBufferPointer<UInt32>
) -> Double {
  let (oneCount, otherCount) = (min(64, one.count), min(64, other.count))
  let window = max(0, max(oneCount, otherCount) / 2 - 1)
  var (usedOne, usedOther, common) = (UInt64(0), UInt64(0), 0)
  for left in 0..<oneCount {
    for right in max(0, left - window)..<max(0, left - window, min(otherCount, left + window + 1)) {
      if usedOther >> UInt64(right) & 1 == 0, one[left] == other[right] {
        usedOne |= 1 << UInt64(left)
        usedOther |= 1 << UInt64(right)
        common += 1
        break
      }
    }
  }
  if common == 0 { return 0 }
  var (right, transposed) = (0, 0)
  for left in 0..<oneCount where usedOne >> UInt64(left) & 1 == 1 {
    while usedOther >> UInt64(right) & 1 == 0 { right += 1 }
    if one[left] != other[right] { transposed += 1 }
    right += 1
  }
  let matches = Double(common)
  let jaro =
    (matches / Double(oneCount) + matches / Double(otherCount)
      + (matches - Double(transposed) / 2) / matches) / 3
  var prefix = 0
  while prefix < min(4, oneCount, otherCount), one[prefix] == other[prefix] { prefix += 1 }
  return jaro + Double(prefix) * 0.1 * (1 - jaro)
}
