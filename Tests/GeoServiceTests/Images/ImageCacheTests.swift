import Foundation
import Testing

@testable import GeoService

/// Fetched images on the disk.
struct ImageCacheTests {
  private let folder: ImageTestFolder

  init() throws {
    folder = try ImageTestFolder()
  }

  private func address(_ number: Int) throws -> WebAddress {
    try #require(WebAddress("https://a.example/\(number)"))
  }

  private func image(_ number: Int, padding: Int = 1_000) throws -> ServedImage {
    try #require(ServedImage(SampleImages.png(number + 1, 1, padding: padding), isOwn: false))
  }

  @Test func `an image is found again, in a later run too`() throws {
    let cache = try #require(ImageCache(folder.path, maximumBytes: 100_000))
    #expect(cache.image(of: try address(1)) == nil)
    try cache.keep(image(1), of: address(1))
    let later = try #require(ImageCache(folder.path, maximumBytes: 100_000))
    for cache in [cache, later] {
      #expect(cache.image(of: try address(1))?.bytes == (try image(1).bytes))
      #expect(cache.image(of: try address(2)) == nil)
    }
    #expect(folder.names.count == 1)
  }

  @Test func `the bound holds, and what was used least recently goes`() throws {
    let cache = try #require(ImageCache(folder.path, maximumBytes: 5_500))
    for number in 0..<5 {
      try cache.keep(image(number), of: address(number))
      // an order that the clock's steps cannot blur
      for name in folder.names {
        let facts = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
        let used = try #require(facts[.modificationDate] as? Date)
        try folder.age(name, 10 - used.timeIntervalSinceNow)
      }
    }
    #expect(cache.image(of: try address(0)) != nil)
    try cache.keep(image(5), of: address(5))
    let kept = try (0...5).filter { cache.image(of: try address($0)) != nil }
    #expect(kept == [0, 2, 3, 4, 5])
    var random = SplitMix(state: 3)
    for number in 0..<60 {
      try cache.keep(image(number, padding: Int(random.unit() * 5_000)), of: address(number))
      #expect(folder.size <= 5_500)
      #expect(cache.image(of: try address(number)) != nil)
    }
    // a smaller bound holds from the start
    _ = ImageCache(folder.path, maximumBytes: 2_000)
    #expect(folder.size <= 2_000)
  }

  @Test func `what a kill has left goes, what is not ours stays`() throws {
    folder.write([1], to: "half.0123456789abcdef.tmp")
    folder.write([1], to: "notes.txt")
    let cache = try #require(ImageCache(folder.path, maximumBytes: 100_000))
    #expect(folder.names == ["notes.txt"])
    folder.write([1], to: "half.0123456789abcdef.tmp")
    try cache.keep(image(1), of: address(1))
    #expect(folder.names.filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test func `a file that is not an image any more is not served`() throws {
    let cache = try #require(ImageCache(folder.path, maximumBytes: 100_000))
    try cache.keep(image(1), of: address(1))
    let name = try #require(folder.names.first)
    folder.write(Array("<script>".utf8), to: name)
    #expect(cache.image(of: try address(1)) == nil)
    #expect(folder.names.isEmpty)
    // nor is a link to something else
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + name,
      withDestinationPath: "/etc/passwd"
    )
    #expect(cache.image(of: try address(1)) == nil)
  }

  @Test func `a folder that cannot be written is said to be`() {
    #expect(ImageCache("/proc/images", maximumBytes: 10) == nil)
    #expect(ImageCache("/dev/null", maximumBytes: 10) == nil)
  }
}
