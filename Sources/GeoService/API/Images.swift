import GeoQuery
import HTTPTypes

/// `GET /images/{id}/{n}`: the client names a record and a number, never an address.
extension Endpoint {
  static let images = Endpoint(
    "images",
    "/images/{id}",
    summary: "The addresses of a restaurant's images at this service, in their order.",
    path: [.restaurantID],
    caching: .never,
    needs: .images,
    get: .work { $0.listImages() }
  )

  static let image = Endpoint(
    "image",
    "/images/{id}/{n}",
    summary: "An image of a restaurant, from a host or a folder that the service knows.",
    path: [
      .restaurantID,
      .number("n", "Which of its images, from 0.", maximum: ImageLimits.count - 1),
    ],
    as: [.image],
    needs: .images,
    get: .search { $0.findImage($1, $2) }
  )
}

extension RequestContext {
  /// `GET /images/{id}`.
  fileprivate func listImages() -> Work {
    let id = path("id")
    return Work(on: .queries) { _ in
      guard let restaurant = try snapshot.restaurant(id: id) else {
        throw Problem.notFound("there is no restaurant \(quoted(id))")
      }
      let numbers = settings.images?.numbers(of: restaurant) ?? []
      let images = numbers.map { number in
        links.address(Endpoint.image.path(id: id).replacing("{n}", with: String(number)))
      }
      var members: [JSONMember] = []
      members.add("id", id)
      members.add("images", JSONValue.array(images.map(JSONValue.string)))
      return Work.Body(bytes: Array(JSONWriter.of(.object(members)).utf8), hits: 1)
    }
  }

  /// Looks for the image, which may have to be fetched.
  fileprivate func findImage(
    _ builder: ResponseBuilder,
    _ complete: @escaping @Sendable (ServiceResponse) -> Void
  ) {
    guard let images = settings.images, path("n").utf8.count < 3, let number = number("n"),
      let restaurant = try? snapshot.restaurant(id: path("id"))
    else { return complete(builder.failure(Problem.noImage, endpoint: .image)) }
    images.find(number, of: restaurant) { outcome in
      switch outcome {
      case .image(let image): complete(builder.image(image))
      case .missing: complete(builder.failure(Problem.noImage, endpoint: .image))
      case .busy: complete(builder.failure(Problem.tooManyImages, endpoint: .image))
      }
    }
  }
}

extension ResponseBuilder {
  fileprivate func image(_ image: ServedImage) -> ServiceResponse {
    let tag = image.tag
    let isKnown = tag.isNamed(in: request.fields[.ifNoneMatch])
    var response = empty(isKnown ? .notModified : .ok, endpoint: .image)
    // opened by itself, it has no origin, runs no scripts and loads nothing
    response.fields[.contentSecurityPolicy] = SecurityFields.imagePolicy
    // the origins of --cors may show images
    if !service.settings.crossOrigin.allowsAny { response.fields[.resourcePolicy] = "same-origin" }
    response.fields[.eTag] = tag.text
    response.fields[.cacheControl] = "public, max-age=600"
    if isKnown { return response }
    response.fields[.contentType] = image.header.format.mediaType
    response.hits = 1
    response.body = image.bytes
    return response
  }
}

extension Problem {
  static let noImage = notFound(
    "there is no such image; images are numbered from 0 in the order of the record"
  )

  static let tooManyImages = Problem.busy("too many images are waited for; try again")
}
