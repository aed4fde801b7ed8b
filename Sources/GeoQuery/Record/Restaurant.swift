public import GeoIndex

/// A restaurant as its feed described it.
///
/// Absent is `nil` (or empty for lists): a feed's explicit null counts as absent. Texts are kept
/// character for character and the coordinate bit for bit; members without a property are in
/// `extra`.
public struct Restaurant: Sendable, Hashable, Identifiable {
  /// The public id: the feed's own, a derived one, or `SOURCE:ID` if another source had it first;
  /// unique in a store, compared as UTF-8 bytes.
  public var id: String

  /// The name; never empty.
  public var name: String

  /// The category in the feed's own words; any text is possible.
  public var category: String?

  /// The chain or brand it belongs to, by name.
  public var chain: String?

  /// The position on WGS84.
  public var coordinate: Coordinate

  /// The postal address.
  public var address = Address()

  /// Telephone numbers and social accounts.
  public var contact = Contact()

  /// A description in the feed's words.
  public var description: String?

  /// The address of a picture: the first if there are several.
  public var imageURL: String?

  /// The addresses of all pictures, `imageURL` first; empty if there is only that one, or none.
  public var images: [String] = []

  /// The restaurant's own site.
  public var website: String?

  /// The mean rating, on the scale of `ratingScale`.
  public var rating: Double?

  /// The best rating possible, such as 5 or 10.
  public var ratingScale: Double?

  /// The rating divided by its scale, which is 5 if the feed gives none; nil without a rating.
  package var ratingShare: Double? { rating.map { $0 / (ratingScale ?? 5) } }

  /// The number of ratings.
  public var reviewCount: Int?

  /// Price from 1 (cheap) to 4 (expensive).
  public var priceLevel: Int?

  /// Opening hours, in the feed's own notation.
  public var hours: String?

  /// True when closed for good.
  public var closed = false

  /// The feed it came from.
  public var source: String

  /// The feed's own id, if it differs from the public one.
  public var sourceID: String?

  /// Every member of the feed's record that has no property above, in the feed's order.
  public var extra: [JSONMember] = []

  /// Makes a restaurant with its required values; the others are set afterwards.
  public init(id: String, name: String, coordinate: Coordinate, source: String) {
    self.id = id
    self.name = name
    self.coordinate = coordinate
    self.source = source
  }

  /// A postal address, in the feed's own words.
  public struct Address: Sendable, Hashable {
    /// Street and number.
    public var street: String?

    /// The street that crosses nearby.
    public var crossStreet: String?

    /// City or town.
    public var city: String?

    /// State or region.
    public var state: String?

    /// Postal code: text, even if it looks like a number.
    public var postalCode: String?

    /// Country as a two-letter code.
    public var countryCode: String?

    /// Country by name.
    public var country: String?

    /// The whole address as lines to print.
    public var formatted: [String] = []

    /// Makes an empty address.
    public init() {}
  }

  /// Ways to contact a restaurant.
  public struct Contact: Sendable, Hashable {
    /// Telephone number to dial.
    public var phone: String?

    /// Telephone number to read.
    public var formattedPhone: String?

    /// Twitter account, without `@`.
    public var twitter: String?

    /// Facebook page id: text, though it is all digits.
    public var facebook: String?

    /// Facebook account name.
    public var facebookUsername: String?

    /// Facebook page title.
    public var facebookName: String?

    /// Makes an empty contact.
    public init() {}
  }
}
