/// The sections of a file: names, places and checksums.
///
/// The tree's three come first. Each section starts at the first multiple of 4 096 after the one
/// before it, so the lengths determine all offsets.
struct SectionTable: Equatable {
  /// A section.
  struct Entry: Equatable {
    let name: String
    let range: Range<Int>
    let checksum: UInt64
  }

  /// The sections of the tree, in the order of the file.
  static let treeNames = ["nodes", "leaves", "coords"]

  /// The greatest number of sections that fit into the header.
  static let capacity = 120

  /// The bytes of an entry.
  static let stride = 32

  /// The greatest length of a section; the sum of all cannot overflow.
  static let greatestLength = UInt64(1) << 48

  let entries: [Entry]

  /// The offset where a section after `end` bytes starts.
  static func start(after end: Int) -> Int {
    (end + TreeLayout.alignment - 1) / TreeLayout.alignment * TreeLayout.alignment
  }

  /// Whether a name is valid: 1 to 8 visible ASCII characters.
  static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...8).contains(name.count) && name.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// The range of a section; nil if there is none with this name.
  func range(of name: String) -> Range<Int>? { entries.first { $0.name == name }?.range }

  /// The end of the last section, which ends the file.
  var end: Int { entries.last?.range.upperBound ?? TreeLayout.alignment }

  /// The checksums of the tree's sections.
  var treeChecksums: [UInt64] { entries.prefix(Self.treeNames.count).map(\.checksum) }
}

extension SectionTable {
  /// Reads the table of a header whose checksum is right.
  ///
  /// Only names, lengths and checksums are read: the rest follows from them, and the caller compares.
  ///
  /// - Throws: the first fault.
  init(_ header: [UInt8], count: UInt32, layout: TreeLayout) throws(SectionFileHeader.Fault) {
    guard (Self.treeNames.count...Self.capacity).contains(Int(count)) else {
      throw SectionFileHeader.Fault(reason: "its header says \(count) sections")
    }
    var entries: [Entry] = []
    var end = TreeLayout.alignment
    for index in 0..<Int(count) {
      let offset = SectionFileHeader.tableOffset + index * Self.stride
      let name = header[offset..<offset + 8].prefix { $0 != 0 }
      guard Self.isName(name) else {
        throw SectionFileHeader.Fault(reason: "its section \(index) has no valid name")
      }
      let text = String(decoding: name, as: UTF8.self)
      guard !entries.contains(where: { $0.name == text }) else {
        throw SectionFileHeader.Fault(reason: "it has two sections \(text)")
      }
      let length: UInt64 = SectionFileHeader.number(header, offset + 16)
      guard length <= Self.greatestLength else {
        throw SectionFileHeader.Fault(reason: "its section \(text) says \(length) bytes")
      }
      let start = Self.start(after: end)
      end = start + Int(length)
      let checksum: UInt64 = SectionFileHeader.number(header, offset + 24)
      entries.append(Entry(name: text, range: start..<end, checksum: checksum))
    }
    self.entries = entries
    try checkTree(layout)
  }

  /// Throws unless the first sections are the tree's, in order, as long as the number of points says.
  private func checkTree(_ layout: TreeLayout) throws(SectionFileHeader.Fault) {
    for (index, name) in Self.treeNames.enumerated() {
      guard entries[index].name == name else {
        throw SectionFileHeader.Fault(
          reason: "its section \(index) is \(entries[index].name) and should be \(name)"
        )
      }
      let length = layout.sections[index].count
      guard entries[index].range.count == length else {
        let points = layout.coordinates.count / TreeLayout.coordinateStride
        throw SectionFileHeader.Fault(
          reason: "its section \(name) is not \(length) bytes long, as \(points) points need"
        )
      }
    }
  }
}
