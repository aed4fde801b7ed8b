import Foundation
import GeoIndex

/// The entries of the categories of a snapshot, numbered in the order of their first use.
///
/// Entries that are equal when folded are one, spelled as the first.
struct CategoryTable: Sendable {
  /// The entries.
  private(set) var names: [String] = []

  /// The entries, folded.
  private(set) var folded: [String] = []

  private var entries: [[UInt32]] = []

  /// The entries of a column of categories.
  ///
  /// - Complexity: O(bytes of the different categories).
  init(_ column: CodeColumn?) {
    guard let column else { return }
    var numbers: [UTF8Key: UInt32] = [:]
    for code in 0..<column.texts.count {
      entries.append([])
      for name in categoryEntries(of: column.texts.string(code)) {
        let key = GeoQuery.folded(name)
        let number = numbers[UTF8Key(key), default: UInt32(names.count)]
        if number == names.count {
          numbers[UTF8Key(key)] = number
          names.append(name)
          folded.append(key)
        }
        if !entries[code].contains(number) { entries[code].append(number) }
      }
    }
  }

  /// The numbers of the entries of a category, each once, by the category's number in its column.
  subscript(code: Int) -> [UInt32] { entries[code] }

  /// The number of categories.
  var count: Int { entries.count }
}

extension Snapshot {
  /// The positions whose category is one of those that a filter wants.
  func positions(inCategories names: CategoryNames) -> BitSet {
    guard let column = columns.codes[.category] else { return BitSet(capacity: count) }
    let table = categories
    let isWanted = table.folded.map { names.contain(folded: $0) }
    return column.positions(
      ofCodes: (0..<table.count).map { code in
        table[code].contains { isWanted[Int($0)] }
          || names.contain(folded: column.folded.string(code))
      }
    )
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
