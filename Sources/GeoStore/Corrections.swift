package import GeoFeed
import GeoIndex
package import GeoQuery

/// What people have corrected of a restaurant; what its feed says stays in the table of restaurants.
package struct Correction: Sendable {
  /// Another value of a field.
  package struct Change: Sendable, Hashable {
    /// The field.
    package let field: RestaurantField

    /// The text of the value, a list as JSON; nil if the field has none.
    package let value: String?

    /// When it was corrected, in UTC.
    package let since: String
  }

  /// The public id of the restaurant.
  package let id: String

  /// The name of the restaurant in its feed.
  package let name: String

  /// The source of the restaurant.
  package let source: String

  /// The restaurant as its feed has it; nil if it is gone.
  package let feed: Restaurant?

  /// When it was hidden, in UTC; nil if it is not.
  package fileprivate(set) var hiddenSince: String?

  /// The other values, in order of their fields' names.
  package fileprivate(set) var changes: [Change] = []

  /// The number of the restaurant's row.
  fileprivate let row: Int64

  /// Whether the feed has the value of a change by now.
  package func isInFeed(_ change: Change) -> Bool {
    func packed(_ text: String?) -> [UInt8]? {
      text.flatMap { PackedRecord.value($0, of: change.field) }
    }
    guard let feed else { return false }
    return packed(Self.text(of: feed[change.field])) == packed(change.value)
  }

  /// The text of a value, as corrections have it; nil for nil.
  package static func text(of value: JSONValue?) -> String? {
    value.map { $0.asText ?? $0.description }
  }

  /// The fields that can be corrected: all that feeds set, except ids and `extra`.
  package static let fields = RestaurantField.stored.filter {
    ![.id, .source, .sourceID, .extra].contains($0)
  }

  /// A field with the text of its value; nil for none.
  package typealias Value = (field: RestaurantField, value: String?)

  /// Reads a value of one of `fields` as what stands in a column of that name; blank removes it.
  ///
  /// - Returns: The value, and that of its companion if it has one.
  /// - Throws: `FeedError` if the field cannot have the value.
  package static func values(_ text: String, of field: RestaurantField) throws -> [Value] {
    let needed: [RestaurantField] = [.name, .latitude, .longitude]
    if text.trimmed.isEmpty {
      guard needed.contains(field) else { return [(field, nil)] }
      throw FeedError(source: field.rawValue, problem: "every restaurant has it; give a value")
    }
    let others = needed.filter { $0 != field }.map { ($0, $0 == .name ? "-" : "1") }
    let read = try record([(field, text)] + others)
    let companion = companions[field].flatMap { other in
      read[other].map { [(other, Self.text(of: $0))] }
    }
    if let value = read[field] { return [(field, Self.text(of: value))] + (companion ?? []) }
    // a single picture is not a list
    if field == .images, let companion { return [(field, nil)] + companion }
    if field == .closed, FieldReading.answer(.string(text)) == false { return [(field, nil)] }
    let form = forms[field] ?? field.kind.sentence
    throw FeedError(source: field.rawValue, problem: "\"\(shortened(text))\" is not \(form)")
  }

  /// The field that a value also decides: the scale of a rating, the first of several pictures.
  package static let companions: [RestaurantField: RestaurantField] = [
    .rating: .ratingScale, .images: .imageURL,
  ]

  /// What a value must be, if its kind does not tell.
  private static let forms: [RestaurantField: String] = [
    .website: "an address such as https://example.com", .imageURL: "an address of http or https",
    .images: "a list of addresses of http or https", .rating: "a rating such as 4.5 or 8/10",
    .chain: "a name", .description: "a text for people", .priceLevel: "a level from 1 to 4",
  ]

  /// Reads a restaurant of the source `own` from the texts of its fields.
  ///
  /// - Throws: `FeedError` if it has no name or no position.
  private static func record(
    _ values: [(field: RestaurantField, text: String)]
  ) throws -> Restaurant {
    let feed = try reader.read(Array(table(of: values).utf8))
    if let restaurant = feed.restaurants.first { return restaurant }
    throw feed.rejected.first ?? FeedError(source: ownSource, problem: "it is not a restaurant")
  }

  /// The source of restaurants that people add.
  package static let ownSource = "own"

  /// The feed, of the source `own`, of a restaurant that is added: its fields with their texts.
  package static func addition(
    _ values: [(field: RestaurantField, text: String)]
  ) throws -> FeedStream {
    try reader.stream(MemoryBytes(Array(table(of: values).utf8)))
  }

  private static var reader: FeedReader {
    var reader = FeedReader(source: ownSource, format: .csv, overridesSource: true)
    reader.allowsNullIsland = true
    return reader
  }

  private static func table(of values: [(field: RestaurantField, text: String)]) -> String {
    let row = values.map { "\"" + $0.text.replacing("\"", with: "\"\"") + "\"" }
    return values.map(\.field.rawValue).joined(separator: ",") + "\n" + row.joined(separator: ",")
      + "\n"
  }
}

extension RestaurantField.Kind {
  /// The kind in a sentence.
  fileprivate var sentence: String {
    switch self {
    case .text, .object: "a text"
    case .texts: "a list"
    case .real: "a number"
    case .whole: "a whole number that it can be"
    case .flag: "true or false"
    }
  }
}

extension String? {
  fileprivate func utf8Equals(_ other: String?) -> Bool {
    map(UTF8Key.init) == other.map(UTF8Key.init)
  }
}

/// The corrections of the restaurants that are there, in the form in which a snapshot has them.
struct Corrections {
  private var rows: [UTF8Key: Row] = [:]

  /// The corrected positions by row number; nil if the restaurant is hidden.
  private(set) var points: [Int64: Coordinate?] = [:]

  private struct Row {
    let isHidden: Bool
    let values: [(column: Int, bytes: [UInt8])]
  }

  /// What a value of `field` in the table says about a hidden restaurant.
  static let hidden = "hidden"

  /// The statement that makes the table in a file: a row for each field, with the facts by which the
  /// restaurant is found again, as for favorites.
  static let creation = """
    CREATE TABLE geoq_corrections (
      id TEXT NOT NULL,
      source TEXT, name TEXT, latitude REAL, longitude REAL,
      field TEXT NOT NULL,
      value TEXT,
      correctedAt TEXT NOT NULL,
      PRIMARY KEY (id, field)
    );
    """

  /// Takes the corrections that apply: those of restaurants that are there, with values that their fields
  /// can have.
  init(_ corrections: [Correction]) {
    for correction in corrections {
      guard let feed = correction.feed else { continue }
      let values = correction.changes.compactMap { change -> (column: Int, bytes: [UInt8])? in
        let column = change.field.column
        guard let text = change.value else {
          let isNeeded = [.name, .latitude, .longitude].contains(change.field)
          return isNeeded ? nil : (column, [])
        }
        return PackedRecord.value(text, of: change.field).map { (column, $0) }
      }
      rows[UTF8Key(correction.id)] = Row(
        isHidden: correction.hiddenSince != nil,
        values: values.sorted { $0.column < $1.column }
      )
      var packed: [UInt8] = []
      PackedRecord.append(feed, to: &packed)
      let point =
        apply(to: &packed) ? packed.withUnsafeBytes { PackedRecord.coordinate(of: $0) } : nil
      points[correction.row] = .some(point)
    }
  }

  /// Corrects the packed restaurant at the end of some bytes.
  ///
  /// - Returns: False if it is hidden, and was removed from the bytes.
  func apply(to bytes: inout [UInt8], from start: Int = 0) -> Bool {
    guard !rows.isEmpty else { return true }
    let id = bytes[start...].withUnsafeBytes { record in
      PackedRecord.text(RestaurantField.id.column, of: record)
        .map { UTF8Key(String(decoding: $0, as: UTF8.self)) }
    }
    guard let row = id.flatMap({ rows[$0] }) else { return true }
    let record = Array(bytes[start...])
    bytes.removeSubrange(start...)
    if row.isHidden { return false }
    record.withUnsafeBytes { PackedRecord.append($0, replacing: row.values, to: &bytes) }
    return true
  }
}

extension StoreConnection {
  /// The restaurant in the columns of a row that begin at `first`, as its feed has it.
  ///
  /// - Throws: `StoreError` if it has no id, name, source or point.
  func restaurant(_ row: Row, from first: Int) throws -> Restaurant {
    try restaurant(packed(row, from: first))
  }

  /// A packed restaurant.
  func restaurant(_ packed: [UInt8]) throws -> Restaurant {
    if let restaurant = packed.withUnsafeBytes({ Restaurant(packed: $0) }) { return restaurant }
    throw StoreError.damagedRow(of: "restaurants", "it is not a restaurant", path: storeName)
  }

  /// Whether the store has a table of corrections, which the version before had not.
  private func hasCorrections() throws -> Bool { try hasColumn("field", of: "geoq_corrections") }

  /// The corrections in order of id (UTF-8 bytes).
  ///
  /// - Parameter condition: A condition about the columns of `f` and about `$1`, and what that is.
  /// - Returns: Those of restaurants that are gone as well.
  /// - Throws: `StoreError` if a row is damaged.
  func corrections(
    where condition: (sql: String, argument: String)? = nil
  ) throws -> [Correction] {
    guard try hasCorrections() else { return [] }
    var found: [Correction] = []
    _ = try fetch(
      """
      SELECT f.id, f.name, f.source, f.field, f.value, f."correctedAt", r.pk,
        \(columns(of: "r"))
      FROM geoq_corrections f LEFT JOIN restaurants r ON \(Favorites.isSame)
      \(condition.map { "WHERE " + $0.sql } ?? "") ORDER BY f.id, f.field
      """,
      condition.map { [$0.argument] } ?? []
    ) { row in
      guard let id = row.text(0), let since = row.text(5) else { return }
      if found.last.map({ UTF8Key($0.id) != UTF8Key(id) }) ?? true {
        let number = row.integer(6)
        found.append(
          Correction(
            id: id,
            name: row.text(1) ?? "",
            source: row.text(2) ?? "",
            feed: try number.map { _ in try restaurant(row, from: 7) },
            row: number ?? -1
          )
        )
      }
      let last = found.count - 1
      if row.text(3) == Corrections.hidden { found[last].hiddenSince = since }
      guard let field = row.text(3).flatMap(RestaurantField.init), Correction.fields.contains(field)
      else { return }
      found[last].changes.append(.init(field: field, value: row.text(4), since: since))
    }
    return found
  }

  /// The corrections of restaurants.
  func corrections(of ids: [String]) throws -> [Correction] {
    try corrections(where: ("f.id IN (\(Self.elements(of: "$1")))", Self.list(ids)))
  }

  private static func list(_ ids: [String]) -> String {
    JSONWriter.of(.array(ids.map(JSONValue.string)))
  }

  /// Finds the restaurants of corrections again after the next import: by what their feeds say now.
  func refreshCorrections() throws {
    guard try hasCorrections() else { return }
    try refresh("geoq_corrections", ["source", "name", "latitude", "longitude"])
  }

  /// Adds to the report of an import how many corrections it made needless, and how many have lost their
  /// restaurant.
  func countCorrections(_ report: inout ImportReport) throws {
    for correction in try corrections() {
      if correction.feed == nil { report.correctionsGone += 1 }
      report.correctionsInFeed += correction.changes.count { correction.isInFeed($0) }
    }
  }

  /// Gives the corrections of a source to another one.
  func moveCorrections(of source: String, to newName: String) throws {
    guard try hasCorrections() else { return }
    try run("UPDATE geoq_corrections SET source = $1 WHERE source = $2", [newName, source])
  }

  /// Plans rows of the table; those that are there already change nothing.
  ///
  /// - Throws: `UnknownRestaurant` for the first that is not there.
  fileprivate func correction(
    of ids: [String],
    _ changes: [(field: String, value: String?)]
  ) throws -> StoreEdit {
    for id in ids where try !has("SELECT 1 FROM restaurants WHERE id = $1", [id]) {
      throw UnknownRestaurant(id: id, similar: [])
    }
    var known: [UTF8Key: Correction] = [:]
    for correction in try corrections(of: ids) where correction.feed != nil {
      known[UTF8Key(correction.id)] = correction
    }
    var seen: Set<UTF8Key> = []
    let changed = ids.filter { id in
      guard seen.insert(UTF8Key(id)).inserted else { return false }
      guard let old = known[UTF8Key(id)] else { return true }
      return changes.contains { field, value in
        field == Corrections.hidden
          ? old.hiddenSince == nil
          : !old.changes.contains { $0.field.rawValue == field && $0.value.utf8Equals(value) }
      }
    }
    let list = Self.list(changed)
    var edit = StoreEdit()
    edit.changed = ("id IN (\(Self.elements(of: "$1")))", list)
    edit.report.generation = try generation()
    edit.report.updated = changed.count
    edit.apply = {
      guard !changed.isEmpty else { return }
      if try !hasCorrections() { try upgrade() }
      let isListed = "f.id IN (\(Self.elements(of: "$1")))"
      // the id may have been that of another restaurant
      try run(
        """
        DELETE FROM geoq_corrections AS f WHERE \(isListed)
          AND NOT EXISTS (SELECT 1 FROM restaurants r WHERE \(Favorites.isSame))
        """,
        [list]
      )
      for (field, value) in changes {
        try run(
          "DELETE FROM geoq_corrections AS f WHERE \(isListed) AND f.field = $2",
          [list, field]
        )
        try run(
          """
          INSERT INTO geoq_corrections
            (id, source, name, latitude, longitude, field, value, "correctedAt")
          SELECT id, source, name, latitude, longitude, CAST($2 AS text), CAST($3 AS text), \(Self.now)
          FROM restaurants f WHERE \(isListed)
          """,
          [list, field, value]
        )
      }
    }
    return edit
  }

  /// Plans to undo corrections of some fields, also of restaurants that are gone; nil is all fields, and
  /// hiding.
  ///
  /// - Throws: `StoreError` of kind `correction` for the first restaurant without one.
  func undoing(_ ids: [String], _ fields: [RestaurantField]?) throws -> StoreEdit {
    let known = try corrections(of: ids)
    let names = fields?.map(\.rawValue)
    for id in ids {
      let found = known.first { UTF8Key($0.id) == UTF8Key(id) }
      let isAny = found.map { found in
        fields?.contains { field in found.changes.contains { $0.field == field } } ?? true
      }
      guard isAny != true else { continue }
      let what = names.map { $0.joined(separator: ", ") + " of " } ?? ""
      throw problem(.correction, "nothing was corrected: \(what)\"\(shortened(id, to: 200))\"")
    }
    let list = Self.list(ids)
    var edit = StoreEdit()
    edit.changed = ("id IN (\(Self.elements(of: "$1")))", list)
    edit.report.generation = try generation()
    edit.report.updated = known.count { $0.feed != nil }
    edit.apply = {
      let isListed = "id IN (\(Self.elements(of: "$1")))"
      guard let names else {
        try run("DELETE FROM geoq_corrections WHERE \(isListed)", [list])
        return
      }
      try run(
        """
        DELETE FROM geoq_corrections WHERE \(isListed)
          AND field IN (\(Self.elements(of: "$2")))
        """,
        [list, Self.list(names)]
      )
    }
    return edit
  }
}

extension Store {
  /// All corrections in order of id (UTF-8 bytes).
  package func corrections() throws -> [Correction] {
    try read(isPrompt: false) { try $0.corrections() }
  }

  /// The corrections of restaurants; none of those without one.
  package func corrections(of ids: [String]) throws -> [Correction] {
    try read(isPrompt: true) { try $0.corrections(of: ids) }
  }
}

extension StorePlace {
  /// Corrects fields of a restaurant; the last value of a field counts.
  ///
  /// - Returns: The report, whose `updated` is 1 if something has changed.
  /// - Throws: `UnknownRestaurant`; `StoreError`.
  package func correct(
    _ id: String,
    _ changes: [(field: RestaurantField, value: String?)]
  ) throws -> ImportReport {
    try change { try $0.correction(of: [id], changes.map { ($0.field.rawValue, $0.value) }) }
  }

  /// Hides restaurants from all answers: all of them, or none if one is unknown.
  ///
  /// - Returns: The report, whose `updated` is the number of those that were not hidden.
  /// - Throws: `UnknownRestaurant`; `StoreError`.
  package func hide(_ ids: [String], isDryRun: Bool = false) throws -> ImportReport {
    try change(isDryRun) { try $0.correction(of: ids, [(Corrections.hidden, "true")]) }
  }

  /// Undoes corrections of some fields, also of restaurants that are gone; nil is everything, also hiding.
  ///
  /// - Returns: The report, whose `updated` is the number of restaurants that are there.
  /// - Throws: `StoreError` of kind `correction` if one of them has no such correction.
  package func undo(_ ids: [String], _ fields: [RestaurantField]? = nil) throws -> ImportReport {
    try change { try $0.undoing(ids, fields) }
  }
}
