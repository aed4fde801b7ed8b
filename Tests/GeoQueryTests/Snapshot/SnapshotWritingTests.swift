import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// Snapshots that a library's caller writes; `StoreSnapshotTests` compares them with the store's.
struct SnapshotWritingTests {
  private let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("geoq-\(UUID().uuidString).geoqx").path

  private var bytes: Data? { FileManager.default.contents(atPath: path) }

  /// Why a restaurant is refused; nil if it is written.
  private func refusal(_ change: (inout Restaurant) -> Void) -> String? {
    defer { try? FileManager.default.removeItem(atPath: path) }
    var restaurant = Restaurant.plain("a")
    change(&restaurant)
    do throws(SnapshotError) {
      try Snapshot.write([.plain("0"), restaurant], to: path)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `restaurants in any order give the same bytes`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    var random = MadeUpRestaurants(seed: 41)
    for count in [0, 1, 2, 31, 32, 33, 300] {
      let restaurants = random.restaurants(count)
      try Snapshot.write(restaurants, to: path, generation: 7)
      let first = bytes
      try Snapshot.write(restaurants.reversed(), to: path, generation: 7)
      #expect(bytes == first)
      let snapshot = try Snapshot(path: path)
      try snapshot.verify()
      #expect(snapshot.generation == 7)
      let read = try QueryEngine(snapshot).page(Query(.everywhere)).matches.map(\.restaurant)
      #expect(read == restaurants)
    }
  }

  @Test func `a snapshot of values leaves no file, and answers`() throws {
    let restaurants = [
      Restaurant.plain("b", at: .at(1, 1)), .plain("a", at: .at(0, 0)), .plain("é", at: .at(2, 2)),
    ]
    let snapshot = try Snapshot(restaurants)
    #expect(!FileManager.default.fileExists(atPath: snapshot.path))
    let nearest = try QueryEngine(snapshot).nearest(to: .at(2, 2), count: 2)
    #expect(nearest.map(\.restaurant.id) == ["é", "b"])
    #expect(try Snapshot([Restaurant]()).count == 0)
  }

  @Test func `the asynchronous variants do the same`() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let restaurants = [Restaurant.plain("b"), .plain("a")]
    try await Snapshot.write(restaurants, to: path)
    #expect(try Snapshot(path: path).restaurant(id: "b") == restaurants[0])
    #expect(try await Snapshot(restaurants).restaurant(id: "a") == restaurants[1])
  }

  @Test func `two restaurants with one id are refused, and the old file stays`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Snapshot.write([.plain("old")], to: path)
    let old = bytes
    let error = #expect(throws: SnapshotError.self) {
      try Snapshot.write([.plain("a"), .plain("b"), .plain("a")], to: path)
    }
    #expect(error?.reason == #"two restaurants have the id "a""#)
    #expect(bytes == old)
    // equal for String, not as bytes
    try Snapshot.write([.plain("e\u{301}"), .plain("é")], to: path)
    #expect(try Snapshot(path: path).count == 2)
  }

  @Test func `a value that would not be read back is refused`() {
    #expect(refusal { _ in } == nil)
    #expect(
      refusal { $0.rating = .nan }
        == #"the restaurant with the id "a" has a rating that is not possible"#
    )
    #expect(refusal { $0.rating = .infinity }?.contains("rating") == true)
    #expect(refusal { $0.ratingScale = 0 }?.contains("ratingScale") == true)
    #expect(refusal { $0.priceLevel = 5 }?.contains("priceLevel") == true)
    #expect(refusal { $0.reviewCount = -1 }?.contains("reviewCount") == true)
    #expect(refusal { $0.id = "" }?.contains("id") == true)
    #expect(refusal { $0.name = "" }?.contains("name") == true)
    #expect(refusal { $0.source = "" }?.contains("source") == true)
    func member(_ value: JSONValue) -> JSONMember { JSONMember(name: "x", value: value) }
    #expect(refusal { $0.extra = [member(.number("1e3"))] } == nil)
    #expect(refusal { $0.extra = [member(.number("one"))] }?.contains("extra") == true)
    #expect(refusal { $0.extra = [member(.null), member(.null)] }?.contains("extra") == true)
    let deep = (0..<40).reduce(JSONValue.null) { inner, _ in .array([inner]) }
    #expect(refusal { $0.extra = [member(deep)] }?.contains("extra") == true)
  }

  @Test func `a negative zero is a zero, in order and in every format`() throws {
    let restaurants = ["a", "b", "c"].map { id in
      var restaurant = Restaurant.plain(id)
      restaurant.rating = id == "b" ? -0.0 : 0
      return restaurant
    }
    let snapshot = try Snapshot(restaurants)
    let page = try QueryEngine(snapshot).page(Query(.everywhere, in: Order(by: .rating)))
    #expect(try page.matches.map(\.restaurant.id) == ["a", "b", "c"])
    for format in AnswerFormat.allCases {
      var bytes: [UInt8] = []
      try page.write(with: format.writer()) { bytes += $0 }
      #expect(!String(decoding: bytes, as: UTF8.self).contains("-0"), "\(format)")
    }
  }

  @Test func `an empty text is none, and a folder that is not there is an error`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    var restaurant = Restaurant.plain("a")
    (restaurant.category, restaurant.address.city) = ("", "")
    let read = try Snapshot([restaurant]).restaurant(id: "a")
    #expect(read == .plain("a"))
    #expect(throws: SnapshotError.self) {
      try Snapshot.write([restaurant], to: path + "/none/x.geoqx")
    }
  }
}
