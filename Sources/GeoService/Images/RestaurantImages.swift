import GeoQuery

/// A record with images: a restaurant or an offer.
struct Pictured: Sendable {
  /// The id that names its files in a folder.
  let id: String

  /// The addresses of its images.
  let addresses: [String]
}

extension Restaurant {
  var pictured: Pictured {
    Pictured(id: id, addresses: images.isEmpty ? [imageURL].compactMap(\.self) : images)
  }
}

extension Offer {
  /// Its small image comes first; its files are named as a want for it.
  var pictured: Pictured {
    Pictured(id: "offer:" + id, addresses: [url, largeURL].compactMap(\.self))
  }
}

/// The images of restaurants and offers: from a folder, from listed hosts, or both.
///
/// Files in the folder take precedence.
package struct RestaurantImages: Sendable {
  private let folder: ImageFolder?
  private let hosts: [ImageHost]
  private let fetches: ImageFetches?

  /// Images from a folder alone: nothing is fetched.
  package init(folder: ImageFolder) {
    self.folder = folder
    hosts = []
    fetches = nil
  }

  /// Images that are fetched from hosts.
  ///
  /// - Parameters:
  ///   - folder: A folder that takes precedence; nil for none.
  ///   - hosts: The hosts that addresses in records may have.
  ///   - cache: The cache of fetched images.
  ///   - note: Called with the reason why an address has no image.
  ///   - fetch: Fetches the file of an address with one of the hosts. It must refuse addresses of
  ///     networks that are not public, and redirects to other hosts.
  package init(
    folder: ImageFolder?,
    hosts: [ImageHost],
    cache: ImageCache,
    note: @escaping @Sendable (WebAddress, String) -> Void = { _, _ in },
    fetch: @escaping @Sendable (WebAddress) throws -> [UInt8]
  ) {
    self.folder = folder
    self.hosts = hosts
    fetches = ImageFetches(into: cache, note: note, fetch: fetch)
  }

  /// Whether a fetch is running.
  package var isBusy: Bool { fetches?.isBusy ?? false }

  /// The numbers of a record's images, as far as is known: fetching an address may still fail.
  func numbers(of record: Pictured) -> [Int] {
    if let numbers = folder?.numbers(of: record.id), !numbers.isEmpty { return numbers }
    guard let fetches else { return [] }
    return record.addresses.indices.prefix(ImageLimits.count).filter { number in
      allowedAddress(number, of: record).map { !fetches.hasFailed($0) } ?? false
    }
  }

  /// Finds an image of a record; calls back once, now or later on another thread.
  func find(
    _ number: Int,
    of record: Pictured,
    _ completion: @escaping @Sendable (ImageFetches.Outcome) -> Void
  ) {
    if let folder, !folder.numbers(of: record.id).isEmpty {
      return completion(folder.image(number, of: record.id).map { .image($0) } ?? .missing)
    }
    guard let fetches, let address = allowedAddress(number, of: record) else {
      return completion(.missing)
    }
    fetches.find(address, completion)
  }

  private func allowedAddress(_ number: Int, of record: Pictured) -> WebAddress? {
    guard number < min(record.addresses.count, ImageLimits.count) else { return nil }
    let address = WebAddress(record.addresses[number])
    return address.flatMap { one in hosts.contains { $0.includes(one) } ? one : nil }
  }
}

/// An image that has been checked, ready to be sent.
struct ServedImage: Sendable {
  let bytes: [UInt8]

  /// Its format and size.
  let header: ImageHeader

  /// Checks an image; nil if the bytes are not an image that browsers may receive.
  ///
  /// Only the operator's own folder may contain drawings.
  init?(_ bytes: [UInt8], isOwn: Bool) {
    guard bytes.count <= ImageLimits.bytes, let header = ImageHeader(of: bytes), header.isFit,
      isOwn || header.format != .svg
    else { return nil }
    self.bytes = bytes
    self.header = header
  }

  /// A strong validator: it changes with the bytes.
  var tag: EntityTag { EntityTag(text: "\"\(bytes.count)-\(StableHash.text(of: bytes))\"") }
}

/// The limits of one image, and of all of them together.
package enum ImageLimits {
  /// The maximum size of an image, in bytes.
  package static let bytes = 2 << 20
  /// The maximum width and height in pixels.
  package static let side = 8_192
  /// The maximum number of pixels: a browser needs four bytes for each.
  package static let pixels = 40_000_000
  /// The maximum number of images of one record.
  package static let count = 12
  /// The maximum number of images that are fetched at a time.
  package static let fetches = 8
  /// The maximum number of addresses that wait to be fetched.
  package static let waiting = 64
  /// Seconds until an address that failed is tried again.
  package static let failureSeconds: Int64 = 600
  /// The maximum number of addresses whose failure is remembered.
  static let failures = 10_000
  /// The maximum number of redirects that are followed.
  package static let redirects = 2
  /// Seconds to connect.
  package static let connectSeconds = 3
  /// Seconds for a fetch, including redirects.
  package static let fetchSeconds = 10
  /// The maximum number of requests for images at a time.
  static let requests = 128
  /// Seconds that a client waits for an image; the fetch goes on without it.
  static let answerSeconds: Int64 = 5
}
