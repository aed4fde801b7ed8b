import Foundation
import GeoIndex
import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery
@testable import GeoStore

struct ConcurrentImportTests {
  /// A feed whose records all name their edition in the category.
  private func edition(_ name: String, count: Int) -> Feed {
    Feeds.of(
      (0..<count).map { number in
        var restaurant = Restaurant.plain("id-\(number)", at: .at(Double(number % 80), 3))
        restaurant.category = name
        return restaurant
      }
    )
  }

  @Test func `each answer belongs to one generation while imports go on`() async throws {
    let store = try TemporaryStore()
    try store.add(edition("A", count: 300))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<40 {
            // a new engine each time: the snapshot is opened while imports sweep
            let found = try store.engine().within(.world).map(\.restaurant.category)
            #expect(Set(found).count == 1)
            #expect(found.count == (found.first == "A" ? 300 : 200))
          }
        }
      }
      group.addTask {
        for round in 0..<20 {
          try store.add(round % 2 == 0 ? edition("B", count: 200) : edition("A", count: 300))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `two imports at once both go in, one after the other`() async throws {
    let store = try TemporaryStore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for source in ["a", "b", "c"] {
        group.addTask {
          let restaurants = (0..<50).map { Restaurant.plain("\(source)-\($0)", source: source) }
          try store.add(Feeds.of(restaurants, source: source))
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.restaurants().count == 150)
    #expect(try store.open().info().generation == 3)
    #expect(store.names == ["lunch.db"])
  }

  @Test func `an import that waited too long names the process that holds the lock`() throws {
    let store = try TemporaryStore([.plain("a")])
    let lock = try ImportLock(database: store.path)
    let error = store.error { _ = try ImportLock(database: store.path, seconds: 0.1) }
    #expect(error?.kind == .busy)
    #expect(
      error?.description
        == "\(store.path): another import (process \(getpid())) is running on this database; "
        + "try again when it is done"
    )
    #expect(try store.restaurants().count == 1)
    withExtendedLifetime(lock) {}
    #expect(store.names == ["lunch.db", "lunch.db.lock"])
  }
}
