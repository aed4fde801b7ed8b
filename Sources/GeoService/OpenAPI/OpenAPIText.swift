import GeoQuery

/// The parts of the OpenAPI document that do not follow from the table of routes.
enum OpenAPIText {
  static let idParameter = """
    {"name":"id","in":"path","required":true,"description":"The restaurant's id.",\
    "schema":{"type":"string","minLength":1}}
    """

  static let offerIDParameter = """
    {"name":"id","in":"path","required":true,"description":"The offer's id.",\
    "schema":{"type":"string","minLength":1}}
    """

  static let imageNumber = """
    {"name":"n","in":"path","required":true,"description":"Which of its images, from 0.",\
    "schema":{"type":"integer","minimum":0,"maximum":\(ImageLimits.count - 1)}}
    """

  /// The numbers in the path of a tile.
  static func tileParameters(_ names: [String]) -> String {
    names.map { name in
      """
      {"name":"\(name)","in":"path","required":true,"description":"\(tileMeanings[name] ?? "")",\
      "schema":{"type":"integer","minimum":0,"maximum":\(name.hasSuffix("atrix") || name == "z"
        ? TileAddress.maximumZoom : 1 << TileAddress.maximumZoom - 1)}}
      """
    }
    .joined(separator: ",")
  }

  private static let tileMeanings = [
    "z": "The zoom.", "x": "The column, from the west.", "y": "The row, from the north.",
    "tileMatrix": "The zoom.", "tileRow": "The row, from the north.",
    "tileCol": "The column, from the west.",
  ]

  /// `PUT` and `DELETE /favorites/{id}`.
  static let favoriteChanges = """
    "parameters":[\(idParameter)],\
    "put":{"operationId":"addFavorite","summary":"Makes a restaurant a favorite; twice is the same \
    as once.",\(security),"responses":{"201":{"description":"It is a favorite now."},\
    "204":{"description":"It was a favorite."}\(writeResponses)}},\
    "delete":{"operationId":"removeFavorite","summary":"Removes a favorite; an id that is not a favorite is accepted.",\
    \(security),"responses":{"204":{"description":"Done."}\(writeResponses)}}
    """

  private static let security = "\"security\":[{\"token\":[]},{\"session\":[]}]"

  private static let writeResponses = responses([
    400, 401, 403, 404, 405, 408, 413, 414, 415, 421, 431, 500, 501, 503, 505,
  ])

  /// `POST /session`.
  static let session = """
    "post":{"operationId":"openSession","summary":"Opens a session: a cookie for the service's token.",\
    "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object",\
    "required":["token"],"additionalProperties":false,"properties":{"token":{"type":"string"}}}}}},\
    "responses":{"204":{"description":"The cookie is set."}\
    \(responses([400, 401, 405, 406, 408, 413, 414, 415, 421, 431, 500, 501, 503, 505]))}}
    """

  private static func responses(_ statuses: [Int]) -> String {
    statuses.map { ",\"\($0)\":\(response($0))" }.joined()
  }

  /// `POST /nearest`.
  static let nearestBatch = """
    {"operationId":"nearestBatch",\
    "summary":"The nearest restaurants of up to \(ServiceLimits.points) points; count times points is \
    at most \(ServiceLimits.features).",\
    "requestBody":{"required":true,"content":{"application/json":{"schema":\
    {"$ref":"#/components/schemas/nearestBatch"}}}},"responses":{"200":{"description":"The answers, \
    in the order of the points.","content":{"application/json":{"schema":\
    {"$ref":"#/components/schemas/answers"}}}}\(batchResponses)}}
    """

  /// `POST /cover`.
  static let coverOfBody = """
    {"operationId":"coverOfBody","summary":"Same as GET, for many or long wants.",\
    "requestBody":{"required":true,"content":{"application/json":{"schema":\
    {"$ref":"#/components/schemas/coverQuestion"}}}},"responses":{"200":{"description":"The answer.",\
    "content":{"application/json":{"schema":{"$ref":"#/components/schemas/cover"}}}}\
    \(batchResponses)}}
    """

  private static let batchResponses = responses([
    400, 405, 406, 408, 413, 414, 415, 421, 431, 500, 501, 503, 505,
  ])

  /// The response object of a status that is not 200.
  static func response(_ status: Int) -> String {
    if status < 400 { return "{\"description\":\"\(meanings[status] ?? "")\"}" }
    return """
      {"description":"\(meanings[status] ?? "An error.")","content":{"application/problem+json":\
      {"schema":{"$ref":"#/components/schemas/problem"}}}}
      """
  }

  /// All statuses that are not 200, ascending.
  static var allMeanings: [(status: Int, meaning: String)] {
    meanings.map { ($0, $1) }.sorted { $0.0 < $1.0 }
  }

  private static let meanings = [
    204: "Nothing is in the tile.",
    303: "The session is open; the page without the token.", 304: "Nothing has changed.",
    400: "A parameter or the request is wrong.", 401: "The token is missing or wrong.",
    403: "The request comes from a page of another origin.", 404: "There is no such resource.",
    405: "The resource does not support this method.", 406: "No representation matches Accept.",
    408: "The request took too long.", 413: "The body is too large.",
    414: "The address is too long.", 415: "The body is of another type.",
    421: "The service does not answer for this host.", 431: "The request's head is too large.",
    500: "A bug of the service.", 501: "The transfer coding is not supported.",
    503: "Busy, out of time, or the data cannot be read.",
    505: "The version of HTTP is not supported.",
  ]

  /// The schema of a text that a request filters by.
  ///
  /// Its length is in characters, but the limit is in bytes: a longer text is always rejected, a
  /// shorter one only if its characters take too many bytes.
  static let filter =
    "{\"type\":\"string\",\"minLength\":1,\"maxLength\":\(ServiceLimits.textLength)}"

  /// The shared schemas.
  static let components = """
    {"securitySchemes":{"token":{"type":"http","scheme":"bearer"},\
    "session":{"type":"apiKey","in":"cookie","name":"geoq-8080"}},"schemas":{\
    "text":{"type":"string"},\
    "bytes":{"type":"string","format":"binary"},\
    "object":{"type":"object"},\
    "count":{"type":"object","required":["count"],\
    "properties":{"count":{"type":"integer","minimum":0}}},\
    "facets":{"type":"object","required":["by","count","facets"],"properties":{\
    "by":{"type":"string"},"count":{"type":"integer","minimum":0},\
    "facets":{"type":"array","items":{"type":"object","required":["value","count"],"properties":{\
    "value":{"type":"string","nullable":true},"count":{"type":"integer","minimum":1}}}}}},\
    "density":{"type":"object","required":["zoom","count","cells"],"properties":{\
    "zoom":{"type":"integer","minimum":0,"maximum":\(TileAddress.maximumZoom)},\
    "count":{"type":"integer","minimum":0},\
    "cells":{"type":"array","items":{"type":"object","required":["x","y","count"],"properties":{\
    "x":{"type":"integer","minimum":0},"y":{"type":"integer","minimum":0},\
    "count":{"type":"integer","minimum":1}}}}}},\
    "link":{"type":"object","required":["href","rel"],"properties":{"href":{"type":"string"},\
    "rel":{"type":"string"},"type":{"type":"string"},"title":{"type":"string"}}},\
    "links":{"type":"array","items":{"$ref":"#/components/schemas/link"}},\
    "landing":{"type":"object","required":["links"],"properties":{"title":{"type":"string"},\
    "description":{"type":"string"},"links":{"$ref":"#/components/schemas/links"}}},\
    "conformance":{"type":"object","required":["conformsTo"],\
    "properties":{"conformsTo":{"type":"array","items":{"type":"string"}}}},\
    "collection":{"type":"object","required":["id","links"],"properties":{"id":{"type":"string"},\
    "title":{"type":"string"},"description":{"type":"string"},"extent":{"type":"object"},\
    "itemType":{"type":"string"},"crs":{"type":"array","items":{"type":"string"}},\
    "links":{"$ref":"#/components/schemas/links"}}},\
    "collections":{"type":"object","required":["links","collections"],"properties":{\
    "links":{"$ref":"#/components/schemas/links"},\
    "collections":{"type":"array","items":{"$ref":"#/components/schemas/collection"}}}},\
    \(features),\
    \(offers),\
    "answers":{"type":"object","required":["answers"],"properties":{"answers":{"type":"array",\
    "items":{"$ref":"#/components/schemas/featureCollection"}}}},\
    \(batch),\
    \(plans),\
    "problem":{"type":"object","required":["type","title","status","code","detail"],"properties":{\
    "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},\
    "code":{"type":"string"},"parameter":{"type":"string"},"detail":{"type":"string"},\
    "requestId":{"type":"string"}}}}}
    """

  /// A point in a query: latitude, longitude.
  static let latitudeLongitude =
    "{\"type\":\"string\",\"pattern\":\"^ *\(decimal) *, *\(decimal) *$\"}"

  private static let decimal = "-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?"

  private static let offers = """
    "offer":{"type":"object","required":["id","name","where"],"properties":{\
    "id":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"},\
    "terms":{"type":"string"},"url":{"type":"string"},"largeURL":{"type":"string"},\
    "amount":{"type":"number","minimum":0},"categories":{"type":"array","items":{"type":"string"}},\
    "expiration":{"type":"string"},"where":{"type":"object","required":["places"],"properties":{\
    "chains":{"type":"array","items":{"type":"string"}},"places":{"type":"integer","minimum":0},\
    "nearest":{"type":"object","required":["id","name","distance"],"properties":{\
    "id":{"type":"string"},"name":{"type":"string"},\
    "distance":{"type":"number","minimum":0}}}}},\
    "links":{"$ref":"#/components/schemas/links"}}},\
    "offers":{"type":"object","required":["numberMatched","numberReturned","offers"],"properties":{\
    "numberMatched":{"type":"integer","minimum":0},"numberReturned":{"type":"integer","minimum":0},\
    "links":{"$ref":"#/components/schemas/links"},\
    "offers":{"type":"array","items":{"$ref":"#/components/schemas/offer"}}}}
    """

  private static let features = """
    "point":{"type":"object","required":["type","coordinates"],"properties":{\
    "type":{"type":"string","enum":["Point"]},"coordinates":{"type":"array","minItems":2,\
    "maxItems":2,"items":{"type":"number"}}}},\
    "feature":{"type":"object","required":["type","id","geometry","properties"],"properties":{\
    "type":{"type":"string","enum":["Feature"]},"id":{"type":"string"},\
    "geometry":{"$ref":"#/components/schemas/point"},\
    "properties":{"type":"object","properties":{"name":{"type":"string"},\
    "category":{"type":"string"},"distance":{"type":"number","minimum":0},\
    "city":{"type":"string"}}},"links":{"$ref":"#/components/schemas/links"}}},\
    "featureCollection":{"type":"object","required":["type","features"],"properties":{\
    "type":{"type":"string","enum":["FeatureCollection"]},\
    "numberMatched":{"type":"integer","minimum":0},\
    "numberReturned":{"type":"integer","minimum":0},\
    "timeStamp":{"type":"string","format":"date-time"},\
    "links":{"$ref":"#/components/schemas/links"},\
    "features":{"type":"array","items":{"$ref":"#/components/schemas/feature"}}}}
    """

  private static let batch = """
    "nearestBatch":{"type":"object","required":["points"],"additionalProperties":false,\
    "properties":{"points":{"type":"array","minItems":1,"maxItems":\(ServiceLimits.points),"items":{\
    "type":"object","required":["lat","lon"],"additionalProperties":false,"properties":{\
    "lat":{"type":"number","minimum":-90,"maximum":90},\
    "lon":{"type":"number","minimum":-180,"maximum":180}}}},\
    "count":{"type":"integer","minimum":1,"maximum":\(ServiceLimits.count),"default":10},\
    "max":{"type":"number","minimum":0,"maximum":\(ServiceLimits.radius)},\
    "category":{"oneOf":[\(filter),\
    {"type":"array","maxItems":\(ServiceLimits.listEntries),"items":\(filter)}]},\
    "city":\(filter),"q":\(filter),"filter":{"type":"string","minLength":1}}}
    """
}
