public import GeoIndex

/// Which offers are asked for.
public struct OfferQuery: Sendable {
  /// Every word of this text begins some word of the offer's name, description or categories; empty
  /// takes all.
  public var text = ""

  /// Any of these categories of the offer itself; empty takes all.
  public var categories: [String] = []

  /// A chain that the offer names, by id or by name; nil takes all.
  public var chain: String?

  /// The point that distances are measured from.
  public var center: Coordinate?

  /// With a center: only offers that some place within this many meters has; infinite takes all.
  public var maximumDistance = Double.infinity

  /// How many offers are left out at the beginning.
  public var offset = 0

  /// The greatest number of offers; nil for all.
  public var limit: Int?

  /// When to give up.
  public var deadline: Deadline?

  /// Asks for all offers.
  public init() {}
}

/// An offer, and where it is had.
public struct OfferHit: Sendable {
  /// The offer.
  public let offer: Offer

  /// The names of the chains that it names; those that are not known are left out.
  public let chains: [String]

  /// How many places have it.
  public let placeCount: Int

  /// The nearest of these places, if the query has a center.
  public let nearest: Nearest?

  /// A place, and how far it is.
  public struct Nearest: Sendable, Hashable {
    /// The restaurant's id.
    public let id: String

    /// Its name.
    public let name: String

    /// Meters from the center.
    public let distance: Double
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

/// Some of the offers that a query matches.
public struct OfferPage: Sendable {
  /// How many offers match, whatever the offset and the limit.
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
  /// The document `geoq.offers/1`: an offer a line.
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
