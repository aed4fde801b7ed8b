/// The limits of one image, and of all of them together.
package enum ImageLimits {
  /// The maximum size of an image, in bytes.
  package static let bytes = 2 << 20
  /// The maximum width and height in pixels.
  package static let side = 8_192
  /// The maximum number of pixels: a browser needs four bytes for each.
  package static let pixels = 40_000_000
  /// The maximum number of images of one restaurant.
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
