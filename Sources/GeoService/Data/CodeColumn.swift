import GeoQuery

/// A text by position, as a number per different text: texts that differ in case and accents only
/// are one.
struct CodeColumn: Sendable {
  fileprivate let codesByText: [ByteKey: UInt32]
  fileprivate let codesByPart: [ByteKey: [UInt32]]
  fileprivate let codes: [UInt32]

  /// The codes of some texts; those that no restaurant has are left out.
  func codes(of texts: [String]) -> Set<UInt32> {
    Set(texts.compactMap { codesByText[ByteKey(folded($0))] })
  }

  /// The codes of the categories that have one of some names among their parts (`CategoryNames`).
  func codes(ofCategories names: [String]) -> Set<UInt32> {
    names.map { ByteKey(folded($0)) }
      .reduce(into: codes(of: names)) { $0.formUnion(codesByPart[$1] ?? []) }
  }

  /// Whether the text at a position is one of those.
  func has(_ wanted: Set<UInt32>, at position: Int) -> Bool {
    wanted.contains(codes[position])
  }
}

/// Makes a `CodeColumn`, one text after another.
struct CodeColumnBuilder {
  private let hasParts: Bool
  private var codesByText: [ByteKey: UInt32] = [:]
  private var codesByPart: [ByteKey: [UInt32]] = [:]
  private var codes: [UInt32] = []

  /// - Parameter hasParts: Whether a text may be a list or a path, as categories are.
  init(hasParts: Bool) {
    self.hasParts = hasParts
  }

  /// Adds the text of the next restaurant; nil where it has none.
  mutating func append(_ text: String?) {
    guard let text else {
      codes.append(.max)
      return
    }
    let next = UInt32(codesByText.count)
    let key = ByteKey(folded(text))
    let code = codesByText[key] ?? next
    if code == next {
      codesByText[key] = code
      let parts = hasParts ? CategoryNames.parts(ofFolded: key.text) : []
      for part in parts { codesByPart[ByteKey(part), default: []].append(code) }
    }
    codes.append(code)
  }

  /// What was added.
  var column: CodeColumn {
    CodeColumn(codesByText: codesByText, codesByPart: codesByPart, codes: codes)
  }
}
