package import GeoIndex
package import GeoQuery

/// An area that the store keeps under a name.
package struct SavedArea: Sendable, Hashable {
  /// The name, compared as UTF-8 bytes.
  package let name: String

  /// Identifies the outline: SHA-256 in hexadecimal digits.
  package let digest: String

  /// The number of positions of all rings, the first of each counted twice.
  package let vertexCount: Int

  /// When it was saved, in UTC.
  package let since: String

  /// Why a name cannot be that of a saved area; nil if it can.
  ///
  /// What `--within` takes for an outline is not a name.
  package static func problem(ofName name: String) -> String? {
    if name.trimmed.isEmpty { return "is empty" }
    if name.utf8.count > longestName { return "is longer than \(longestName) bytes" }
    if AreaList.isText(name) { return "begins like an outline in GeoJSON or WKT" }
    let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return hasControls ? "has control characters" : nil
  }

  private static let longestName = 200

  /// The maximum number of areas of a store.
  package static let maximumCount = 10_000

  /// The statement that makes the table in a file: outlines as GeoJSON (RFC 7946 §3.1), which other
  /// programs read too.
  static let creation = """
    CREATE TABLE geoq_areas (
      name TEXT NOT NULL PRIMARY KEY,
      geometry TEXT NOT NULL,
      digest TEXT NOT NULL,
      vertices INTEGER NOT NULL,
      savedAt TEXT NOT NULL
    );
    """
}

/// A saved area with its outline, which is parsed when it is first used: it may have a million positions.
///
/// A reference, so that it is parsed once.
package final class AreaOutline: Sendable {
  /// The facts about it.
  package let saved: SavedArea

  private let parsed: Lazy<Result<DigestedArea, QueryError>>

  /// Takes an outline in GeoJSON.
  package init(_ saved: SavedArea, _ geometry: String) {
    self.saved = saved
    parsed = Lazy {
      Result { () throws(QueryError) in
        try DigestedArea(AreaList(parsing: Array(geometry.utf8)).joined())
      }
    }
  }

  /// Whether the outline is parsed, so that `area` returns at once.
  package var isParsed: Bool { parsed.isKnown }

  /// The area.
  ///
  /// - Throws: `QueryError` if another program has written something else to the store.
  /// - Complexity: O(vertices) the first time.
  package func area() throws(QueryError) -> DigestedArea { try parsed().get() }
}

/// An error about the name of an area, with those that are similar.
package struct UnknownArea: Error, Hashable, CustomStringConvertible {
  /// The name.
  package let name: String

  /// The names of all areas, in order.
  package let known: [String]

  package var description: String { "there is no saved area \"\(shortened(name, to: 200))\"" }
}

extension StoreConnection {
  /// Whether the store has a table of areas, which earlier versions had not.
  private func hasAreas() throws -> Bool { try hasColumn("digest", of: "geoq_areas") }

  /// The areas by name (UTF-8 bytes), without their outlines.
  func areas() throws -> [SavedArea] {
    guard try hasAreas() else { return [] }
    let found = try fetch(
      #"SELECT name, digest, CAST(vertices AS bigint), "savedAt" FROM geoq_areas"#
    ) { row -> SavedArea? in
      // another program may have written a name that is not a text, by which no request can name it
      guard let name = row.utf8(0), firstInvalidUTF8(in: name) == nil else { return nil }
      return SavedArea(
        name: String(decoding: name, as: UTF8.self),
        digest: row.text(1) ?? "",
        vertexCount: row.integer(2).map { Int($0) } ?? 0,
        since: row.text(3) ?? ""
      )
    }
    return found.compactMap(\.self).sorted { UTF8Key($0.name) < UTF8Key($1.name) }
  }

  /// The outline of an area as GeoJSON.
  ///
  /// - Throws: `UnknownArea` if it is not there.
  func outline(ofArea name: String) throws -> String {
    let sql = "SELECT geometry FROM geoq_areas WHERE name = $1"
    if try hasAreas(), let text = try fetch(sql, [name], { $0.text(0) }).first { return text ?? "" }
    throw UnknownArea(name: name, known: try areas().map(\.name))
  }

  /// Keeps areas; those with the names of others replace them.
  ///
  /// - Parameter areas: Areas with different names, all of which have one.
  /// - Returns: The names of those that were replaced by another outline, and of those that are new.
  /// - Throws: `StoreError` of kind `area` if there are too many.
  func saveAreas(_ areas: [NamedArea]) throws -> (replaced: [String], added: [String]) {
    if try !hasAreas() { try upgrade() }
    let old = Dictionary(uniqueKeysWithValues: try self.areas().map { (UTF8Key($0.name), $0) })
    var (replaced, added): ([String], [String]) = ([], [])
    for area in areas {
      let name = area.name ?? ""
      let digest = SHA256.hex(DigestedArea(area.area).digest)
      let before = old[UTF8Key(name)]
      if before?.digest.isUTF8Equal(to: digest) == true { continue }
      before == nil ? added.append(name) : replaced.append(name)
      var json = JSONWriter()
      json.geometry(area.area)
      let count = area.area.polygons.joined().reduce(0) { $0 + $1.count }
      try run("DELETE FROM geoq_areas WHERE name = $1", [name])
      try run(
        """
        INSERT INTO geoq_areas (name, geometry, digest, vertices, "savedAt")
        VALUES ($1, $2, $3, CAST($4 AS integer), \(Self.now))
        """,
        [name, String(decoding: json.bytes, as: UTF8.self), digest, "\(count)"]
      )
    }
    guard old.count + added.count <= SavedArea.maximumCount else {
      throw problem(.area, "a store has at most \(SavedArea.maximumCount) areas; remove some")
    }
    if !replaced.isEmpty || !added.isEmpty { try announceOffers() }
    return (replaced, added)
  }

  /// Removes areas: all of them, or none if one is unknown.
  ///
  /// - Throws: `UnknownArea` for the first that is not there.
  func removeAreas(_ names: [String]) throws {
    let known = try areas().map(\.name)
    for name in names where !known.contains(where: { $0.isUTF8Equal(to: name) }) {
      throw UnknownArea(name: name, known: known)
    }
    for name in names { try run("DELETE FROM geoq_areas WHERE name = $1", [name]) }
    try announceOffers()
  }
}

extension Store {
  /// The saved areas by name (UTF-8 bytes).
  package func areas() throws -> [SavedArea] { try read(isPrompt: true) { try $0.areas() } }

  /// A saved area.
  ///
  /// - Throws: `UnknownArea` if it is not there; `QueryError` if it is not an area.
  /// - Complexity: O(vertices).
  package func area(named name: String) throws -> Area {
    let outline = try read(isPrompt: false) { try $0.outline(ofArea: name) }
    return try AreaList(parsing: Array(outline.utf8)).joined()
  }

  /// All saved areas with their outlines, read in one transaction.
  ///
  /// - Parameter known: Those that have been read before.
  /// - Returns: The areas by name; of those that are known and have not changed, the same objects.
  /// - Throws: `StoreError`.
  package func areaBook(_ known: [AreaOutline] = []) throws -> [AreaOutline] {
    let old = Dictionary(uniqueKeysWithValues: known.map { (UTF8Key($0.saved.name), $0) })
    return try read(isPrompt: false) { connection in
      try connection.areas().map { saved in
        if let area = old[UTF8Key(saved.name)], area.saved == saved { return area }
        return AreaOutline(saved, try connection.outline(ofArea: saved.name))
      }
    }
  }

  /// Keeps areas under their names; imports and edits do not change them.
  ///
  /// - Parameter areas: Areas with different names, all of which have one.
  /// - Returns: The names of those that were replaced by another outline, and of those that are new.
  /// - Throws: `StoreError`.
  package func saveAreas(
    _ areas: [NamedArea]
  ) throws -> (replaced: [String], added: [String]) {
    try write { try $0.saveAreas(areas) }
  }

  /// Removes areas: all of them, or none if one is unknown.
  ///
  /// - Throws: `UnknownArea` for the first that is not there; `StoreError`.
  package func removeAreas(_ names: [String]) throws { try write { try $0.removeAreas(names) } }
}
