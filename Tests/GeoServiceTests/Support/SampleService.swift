import Foundation
import GeoIndex
import GeoQuery
import HTTPTypes

@testable import GeoService
@testable import GeoStore

/// A service over some restaurants, asked without a network.
struct SampleService {
  let service: RestaurantService

  /// What is done to every answer: a check that still holds then checks nothing.
  var harm: Harm?

  init(
    _ places: [Restaurant] = SamplePlaces().places,
    generation: Int = 1,
    settings: ServiceSettings = .sample,
    favorites: (any FavoriteKeeping)? = nil,
    book: OfferBook? = .sample,
    credits: Credits = .none,
    areas: [AreaOutline] = [.oldTown],
    endpoints: [Endpoint] = Endpoint.all
  ) throws {
    let snapshot = try TemporarySnapshot.make(of: places, generation: generation)
    var settings = settings
    settings.endpoints = endpoints
    service = RestaurantService(
      settings: settings,
      live: LiveData(snapshot, ServedExtras(book: book, credits: credits, areas: areas)),
      favorites: favorites
    )
  }

  /// Asks with GET.
  func get(_ target: String, _ fields: HTTPFields = [:]) -> Reply {
    send(ServiceRequest(.get, target, fields: fields))
  }

  /// Asks with POST and a JSON body.
  func post(_ target: String, _ body: String, type: String? = "application/json") -> Reply {
    var fields: HTTPFields = [:]
    fields[.contentType] = type
    return send(ServiceRequest(.post, target, fields: fields, body: Array(body.utf8)))
  }

  /// Asks.
  func send(_ request: ServiceRequest) -> Reply {
    var response = service.answer(request)
    harm?.apply(to: &response)
    return Reply(response: response)
  }
}

extension AreaOutline {
  /// A saved area with the name `Old Town`: a box.
  static var oldTown: AreaOutline {
    let saved = SavedArea(name: "Old Town", digest: "0a", vertexCount: 5, since: "")
    return AreaOutline(saved, oldTownOutline)
  }

  /// The same as GeoJSON.
  static let oldTownOutline =
    #"{"type":"Polygon","coordinates":[[[-96.95,32.8],[-96.85,32.8],[-96.85,33.1],[-96.95,33.1],"#
    + "[-96.95,32.8]]]}"
}

extension OfferBook {
  /// A book with an offer that has the id of a restaurant, one without places, and one with odd texts.
  static var sample: OfferBook {
    var first = Offer(id: "place-1", name: "Ten wings", source: "offers.json")
    first.restaurants = ["place-1", "place-5"]
    first.categories = ["Lunch"]
    first.amount = 4.5
    var second = Offer(id: "b/ö", name: "<b>Nowhere</b>", source: "offers.json")
    second.description = "a\r\nb\u{202E}"
    second.chains = ["7", "Chuy's"]
    let chain = Chain(id: "7", name: "Wendy's®", source: "chains.json")
    return OfferBook(revision: 3, offers: [first, second], chains: [chain])
  }
}

extension ServiceSettings {
  /// Settings with a token that tests know.
  static var sample: ServiceSettings {
    var settings = ServiceSettings()
    settings.access = AccessRule(token: Array(token.utf8), protectsReading: false)
    return settings
  }

  static let token = "correct-horse-battery"
}

extension ServiceRequest {
  /// A request with the token.
  static func owners(
    _ method: HTTPRequest.Method,
    _ target: String,
    body: [UInt8] = []
  ) -> ServiceRequest {
    var request = ServiceRequest(method, target, body: body)
    request.fields[.authorization] = "Bearer \(ServiceSettings.token)"
    return request
  }
}

/// A fault that a service could have.
enum Harm: Sendable {
  case status(HTTPResponse.Status)
  case type(String)
  case text(String, String)

  /// Plants it.
  func apply(to response: inout ServiceResponse) {
    switch self {
    case .status(let status): response.status = status
    case .type(let type): response.fields[.contentType] = type
    case .text(let sound, let broken):
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(text.replacing(sound, with: broken).utf8)
    }
  }
}

/// An answer, read by Foundation and not by geoq's own reader.
struct Reply {
  let response: ServiceResponse

  var status: Int { response.status.code }
  var text: String { String(decoding: response.body, as: UTF8.self) }
  var type: String? { response.fields[.contentType] }

  /// The body as a JSON object; empty if it is none.
  var json: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(response.body))) as? [String: Any] ?? [:]
  }

  var features: [[String: Any]] { json["features"] as? [[String: Any]] ?? [] }
  var ids: [String] { features.compactMap { $0["id"] as? String } }
  var matched: Int? { json["numberMatched"] as? Int }
  var returned: Int? { json["numberReturned"] as? Int }

  /// The distances in the properties.
  var distances: [Double] {
    features.compactMap { ($0["properties"] as? [String: Any])?["distance"] as? NSNumber }
      .map(\.doubleValue)
  }

  var links: [[String: Any]] { json["links"] as? [[String: Any]] ?? [] }

  /// The links with a relation.
  func links(_ relation: String) -> [[String: Any]] {
    links.filter { $0["rel"] as? String == relation }
  }

  /// The target of the first link with a relation, without scheme and host.
  func target(_ relation: String) -> String? {
    let address = links(relation).first?["href"] as? String
    return address.map { $0.replacingOccurrences(of: "http://localhost", with: "") }
  }
}
