import GeoQuery

/// Splits a row into its cells, byte by byte.
struct RowScanner {
  /// The current index: at a line end, or at the end of the bytes.
  private(set) var position: Int

  /// Whether the bytes end inside a quoted cell.
  private(set) var isInQuotes = false

  private let bytes: [UInt8]
  private let separator: UInt8
  private let hasQuotes: Bool
  private static let quote = UInt8(ascii: "\"")

  /// Starts at a row; with `quote`, a quote at a cell's start encloses the cell.
  init(_ bytes: [UInt8], from position: Int, separator: UInt8, hasQuotes: Bool = true) {
    self.hasQuotes = hasQuotes
    self.bytes = bytes
    self.position = position
    self.separator = separator
  }

  /// The cells of the row that begins here, and its problem, if there is one.
  mutating func row() -> (cells: [String], problem: String?) {
    var cells: [String] = []
    var problem: String?
    while true {
      if hasQuotes, position < bytes.count, bytes[position] == Self.quote {
        cells.append(quotedCell())
        if !isAtCellEnd {
          problem = problem ?? "cell \(cells.count) has text after its closing quote"
          skipCell()
        }
      } else {
        let start = position
        skipCell()
        cells.append(String(decoding: bytes[start..<position], as: UTF8.self))
      }
      guard position < bytes.count, bytes[position] == separator else { return (cells, problem) }
      position += 1
    }
  }

  private var isAtCellEnd: Bool {
    guard position < bytes.count else { return true }
    let byte = bytes[position]
    return byte == separator || byte == 0x0A || byte == 0x0D
  }

  private mutating func skipCell() {
    bytes.withUnsafeBufferPointer { all in
      while position < all.count {
        let byte = all[position]
        if byte == separator || byte == 0x0A || byte == 0x0D { return }
        position += 1
      }
    }
  }

  /// Reads from an opening quote to after the closing one; two quotes inside are one.
  private mutating func quotedCell() -> String {
    position += 1
    isInQuotes = true
    let start = position
    var doubled = false
    while position < bytes.count {
      guard bytes[position] == Self.quote else {
        position += 1
        continue
      }
      if position + 1 < bytes.count, bytes[position + 1] == Self.quote {
        doubled = true
        position += 2
        continue
      }
      let cell = bytes[start..<position]
      position += 1
      isInQuotes = false
      return doubled ? Self.undoubled(cell) : String(decoding: cell, as: UTF8.self)
    }
    return ""
  }

  private static func undoubled(_ cell: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(cell.count)
    var isSecond = false
    for byte in cell {
      isSecond = byte == quote && !isSecond
      // of two quotes the first is skipped
      if byte != quote || isSecond { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
