public import Foundation

/// The last pictures by address: at most 50, the oldest goes first.
struct ImageCache<Image> {
  let capacity: Int
  private var images: [URL: Image] = [:]
  /// The addresses, the oldest first.
  private var ages: [URL] = []

  init(capacity: Int = 50) {
    precondition(capacity > 0, "A cache must hold at least one picture.")
    self.capacity = capacity
  }

  var count: Int { ages.count }

  subscript(address: URL) -> Image? { images[address] }

  /// Adds a picture, which is then the youngest; looking at one does not make it younger.
  mutating func insert(_ image: Image, for address: URL) {
    if images.updateValue(image, forKey: address) != nil { ages.removeAll { $0 == address } }
    ages.append(address)
    if ages.count > capacity { images[ages.removeFirst()] = nil }
  }
}

/// Loads pictures once each, however many cells ask for the same one.
public actor ImageLoader {
  private var cache: ImageCache<Data>
  private var loads: [URL: Task<Data, any Error>] = [:]
  private let fetch: @Sendable (URL) async throws -> Data

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of pictures that are kept.
  ///   - fetch: Gets the bytes of a picture.
  public init(capacity: Int = 50, fetch: @escaping @Sendable (URL) async throws -> Data) {
    cache = ImageCache(capacity: capacity)
    self.fetch = fetch
  }

  /// The bytes of a picture; an error is not kept, so that the next cell tries again.
  func image(at address: URL) async throws -> Data {
    if let image = cache[address] { return image }
    let load = loads[address] ?? Task { [fetch] in try await fetch(address) }
    loads[address] = load
    defer { loads[address] = nil }
    let image = try await load.value
    cache.insert(image, for: address)
    return image
  }
}
