import GeoQuery

/// The meanings of members and columns, and the names for them in feeds without a special format.
///
/// Names are compared after `bareName`: `Store Name`, `store_name` and `storeName` are the same.
enum ColumnAliases {
  /// The meaning of a name.
  struct Meaning: Sendable {
    let field: RestaurantField
    /// The rank of the name in the list of its key; names chosen by the user come first.
    let rank: Int
    /// Whether it is a house number, which belongs to a street in another member.
    var isHouseNumber = false
    /// Whether it is a street, whose house number may be in another member.
    var isStreet = false
  }

  private static let lists: [(RestaurantField, String)] = [
    (
      .id,
      """
      id uid storeid placeid placekey storenumber camis businessid facilityid restaurantid locationid
      fhrsid @id fullid osmid objectid id$oid ref
      """
    ),
    (
      .name,
      """
      name title dba dbaname restaurantname storename facilityname businessname applicant restaurant
      establishmentname establishment placename venuename locationname tradename tradingname
      tradingas doingbusinessas companyname shopname outletname akaname nom nombre
      """
    ),
    (
      .category,
      """
      category amenity cuisine type categories cuisinedescription cuisines primarycuisine
      cuisinetype primarycategory categoryname businesstype facilitytype
      """
    ),
    (
      .latitude,
      """
      latitude lat y ylat pointy locationlat locationlatitude addresslat addresslatitude businesslatitude
      storelatitude geolat gpslat gpslatitude coordinateslatitude coordinateslat geometrylocationlat
      geocodelatitude geocodedlatitude latitud breitengrad @lat geoloclat coordslat centerlat
      latitude$numberdouble lat$numberdouble breite latitudine breedtegraad
      """
    ),
    (
      .longitude,
      """
      longitude lon lng long x xlon pointx locationlng locationlon locationlong locationlongitude
      addresslng addresslon addresslongitude businesslongitude storelongitude geolon geolng gpslon gpslng
      gpslongitude coordinateslongitude coordinateslng coordinateslon geometrylocationlng
      geocodelongitude geocodedlongitude longitud langengrad längengrad @lon geoloclng geoloclon coordslng
      coordslon centerlng centerlon longitude$numberdouble lng$numberdouble lon$numberdouble laenge länge
      longitudine lengtegraad
      """
    ),
    (
      .address,
      """
      address street addr streetaddress addrstreetaddress address1 addrstreet streetname addressline1 addressline
      businessaddress locationaddress storeaddress restaurantaddress facilityaddress addressstreet street1
      situsaddress adresse direccion dirección indirizzo
      """
    ),
    (.crossStreet, "crossstreet"),
    (
      .city,
      """
      city locality town addrcity businesscity locationcity addresscity storecity facilitycity boro
      borough municipality posttown ville ciudad stadt comune
      """
    ),
    (
      .state,
      "state region province stateprovince addrstate businessstate locationstate addressstate statecode"
    ),
    (
      .postalCode,
      """
      postalcode postcode zip zipcode addrpostcode businesspostalcode locationzip locationzipcode
      addresszip addresszipcode addresspostalcode storezip facilityzip zippostalcode pincode plz codepostal
      """
    ),
    (.countryCode, "countrycode isocountrycode cc iso2 addrcountry"),
    (.country, "country countryname addresscountry"),
    (.formattedAddress, "formattedaddress fulladdress displayaddress addrfull"),
    (
      .phone,
      """
      phone phonenumber tel telephone telephonenumber businessphonenumber businessphone contactphone
      contactnumber phoneno addrphone storephone telefon telefono téléphone
      """
    ),
    (.formattedPhone, "formattedphone displayphone"), (.twitter, "twitter twitterhandle"),
    (.facebook, "facebook"), (.facebookUsername, "facebookusername"),
    (.facebookName, "facebookname"),
    (.chain, "chain chainname brand brandname brands"),
    (
      .description,
      """
      description descriptiontext shortdescription longdescription desc about summary
      editorialsummarytext
      """
    ),
    (.images, "images imageurls photos photourls pictures gallery"),
    (.imageURL, "imageurl image photourl photo featuredimage thumbnail"),
    (.website, "website websiteurl url web contactwebsite homepage webaddress siteweb"),
    (
      .rating,
      "rating stars aggregaterating averagerating avgrating overallrating googlerating userrating"
    ),
    (.ratingScale, "ratingscale"),
    (
      .reviewCount,
      """
      reviewcount votes reviews reviewscount totalreviewscount numberofreviews numreviews totalreviews ratingcount
      ratingscount numberofratings userratingstotal userratingcount
      """
    ),
    (.priceLevel, "pricelevel price pricerange pricecategory pricetier"),
    (
      .hours,
      "hours openinghours businesshours dayshours hoursofoperation operatinghours openhours workinghours"
    ),
    (
      .closed,
      "closed permanentlyclosed isclosed isopen businessstatus operatingstatus dateclosed closedon"
    ),
  ]

  private static let houseNumbers =
    "addrhousenumber housenumber housenum houseno streetnumber streetno building buildingnumber hausnummer"

  /// The meanings by bare name.
  static let common: [UTF8Key: Meaning] = {
    var common: [UTF8Key: Meaning] = [:]
    for (field, names) in lists {
      for (rank, name) in words(names).enumerated() {
        let isStreet = streets.contains(UTF8Key(name))
        common[UTF8Key(name)] = Meaning(field: field, rank: rank, isStreet: isStreet)
      }
    }
    for (rank, name) in words(houseNumbers).enumerated() {
      common[UTF8Key(name)] = Meaning(field: .address, rank: rank, isHouseNumber: true)
    }
    return common
  }()

  /// Members that hold a whole position, by bare name.
  static let points = keys(
    """
    wkt geom geometry thegeom shape point geopoint geopoint2d latlong latlng latlon georeference geolocation
    geocodedcolumn geocodedlocation newgeoreferencedcolumn geoloc
    """
  )

  /// Members that hold a position in some feeds, and something else in others.
  static let possiblePoints = keys(
    "location location1 coordinates coordinate coords position center gps gpscoordinates"
  )

  /// Members whose text is a street without a number.
  static let streets = keys("street addrstreet streetname addressstreet street1")

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map(String.init)
  }

  private static func keys(_ text: String) -> Set<UTF8Key> { Set(words(text).map { UTF8Key($0) }) }
}

/// A name in lower case, without blanks and separators between its words.
///
/// Names that are longer than any alias are not changed.
func bareName(_ name: String) -> String {
  guard name.utf8.count <= 64 else { return name }
  var isASCII = true
  let bare = String(unsafeUninitializedCapacity: name.utf8.count) { space in
    var count = 0
    for byte in name.utf8 {
      switch byte {
      case 0x20, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: ":"):
        continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): space[count] = byte | 0x20
      case 0x80...:
        isASCII = false
        return 0
      default: space[count] = byte
      }
      count += 1
    }
    return count
  }
  if isASCII { return bare }
  let marks: Set<Unicode.Scalar> = [" ", "_", "-", "/", ".", ":", "\u{A0}"]
  return String(
    String.UnicodeScalarView(name.lowercased().unicodeScalars.filter { !marks.contains($0) })
  )
}
