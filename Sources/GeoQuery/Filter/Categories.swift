import Foundation
import GeoIndex

/// The entries of a category, which may be a list (`Thai, Bars`, `Thai;Vegan`, `Pizza|Bar`) or a path
/// (`Dining > Thai`).
///
/// Commas, semicolons, bars and angle brackets divide it, also in their full-width forms; a slash does
/// not. Each entry is without blanks at its ends.
///
/// - Returns: The entries in their order; the category itself if it has none.
package func categoryEntries(of category: String) -> [String] {
  let separators: Set<Unicode.Scalar> = [",", ";", "|", ">", "，", "；", "｜", "＞"]
  let parts = category.unicodeScalars.split { separators.contains($0) }
  let entries = parts.map { String($0).trimmed }.filter { !$0.isEmpty }
  return entries.isEmpty ? [category] : entries
}

/// The categories that a filter wants, folded.
///
/// A restaurant has one of them if its category, or an entry of it, is equal.
package struct CategoryNames: Sendable {
  private let wanted: Set<UTF8Key>

  /// - Parameter names: Categories as the caller writes them.
  package init(_ names: some Sequence<String>) {
    wanted = Set(names.map { UTF8Key(folded($0)) })
  }

  /// Whether there are no categories, so that all match.
  package var isEmpty: Bool { wanted.isEmpty }

  /// Whether a restaurant's category is among them.
  package func contain(_ category: String) -> Bool {
    contain(folded: folded(category))
      || categoryEntries(of: category).contains { contain(folded: folded($0)) }
  }

  /// Whether a folded text is among them.
  func contain(folded text: String) -> Bool { wanted.contains(UTF8Key(text)) }
}

/// The entries of the categories of a snapshot, numbered in the order of their first use.
///
/// Entries that are equal when folded are one, spelled as the first.
struct CategoryTable: Sendable {
  /// The entries.
  private(set) var names: [String] = []

  /// The entries, folded.
  private(set) var folded: [String] = []

  private var entries: [UInt32] = []
  private var ends: [Int] = [0]

  /// The entries of a column of categories.
  ///
  /// - Complexity: O(bytes of the different categories).
  init(_ column: CodeColumn?) {
    guard let column else { return }
    var numbers: [UTF8Key: UInt32] = [:]
    for code in 0..<column.texts.count {
      for name in categoryEntries(of: column.texts.string(code)) {
        let key = GeoQuery.folded(name)
        let number = numbers[UTF8Key(key), default: UInt32(names.count)]
        if number == names.count {
          numbers[UTF8Key(key)] = number
          names.append(name)
          folded.append(key)
        }
        if !entries[ends[code]...].contains(number) { entries.append(number) }
      }
      ends.append(entries.count)
    }
  }

  /// The numbers of the entries of a category, each once, by the category's number in its column.
  subscript(code: Int) -> ArraySlice<UInt32> { entries[ends[code]..<ends[code + 1]] }

  /// The number of categories.
  var count: Int { ends.count - 1 }
}

extension Snapshot {
  /// The positions whose category is one of those that a filter wants.
  func positions(inCategories names: CategoryNames) -> BitSet {
    guard let column = columns.codes[.category] else { return BitSet(capacity: count) }
    let table = categories
    let isWanted = table.folded.map { names.contain(folded: $0) }
    return column.positions { code in
      table[code].contains { isWanted[Int($0)] }
        || names.contain(folded: column.folded.string(code))
    }
  }
}

/// A value that is computed at its first use.
package final class Lazy<Value: Sendable>: @unchecked Sendable {
  // accessed under the lock only
  private var value: Value?
  private let lock = NSLock()
  private let compute: @Sendable () -> Value

  /// - Parameter compute: Computes the value; it is called once.
  package init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
  }

  /// Returns the value; waits while another thread computes it.
  package func callAsFunction() -> Value {
    lock.withLock {
      if let value { return value }
      let made = compute()
      value = made
      return made
    }
  }
}
