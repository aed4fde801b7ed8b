import GeoQuery
import HTTPTypes

/// `GET /images/{id}/{n}` and its like: the client names a record and a number, never an address.
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
    path: [.restaurantID, .imageNumber],
    as: [.image],
    needs: .images,
    get: .search { context, builder, complete in
      let restaurant = try? context.snapshot.restaurant(id: context.path("id"))
      context.findImage(of: restaurant?.pictured, builder, complete)
    }
  )

  static let offerImage = Endpoint(
    "offerImage",
    "/offer-images/{id}/{n}",
    summary: "An image of an offer, from a host or a folder that the service knows.",
    path: [.offerID, .imageNumber],
    as: [.image],
    needs: .images,
    get: .search { context, builder, complete in
      let offer = context.generation.book.offer(id: context.path("id"))
      context.findImage(of: offer?.pictured, builder, complete)
    }
  )
}

extension PathParameter {
  fileprivate static let imageNumber = PathParameter(
    name: "n",
    summary: "Which of its images, from 0.",
    maximum: ImageLimits.count - 1
  )
}

extension RequestContext {
  fileprivate func listImages() -> Work {
    let id = path("id")
    return Work(on: .queries) { _ in
      guard let restaurant = try snapshot.restaurant(id: id) else {
        throw Problem.noRestaurant(id)
      }
      let numbers = settings.images?.numbers(of: restaurant.pictured) ?? []
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
    of record: Pictured?,
    _ builder: ResponseBuilder,
    _ complete: @escaping @Sendable (ServiceResponse) -> Void
  ) {
    let endpoint = endpoint
    guard let images = settings.images, path("n").utf8.count < 3, let number = number("n"),
      let record
    else { return complete(builder.failure(Problem.noImage, endpoint: endpoint)) }
    images.find(number, of: record) { outcome in
      switch outcome {
      case .image(let image): complete(builder.image(image, endpoint))
      case .missing: complete(builder.failure(Problem.noImage, endpoint: endpoint))
      case .busy: complete(builder.failure(Problem.tooManyImages, endpoint: endpoint))
      }
    }
  }
}

extension ResponseBuilder {
  fileprivate func image(_ image: ServedImage, _ endpoint: Endpoint) -> ServiceResponse {
    let tag = image.tag
    let isKnown = tag.isNamed(in: request.fields[.ifNoneMatch])
    var response = empty(isKnown ? .notModified : .ok, endpoint: endpoint)
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
