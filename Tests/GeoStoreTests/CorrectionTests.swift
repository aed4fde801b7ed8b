import Foundation
import GRDB
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

/// Corrections: on both kinds of stores, by a model in memory, and their rules one by one.
struct CorrectionTests {
  @Test(arguments: StoreKind.available)
  func `corrections – a corrected value – is in the snapshot and survives imports`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    var feed = [Restaurant.plain("a"), .plain("b"), .plain("c")]
    feed[0].rating = 3
    try store.add(feed)
    #expect(try store.place.correct("a", [(.rating, "4.5")]).updated == 1)
    #expect(try store.restaurants().map(\.rating) == [4.5, nil, nil])
    #expect(try store.generation() == 2)
    feed[0].rating = 2
    feed[1].rating = 1
    try store.add(feed)
    #expect(try store.restaurants().map(\.rating) == [4.5, 1, nil])
    #expect(try store.with { try $0.corrections() }.first?.feed?.rating == 2)
    #expect(store.faults.isEmpty)
    _ = try store.place.undo(["a"])
    #expect(try store.restaurants().map(\.rating) == [2, 1, nil])
    #expect(try store.with { try $0.corrections() }.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `corrections – the same again – changes neither generation nor time`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("a")])
    _ = try store.place.correct("a", [(.rating, "4")])
    #expect(try store.place.correct("a", [(.rating, "4")]).updated == 0)
    #expect(try store.place.hide(["a", "a"]).updated == 1)
    #expect(try store.place.hide(["a"]).updated == 0)
    #expect(try store.generation() == 3)
    #expect(try store.restaurants().isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `corrections – an unknown id, or nothing to undo – changes nothing`(_ kind: StoreKind) throws
  {
    let store = try ScratchStore(kind)
    try store.add([.plain("a"), .plain("b")])
    #expect(throws: UnknownRestaurant.self) { try store.place.hide(["a", "x"]) }
    #expect(throws: UnknownRestaurant.self) { try store.place.correct("x", [(.rating, "4")]) }
    #expect(store.error { _ = try store.place.undo(["a"]) }?.kind == .correction)
    _ = try store.place.correct("a", [(.rating, "4")])
    #expect(store.error { _ = try store.place.undo(["a"], [.phone]) }?.kind == .correction)
    #expect(store.error { _ = try store.place.undo(["a", "b"]) }?.kind == .correction)
    #expect(try store.restaurants().map(\.rating) == [4, nil])
    #expect(try store.generation() == 2)
  }

  @Test(arguments: StoreKind.available)
  func `corrections – an import – counts those that the feed has and those that are gone`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    var feed = [Restaurant.plain("a"), .plain("b"), .plain("c", at: .at(10, 10))]
    try store.add(feed)
    _ = try store.place.correct("a", [(.rating, "4"), (.phone, nil)])
    _ = try store.place.hide(["c"])
    feed[0].rating = 4
    let report = try store.add([feed[0], feed[1]])
    #expect(report.correctionsInFeed == 2)
    #expect(report.correctionsGone == 1)
    // a restaurant that has the id and nothing else in common is another one
    var other = Restaurant.plain("c", at: .at(20, 20))
    other.name = "Another"
    try store.add([feed[0], feed[1], other])
    #expect(try store.restaurants().map(\.id) == ["a", "b", "c"])
    #expect(store.faults.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `corrections – of favorites – are in their list, and a hidden one counts as gone`(
    _ kind: StoreKind
  ) throws {
    let store = try ScratchStore(kind)
    try store.add([.plain("a"), .plain("b")])
    try store.with { _ = try $0.addFavorites(["a", "b"]) }
    _ = try store.place.correct("a", [(.rating, "4")])
    _ = try store.place.hide(["b"])
    let favorites = try store.with { try $0.favorites() }
    #expect(favorites.map(\.restaurant.rating) == [4, nil])
    #expect(favorites.map(\.favorite?.isGone) == [false, true])
  }

  @Test func `corrections – a store of the version before – is upgraded by the first one`() throws {
    let kept = try TemporaryStore([.plain("a"), .plain("b")])
    let store = try kept.open()
    try store.addFavorites(["b"])
    try store.close()
    try kept.sql { db in
      try db.execute(sql: "DROP TABLE geoq_corrections")
      try db.execute(sql: "PRAGMA user_version = 6")
    }
    let place = StorePlace.file(kept.path)
    func version() throws -> Int {
      let store = try place.open()
      defer { try? store.close() }
      #expect(try store.favorites().map(\.restaurant.id) == ["b"])
      return try store.info().schemaVersion
    }
    #expect(try version() == 6)
    try kept.add(Feeds.of([.plain("a"), .plain("b"), .plain("c")]))
    #expect(try version() == 6)
    _ = try place.hide(["a"])
    #expect(try version() == Schema.version)
    #expect(try kept.restaurants().map(\.id) == ["b", "c"])
    let checks = place.verify { _ in }
    #expect(checks.allSatisfy { $0.isGood })
  }

  @Test func `corrections – nonsense that another program wrote – is not applied`() throws {
    let kept = try TemporaryStore([.plain("a")])
    _ = try StorePlace.file(kept.path).correct("a", [(.rating, "4")])
    try kept.sql { db in
      for (field, value) in [
        ("latitude", "'91'"), ("longitude", "NULL"), ("name", "''"), ("nonsense", "'1'"),
        ("priceLevel", "'9'"), ("images", "'[1'"), ("closed", "'maybe'"), ("extra", "'{}'"),
      ] {
        try db.execute(
          sql: """
            INSERT INTO geoq_corrections SELECT id, source, name, latitude, longitude,
              '\(field)', \(value), 'now' FROM geoq_corrections WHERE field = 'rating'
            """
        )
      }
    }
    try kept.removeSnapshot()
    var expected = Restaurant.plain("a")
    expected.rating = 4
    try kept.add(Feeds.of([.plain("a"), .plain("b", at: .at(1, 1))]))
    #expect(try kept.restaurants().first?.allBytes == expected.allBytes)
  }

  @Test(
    arguments: [
      ("4.9", RestaurantField.rating, "4.9"), ("4,9", .rating, "4.9"), (" 3 ", .priceLevel, "3"),
      ("5", .rating, "5.0"), ("", .phone, nil), (" ", .phone, nil), ("yes", .closed, "true"),
      ("false", .closed, nil),
      ("a \"b\", c", .name, "a \"b\", c"),
      ("line 1; line 2", .formattedAddress, #"["line 1","line 2"]"#),
      ("33.5", .latitude, "33.5"), ("12", .reviewCount, "12"),
    ] as [(String, RestaurantField, String?)]
  )
  func `values – as a feed has them – become what the record has`(
    _ text: String,
    _ field: RestaurantField,
    _ value: String?
  ) throws {
    let read = try Correction.values(text, of: field)
    #expect(read.map(\.field) == [field] && read.map(\.value) == [value])
  }

  @Test(arguments: [("8/10", "8.0", "10.0"), ("9.1", "9.1", "10.0"), ("99", "99.0", "100.0")])
  func `a rating – with a scale, or above 5 – is corrected with its scale`(
    _ text: String,
    _ rating: String,
    _ scale: String
  ) throws {
    let read = try Correction.values(text, of: .rating)
    #expect(read.map(\.field) == [.rating, .ratingScale] && read.map(\.value) == [rating, scale])
  }

  @Test(
    arguments: [
      ("abc", .rating), ("9", .priceLevel), ("-1", .reviewCount), ("maybe", .closed), ("", .name),
      ("91", .latitude), ("", .longitude), ("north", .latitude), ("-3", .rating), ("8/5", .rating),
      ("foo.com", .website),
    ] as [(String, RestaurantField)]
  )
  func `values – that a field cannot have – are an error that names the field`(
    _ text: String,
    _ field: RestaurantField
  ) throws {
    let error = #expect(throws: FeedError.self) { try Correction.values(text, of: field) }
    let sentence = try #require(error).description
    #expect(sentence.contains(field.rawValue), "\(sentence)")
  }

  /// Imports, additions, edits, hides, undos, renames and removals in random order, with a model.
  @Test(arguments: StoreKind.available)
  func `corrections – random sequences of changes – equal a model in memory`(
    _ kind: StoreKind
  ) throws {
    let variable = ProcessInfo.processInfo.environment["GEOQ_CORRECTION_SEQUENCES"]
    let count = variable.flatMap(Int.init) ?? (kind == .file ? 20 : 6)
    var failures: [String] = []
    for sequence in 0..<count {
      var random = SplitMix64(stream: "corrections \(sequence)")
      let store = try ScratchStore(kind)
      var model = CorrectionModel()
      var steps: [String] = []
      for _ in 0..<10 {
        steps.append(try model.step(store, &random))
        let expected = model.shown.map(\.text)
        var found = try store.restaurants()
        if random.int(below: 4) == 0, kind == .file {
          try store.folder.removeSnapshot()
          steps.append("from the rows")
          found = try store.restaurants()
        }
        if found.map(\.text) != expected {
          failures.append("\(sequence): \(steps); \(found.map(\.text)) is not \(expected)")
          break
        }
      }
      if !store.faults.isEmpty { failures.append("\(sequence): \(store.faults)") }
    }
    #expect(failures.isEmpty, "\(failures.prefix(3))")
  }
}

/// What a store with corrections should hold.
private struct CorrectionModel {
  private struct Kept {
    var source: String
    var name: String
    var coordinate: Coordinate
    var isHidden = false
    var changes: [RestaurantField: String?] = [:]
  }

  private var rows: [String: Restaurant] = [:]
  private var kept: [String: Kept] = [:]
  private var sources = ["alpha", "beta"]

  /// What queries find, in order of id.
  var shown: [Restaurant] {
    rows.values.sorted { UTF8Key($0.id) < UTF8Key($1.id) }.compactMap { row in
      guard let kept = bound(row) else { return row }
      return kept.isHidden ? nil : kept.changes.reduce(row) { Self.corrected($0, $1.key, $1.value) }
    }
  }

  /// Changes the store and the model in the same way, and says how.
  mutating func step(_ store: ScratchStore, _ random: inout SplitMix64) throws -> String {
    // the first makes the store
    let kind = rows.isEmpty && kept.isEmpty ? 0 : random.int(below: 10)
    let known = rows.keys.sorted()
    let id = known.isEmpty ? "none" : known[random.int(below: known.count)]
    switch kind {
    case 0...2:
      let number = random.int(below: 2)
      let feed = Self.feed(number, &random).map { $0.moved(to: sources[number]) }
      try store.add(feed, source: sources[number]) { options in
        options.allowsShrinking = true
        options.allowsReplacing = true
        options.allowsDuplicates = true
        options.allowsMoving = true
        options.allowsLosses = true
      }
      take(feed, sources[number])
      return "import \(sources[number]) \(feed.map { "\($0.id) \($0.name)" })"
    case 3...5:
      let field = [RestaurantField.rating, .phone, .name, .latitude, .closed][random.int(below: 5)]
      let value: String? =
        switch field {
        case .rating: "\(random.int(below: 5))"
        case .phone: random.int(below: 2) == 0 ? nil : "555"
        case .name: "corrected"
        case .latitude: "\(random.int(below: 80))"
        default: "true"
        }
      guard rows[id] != nil else {
        #expect(throws: (any Error).self) { try store.place.correct(id, [(field, value)]) }
        return "edit none"
      }
      _ = try store.place.correct(id, [(field, value)])
      change(id) { $0.changes[field] = .some(value) }
      return "edit \(id) \(field)=\(value ?? "")"
    case 6:
      guard rows[id] != nil else { return "hide none" }
      _ = try store.place.hide([id])
      change(id) { $0.isHidden = true }
      return "hide \(id)"
    case 7:
      let corrected = kept.keys.sorted()
      guard !corrected.isEmpty else {
        #expect(store.error { _ = try store.place.undo([id]) }?.kind == .correction)
        return "undo none"
      }
      let id = corrected[random.int(below: corrected.count)]
      let field = kept[id]?.changes.keys.sorted { $0.rawValue < $1.rawValue }.first
      if let field, random.int(below: 2) == 0 {
        _ = try store.place.undo([id], [field])
        kept[id]?.changes[field] = nil
        if kept[id]?.changes.isEmpty == true, kept[id]?.isHidden == false { kept[id] = nil }
        return "undo \(id) \(field)"
      }
      _ = try store.place.undo([id])
      kept[id] = nil
      return "undo \(id)"
    case 8:
      guard rows[id] != nil else { return "remove none" }
      try store.place.remove([id])
      rows[id] = nil
      return "remove \(id)"
    default:
      let number = random.int(below: 2)
      let old = sources[number]
      guard rows.values.contains(where: { $0.source == old }) else { return "no source \(old)" }
      if random.int(below: 3) == 0 {
        try store.place.removeSource(old)
        rows = rows.filter { $0.value.source != old }
        return "remove source \(old)"
      }
      sources[number] = old + "'"
      try store.place.renameSource(old, to: sources[number])
      for (id, row) in rows where row.source == old { rows[id] = row.moved(to: sources[number]) }
      for (id, one) in kept where one.source == old { kept[id]?.source = sources[number] }
      return "rename \(old)"
    }
  }

  /// A feed of a source, with ids of its own, and few names and places, so that they often change.
  private static func feed(_ number: Int, _ random: inout SplitMix64) -> [Restaurant] {
    (0..<6).compactMap { index in
      guard random.int(below: 4) > 0 else { return nil }
      let place = Coordinate.at(Double(10 * random.int(below: 2)) + Double(index), Double(number))
      var restaurant = Restaurant.plain("\(number)-\(index)", at: place)
      restaurant.name = ["One", "Two"][random.int(below: 2)]
      restaurant.rating = random.int(below: 2) == 0 ? nil : Double(random.int(below: 5))
      return restaurant
    }
  }

  private mutating func take(_ feed: [Restaurant], _ source: String) {
    rows = rows.filter { $0.value.source != source }
    for restaurant in feed { rows[restaurant.id] = restaurant.moved(to: source) }
    for row in rows.values where bound(row) != nil {
      kept[row.id]?.source = row.source
      kept[row.id]?.name = row.name
      kept[row.id]?.coordinate = row.coordinate
    }
  }

  /// What was corrected of a row, if it is still the same restaurant.
  private func bound(_ row: Restaurant) -> Kept? {
    guard let kept = kept[row.id] else { return nil }
    let isNear =
      abs(kept.coordinate.latitude - row.coordinate.latitude) < 0.001
      && abs(kept.coordinate.longitude - row.coordinate.longitude) < 0.001
    let isNamed = kept.name == row.name
    return (kept.source == row.source ? isNamed || isNear : isNamed && isNear) ? kept : nil
  }

  private mutating func change(_ id: String, _ body: (inout Kept) -> Void) {
    guard let row = rows[id] else { return }
    var one =
      bound(row) ?? Kept(source: row.source, name: row.name, coordinate: row.coordinate)
    body(&one)
    kept[id] = one
  }

  private static func corrected(
    _ row: Restaurant,
    _ field: RestaurantField,
    _ value: String?
  ) -> Restaurant {
    var row = row
    switch field {
    case .rating: row.rating = value.flatMap(Double.init)
    case .phone: row.contact.phone = value
    case .name: row.name = value ?? row.name
    case .latitude:
      row.coordinate = .at(value.flatMap(Double.init) ?? 0, row.coordinate.longitude)
    default: row.closed = value != nil
    }
    return row
  }
}

extension Restaurant {
  /// Everything there is to it.
  fileprivate var text: String { String(decoding: allBytes, as: UTF8.self) }

  fileprivate func moved(to source: String) -> Restaurant {
    var copy = self
    copy.source = source
    return copy
  }
}
