public import GeoIndex

/// A query for offers.
public struct OfferQuery: Sendable {
  /// Every word of this text must start some word of the offer's name, description or categories;
  /// empty matches all.
  public var text = ""

  /// Any of these categories of the offer itself; empty matches all.
  public var categories: [String] = []

  /// A chain that the offer names, by id or by name; nil matches all.
  public var chain: String?

  /// Only offers of this restaurant, by its id; nil matches all.
  public var restaurant: String?

  /// The point from which distances are measured.
  public var center: Coordinate?

  /// If there is a center: the maximum distance in meters of an offer's nearest place; infinite for no
  /// limit.
  public var maximumDistance = Double.infinity

  /// The number of offers to skip at the beginning.
  public var offset = 0

  /// The maximum number of offers; nil for all.
  public var limit: Int?

  /// The time limit.
  public var deadline: Deadline?

  /// Makes a query for all offers.
  public init() {}
}

/// An offer, with its places.
public struct OfferHit: Sendable {
  /// The offer.
  public let offer: Offer

  /// The names of the chains that it names; unknown ones are omitted.
  public let chains: [String]

  /// The number of places that have it.
  public let placeCount: Int

  /// The nearest of these places, if the query has a center.
  public let nearest: Nearest?

  /// A place and its distance.
  public struct Nearest: Sendable, Hashable {
    /// The restaurant's id.
    public let id: String

    /// Its name.
    public let name: String

    /// The distance from the center in meters.
    public let distance: Double

    /// Makes a place.
    public init(id: String, name: String, distance: Double) {
      self.id = id
      self.name = name
      self.distance = distance
    }
  }
}

extension OfferHit {
  /// The offer's members, and `where`: `chains`, `places`, and `nearest` with `id`, `name` and `distance`.
  public var members: [JSONMember] {
    var place = JSONMemberList()
    place.add("chains", chains)
    place.add("places", .number(placeCount.description))
    if let nearest {
      place.add(
        "nearest",
        [
          JSONMember(name: "id", value: .string(nearest.id)),
          JSONMember(name: "name", value: .string(nearest.name)),
          JSONMember(name: "distance", value: .number(nearest.distance.description)),
        ]
      )
    }
    return offer.members + [JSONMember(name: "where", value: .object(place.members))]
  }
}

/// A page of the offers that match a query.
public struct OfferPage: Sendable {
  /// The number of offers that match, whatever the offset and the limit.
  public let total: Int

  /// The offers of the page, in order.
  public let hits: [OfferHit]

  /// Makes a page.
  package init(total: Int, hits: [OfferHit]) {
    self.total = total
    self.hits = hits
  }
}

extension OfferPage {
  /// The document `geoq.offers/1`, one offer per line.
  package var json: [UInt8] {
    var json = JSONText()
    json.raw("{\"schema\":\"geoq.offers/1\",\"count\":\(hits.count),\"total\":\(total),")
    json.raw("\"offers\":[")
    for (index, hit) in hits.enumerated() {
      json.raw(index == 0 ? "\n" : ",\n")
      json.value(.object(hit.members))
    }
    json.raw(hits.isEmpty ? "]}\n" : "\n]}\n")
    return json.bytes
  }
}
