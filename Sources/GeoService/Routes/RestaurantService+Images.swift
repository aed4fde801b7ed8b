import Dispatch
import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers

/// `GET /images/{id}/{n}`: the client names a record and a number, never an address.
extension RestaurantService {
  /// The search for an image.
  func imageStep(_ asked: Asked, _ writer: ResponseWriting) -> Step {
    .image { complete in
      let parts = (asked.id ?? "").split(separator: "/", maxSplits: 1).map(String.init)
      guard let images = asked.settings.images, parts.count == 2, parts[0].utf8.count < 3,
        parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[0]),
        let restaurant = try? asked.snapshot.restaurant(id: parts[1])
      else { return complete(writer.failure(Problem.noImage, route: .image)) }
      images.find(number, of: restaurant) { outcome in
        switch outcome {
        case .image(let image): complete(writer.image(image))
        case .missing: complete(writer.failure(Problem.noImage, route: .image))
        case .busy: complete(writer.failure(Problem.tooManyImages, route: .image))
        }
      }
    }
  }

  /// The result of a search, which is waited for.
  static func awaited(
    _ find: (@escaping @Sendable (ServiceResponse) -> Void) -> Void
  ) -> ServiceResponse {
    let answer = NIOLockedValueBox<ServiceResponse?>(nil)
    let done = DispatchSemaphore(value: 0)
    find { response in
      answer.withLockedValue { $0 = response }
      done.signal()
    }
    done.wait()
    guard let response = answer.withLockedValue({ $0 }) else {
      preconditionFailure("A search calls back with an answer.")
    }
    return response
  }
}

extension ResponseWriting {
  /// The response with an image, or 304.
  func image(_ image: ServedImage) -> ServiceResponse {
    let isKnown = image.isNamed(in: request.fields[.ifNoneMatch])
    var response = empty(isKnown ? .notModified : .ok, route: .image)
    // opened by itself, it has no origin, runs no scripts and loads nothing
    response.fields[.contentSecurityPolicy] = SecurityFields.imagePolicy
    // the origins of --cors may show images
    if !service.settings.crossOrigin.allowsAny { response.fields[.resourcePolicy] = "same-origin" }
    response.fields[.eTag] = image.tag
    response.fields[.cacheControl] = "public, max-age=600"
    if isKnown { return response }
    response.fields[.contentType] = image.header.format.mediaType
    response.hits = 1
    response.body = image.bytes
    return response
  }
}

extension Problem {
  static let noImage = Problem(
    .notFound,
    "NotFound",
    "there is no such image; images are numbered from 0 in the order of the record"
  )

  static let tooManyImages = Problem.busy("too many images are waited for; try again")
}
