import GeoQuery

/// The meanings of a record's members and of a table's columns: those chosen by the user, otherwise
/// by name.
///
/// Names are compared after `bareName`: `Store Name`, `store_name` and `storeName` are the same. Of
/// several names for one key, the first in its list is used.
final class FieldAliases {
  struct Meaning: Sendable {
    let field: RestaurantField
    /// The rank of the name in the list of its key; names chosen by the user come first.
    let rank: Int
    /// Whether it is a house number, which belongs to a street in another member.
    var isHouseNumber = false
    /// Whether it is a street, whose house number may be in another member.
    var isStreet = false
  }

  /// A member of a record and the meaning of its name.
  struct Known {
    let name: String
    /// The name of the inner member, if that is meant.
    var inner: String?
    var value: JSONValue
    var meaning = Meaning(field: .extra, rank: .max)

    /// The names of the member and of the inner one.
    var path: String { inner.map { name + "." + $0 } ?? name }
  }

  private let chosen: [UTF8Key: [RestaurantField]]
  private let pointColumn: UTF8Key?
  /// The meanings of names, because most records have the same names in the same order.
  private var memo: [(name: String, meanings: [Meaning])] = []
  private static let maximumMemoCount = 128
  private static let maximumMemoStep = 16

  /// The order of two numbers in one value; nil for the usual one.
  var order: PairOrder?

  /// Is told which member a key is read from.
  var trace: ((RestaurantField, String, JSONValue) -> Void)?

  /// Is told which member has a value that its key cannot have.
  var misfit: ((RestaurantField, String, JSONValue) -> Void)?

  private let columns: ChosenColumns

  init(_ columns: ChosenColumns = ChosenColumns()) {
    self.columns = columns
    var chosen: [UTF8Key: [RestaurantField]] = [:]
    for field in RestaurantField.allCases {
      if let name = columns.names[field] { chosen[Self.key(name), default: []].append(field) }
    }
    self.chosen = chosen
    pointColumn = columns.point.map(Self.key)
  }

  /// Whether the user chose a member for a key.
  func isChosen(_ field: RestaurantField) -> Bool { columns.names[field] != nil }

  private static func key(_ name: String) -> UTF8Key { UTF8Key(bareName(name)) }

  /// The meaning of a name by itself, if it has one.
  private func meaning(of key: UTF8Key) -> Meaning? {
    Self.common[key].flatMap { isChosen($0.field) ? nil : $0 }
  }

  /// The member with a position in one value, if there is one.
  func pointMember(in fields: JSONFields) -> String? {
    if let pointColumn { return fields.rest.first { Self.key($0.name) == pointColumn }?.name }
    let keys = fields.rest.lazy.map { (member: $0, key: Self.key($0.name)) }
    let found =
      keys.first { Self.points.contains($0.key) } ?? keys.first { isPossiblePoint($0, $1) }
    return found?.member.name
  }

  private func isPossiblePoint(_ member: JSONMember, _ key: UTF8Key) -> Bool {
    Self.possiblePoints.contains(key)
      && CoordinateReading.isPoint(member.value, named: member.name)
  }

  /// Whether the members include a position.
  func findsPosition(in members: [JSONMember]) -> Bool {
    let keys = members.map { Self.key($0.name) }
    if pointColumn != nil || keys.contains(where: Self.points.contains) { return true }
    let known = known(in: JSONFields(.object(members)))
    if known.first(for: .latitude) != nil, known.first(for: .longitude) != nil { return true }
    return zip(members, keys).contains { isPossiblePoint($0, $1) }
  }

  /// Whether columns with these names include the name of a restaurant.
  func findsName(among names: [String]) -> Bool {
    let keys = names.map(Self.key)
    return finds(.name, among: keys) || keys.contains("names") || isNamedByCity(keys)
  }

  /// Whether the name of a column means one of some keys.
  func means(_ name: String, any fields: [RestaurantField]) -> Bool {
    let key = Self.key(name)
    return fields.contains { finds($0, among: [key]) }
  }

  /// Whether a name is that of an id.
  static func isID(_ name: String) -> Bool { Self.common[key(name)]?.field == .id }

  private func finds(_ field: RestaurantField, among keys: [UTF8Key]) -> Bool {
    keys.contains { chosen[$0]?.contains(field) == true || meaning(of: $0)?.field == field }
  }

  /// Whether a table is one of cities, in which only the city is a name.
  private func isNamedByCity(_ keys: [UTF8Key]) -> Bool {
    keys.contains("city") && !keys.contains("brand") && !finds(.address, among: keys)
  }

  /// The member with the name.
  ///
  /// A branch without a name has the name of its brand, except in a table, whose header shows what
  /// it has.
  func nameMember(_ known: [Known], in fields: JSONFields, isTable: Bool = false) -> Known? {
    if let found = known.first(for: .name) { return found }
    if !isTable, !isChosen(.name), let brand = fields.value("brand") {
      return Known(name: "brand", value: brand)
    }
    guard let city = known.first(for: .city), isNamedByCity(fields.rest.map { Self.key($0.name) })
    else { return nil }
    return city
  }

  /// The members of a record whose names have a meaning, looked up once.
  ///
  /// This includes those of its objects, by both names: `address.street` is the street.
  func known(in fields: JSONFields) -> [Known] {
    var known: [Known] = []
    known.reserveCapacity(fields.rest.count)
    var place = 0
    for member in fields.rest {
      for meaning in remembered(member.name, from: &place) {
        known.append(Known(name: member.name, value: member.value, meaning: meaning))
      }
      guard case .object(let members) = member.value, members.count <= 64 else { continue }
      for inner in members where !inner.value.isNull {
        for meaning in meanings(of: inner.name, in: member.name) {
          known.append(
            Known(name: member.name, inner: inner.name, value: inner.value, meaning: meaning)
          )
        }
      }
    }
    return known
  }

  /// Whether a member has a meaning, by its own name or by those of its members.
  func knows(_ member: JSONMember) -> Bool {
    let key = Self.key(member.name)
    if key == pointColumn || Self.points.contains(key) { return true }
    return !known(in: JSONFields(.object([member]))).isEmpty
  }

  /// The meanings of a name: the user's, then its own.
  private func meanings(of name: String) -> [Meaning] {
    let key = Self.key(name)
    let isStreet = Self.streets.contains(key)
    let named = (chosen[key] ?? []).map { Meaning(field: $0, rank: -1, isStreet: isStreet) }
    // Esri's OBJECTID is the number of a row, which another export changes
    if key == "objectid", UTF8Key(name) != "objectID" { return named }
    return named + [meaning(of: key)].compactMap(\.self)
  }

  /// The meanings of a member of an object: by both names, otherwise by its own in an address.
  private func meanings(of name: String, in outer: String) -> [Meaning] {
    let both = meanings(of: outer + "." + name)
    guard both.isEmpty, Self.addresses.contains(Self.key(outer)) else { return both }
    return meanings(of: name).filter { Self.partsOfAddress.contains($0.field) }
  }

  /// The meanings of a member's name, looked up from `place` on, which is 0 at the start of a record.
  private func remembered(_ name: String, from place: inout Int) -> [Meaning] {
    let key = UTF8Key(name)
    for next in place..<max(place, min(memo.count, place + Self.maximumMemoStep))
    where UTF8Key(memo[next].name) == key {
      place = next + 1
      return memo[next].meanings
    }
    let meanings = meanings(of: name)
    if memo.count < Self.maximumMemoCount, name.utf8.count <= 64 {
      memo.insert((name, meanings), at: place)
      place += 1
    }
    return meanings
  }

  /// Assigns known members to a restaurant's missing keys, and removes them from the fields.
  func move(_ known: [Known], from fields: inout JSONFields, to restaurant: inout Restaurant) {
    let candidates = known.indices.filter {
      !Self.keys.contains(known[$0].meaning.field) && !known[$0].meaning.isHouseNumber
    }
    .sorted { (known[$0].meaning.rank, $0) < (known[$1].meaning.rank, $1) }
    var hasStreet = false
    for position in candidates where restaurant[known[position].meaning.field] == nil {
      let member = known[position]
      // the member with the position is no longer there
      if let pointColumn, Self.key(member.name) == pointColumn, fields.value(member.name) == nil {
        continue
      }
      let (field, reading) = (Self.field(of: member), Self.reading(of: member))
      guard let result = reading.read(member.value), restaurant.assign(result.value, to: field)
      else {
        if let misfit, !reading.isSilent(on: member.value) {
          misfit(field, member.path, member.value)
        }
        continue
      }
      trace?(field, member.path, member.value)
      if result.isWhole { fields.take(member) }
      hasStreet = hasStreet || member.meaning.isStreet
      if let scale = result.scale, restaurant.ratingScale == nil { restaurant.ratingScale = scale }
    }
    if hasStreet { Self.addHouseNumber(known, from: &fields, to: &restaurant) }
  }

  /// Adds a house number to its street, in the order of the country.
  private static func addHouseNumber(
    _ known: [Known],
    from fields: inout JSONFields,
    to restaurant: inout Restaurant
  ) {
    guard let member = known.first(where: \.meaning.isHouseNumber),
      let number = member.value.asText?.trimmed, !number.isEmpty, number.utf8.count <= 16,
      number.utf8.contains(where: \.isDigit),
      let street = restaurant.address.street, !hasHouseNumber(street)
    else { return }
    restaurant.address.street = restaurant.street(street, number: number)
    fields.take(member)
  }

  /// The keys that records must have, which are read separately.
  static let keys: [RestaurantField] = [.id, .name, .latitude, .longitude]

  /// The key to which a member is assigned: a list of pictures is not assigned to the first one
  /// alone.
  private static func field(of member: Known) -> RestaurantField {
    let field = member.meaning.field
    guard field == .imageURL, let elements = FieldReading.elements(member.value),
      elements.count > 1
    else { return field }
    return .images
  }

  private static func reading(of member: Known) -> FieldReading {
    switch field(of: member) {
    case .postalCode where Self.shortCodes.contains(key(member.name)): .postalCode
    case .country where key(member.name) == "land": .letters
    case .category: .list(of: nil)
    case .countryCode: .letters
    case .imageURL, .website: .link
    case .images: .links(of: "url")
    case .chain: .title
    case .description: member.meaning.rank < 0 ? .text : .prose
    case .rating: .rating
    case .ratingScale: .number
    case .reviewCount: .count
    case .priceLevel: .price
    case .formattedAddress: .lines
    case .hours: .hours
    case .closed:
      switch key(member.name) {
      case "isopen": .no
      case "businessstatus", "operatingstatus": .gone
      case "dateclosed", "closedon": .past
      default: .yes
      }
    default: .text
    }
  }

  /// The names of each key, the preferred ones first: in English, then in German, French, Spanish,
  /// Italian, Portuguese and Dutch.
  ///
  /// A name in several lists means the first key.
  private static let names = """
    id: id uid storeid placeid placekey storenumber camis businessid facilityid restaurantid locationid fhrsid
      @id fullid osmid objectid id$oid ref kennung identifiant identificador identificativo
    name: name title dba dbaname restaurantname storename facilityname businessname applicant restaurant
      establishmentname establishment placename venuename locationname tradename tradingname tradingas
      doingbusinessas companyname shopname outletname akaname nom nombre bezeichnung restaurantname gaststätte
      lokal betrieb nomrestaurant nomdurestaurant dénomination nombrerestaurante nombredelrestaurante rótulo
      denominación nome nomeristorante denominazione insegna nomerestaurante nomedorestaurante denominação
      naam restaurantnaam bedrijfsnaam displayname nameen hotelname venue libelle nombrecomercial titolo jmeno
      名稱 名称 店名 이름 상호명
    category: category amenity cuisine type categories cuisinedescription cuisines primarycuisine cuisinetype
      primarycategory categoryname businesstype facilitytype küche küchenart kategorie typ catégorie
      typedecuisine cocina tipodecocina categoría tipo cucina tipodicucina categoria cozinha tipodecozinha
      keuken soortkeuken categorie brewerytype foodtype storetype types fclass kind
    latitude: latitude lat y ylat pointy locationlat locationlatitude addresslat addresslatitude
      businesslatitude storelatitude geolat gpslat gpslatitude coordinateslatitude coordinateslat
      geometrylocationlat geocodelatitude geocodedlatitude latitud breitengrad @lat geoloclat coordslat
      centerlat latitude$numberdouble lat$numberdouble breite latitudine breedtegraad geobreite
      geografischebreite latitudegps gradnord decimallatitude restaurantlatitude venuelatitude storelat loclat
      latwgs84 wgs84lat ycoord coordy 緯度 纬度 위도
    longitude: longitude lon lng long x xlon pointx locationlng locationlon locationlong locationlongitude
      addresslng addresslon addresslongitude businesslongitude storelongitude geolon geolng gpslon gpslng
      gpslongitude coordinateslongitude coordinateslng coordinateslon geometrylocationlng geocodelongitude
      geocodedlongitude longitud langengrad längengrad @lon geoloclng geoloclon coordslng coordslon centerlng
      centerlon longitude$numberdouble lng$numberdouble lon$numberdouble laenge länge longitudine lengtegraad
      geolänge geografischelänge längengrade longitudegps decimallongitude restaurantlongitude venuelongitude
      storelon storelng loclon loclng lonwgs84 wgs84lon xcoord coordx 經度 经度 경도
    address: address street addr streetaddress addrstreetaddress address1 addrstreet streetname addressline1
      addressline businessaddress locationaddress storeaddress restaurantaddress facilityaddress addressstreet
      street1 situsaddress adresse direccion dirección indirizzo anschrift strasse straße rue calle domicilio
      via endereço morada logradouro rua adres straat straatnaam strassenname straßenname streetaddressline1
      addressname roadaddressname streetnr strassenr addressshort
    crossStreet: crossstreet querstrasse ruetransversale callecruzada traversa ruatransversal dwarsstraat
    city: city locality town addrcity businesscity locationcity addresscity storecity facilitycity boro
      borough municipality posttown ville ciudad stadt comune ort ortschaft gemeinde commune localité
      localidad municipio población città località cidade localidade município plaats gemeente woonplaats
    state: state region province stateprovince addrstate businessstate locationstate addressstate statecode
      bundesland kanton département région estado provincia comunidadautónoma regione stato distrito província
      provincie
    postalCode: postalcode postcode zip zipcode addrpostcode businesspostalcode locationzip locationzipcode
      addresszip addresszipcode addresspostalcode storezip facilityzip zippostalcode pincode plz codepostal
      postleitzahl codigopostal codicepostale codicediavviamentopostale cp cap cep postal
    countryCode: countrycode isocountrycode cc iso2 addrcountry ländercode länderkürzel landeskürzel codepays
      códigopaís codicepaese landcode
    country: country countryname addresscountry land staat pays país paese
    formattedAddress: formattedaddress fulladdress displayaddress addrfull vollständigeadresse adressecomplète
      direccióncompleta indirizzocompleto endereçocompleto volledigadres
    phone: phone phonenumber tel telephone telephonenumber businessphonenumber businessphone contactphone
      contactnumber phoneno addrphone storephone telefon telefono téléphone telefonnummer rufnummer telefonnr
      numérodetéléphone teléfono numerodetelefono numeroditelefono telefone telefoon telefoonnummer fon mobile
      contactmobile
    formattedPhone: formattedphone displayphone
    twitter: twitter twitterhandle
    facebook: facebook
    facebookUsername: facebookusername
    facebookName: facebookname
    chain: chain chainname brand brandname brands kette marke chaîne enseigne cadena marca catena cadeia rede
      keten merk
    description: description descriptiontext shortdescription longdescription desc about summary
      editorialsummarytext beschreibung descriptif descripción descrizione descrição beschrijving omschrijving
      previewdescription
    images: images imageurls photos photourls pictures gallery bilder fotos imágenes imagens immagini
      afbeeldingen
    imageURL: imageurl image photourl photo featuredimage thumbnail bild foto imagen imagem immagine
      afbeelding
    website: website websiteurl url web contactwebsite homepage webaddress siteweb webseite webadresse
      internet internetseite site siteinternet sitioweb páginaweb sitoweb sito paginainternet webpagina
      webstek weburl officialwebsite websites link detailurl detailsurl placeurl pageurl
    rating: rating stars aggregaterating averagerating avgrating overallrating googlerating userrating
      bewertung note noteglobale notemoyenne valoración puntuación calificación valutazione punteggio voto
      avaliação classificação pontuação nota beoordeling waardering reviewscore ratingscore
    ratingScale: ratingscale bewertungsskala
    reviewCount: reviewcount votes reviews reviewscount totalreviewscount numberofreviews numreviews
      totalreviews ratingcount ratingscount numberofratings userratingstotal userratingcount anzahlbewertungen
      bewertungen anzahlderbewertungen nombredavis nbavis avis númerodereseñas reseñas númerodeopiniones
      opiniones numerorecensioni recensioni númerodeavaliações avaliações aantalbeoordelingen aantalreviews
      beoordelingen nrratings votecount
    priceLevel: pricelevel price pricerange pricecategory pricetier preis preisniveau preisklasse
      preiskategorie prix gammedeprix niveaudeprix precio niveldeprecio rangodeprecios prezzo fasciadiprezzo
      livelloprezzo preço faixadepreço níveldepreço prijs prijsklasse prijsniveau
    hours: hours openinghours businesshours dayshours hoursofoperation operatinghours openhours workinghours
      öffnungszeiten horaires heuresdouverture horairesdouverture horario horarios horariodeapertura orari
      orario oraridiapertura orariodiapertura horáriodefuncionamento openingstijden openingsuren
    closed: closed permanentlyclosed isclosed isopen businessstatus operatingstatus dateclosed closedon
      dauerhaftgeschlossen geschlossen fermé ferméedéfinitivement cerrado cerradopermanentemente chiuso
      chiusodefinitivamente fechado fechadopermanentemente gesloten permanentgesloten
    """

  private static let houseNumbers =
    "addrhousenumber housenumber housenum houseno streetnumber streetno building buildingnumber "
    + "hausnummer hausnr numérovoie numérocivico civico númerodepuerta huisnummer"

  /// The meanings by bare name.
  static let common: [UTF8Key: Meaning] = {
    var common: [UTF8Key: Meaning] = [:]
    var (field, rank) = (RestaurantField.id, 0)
    for word in words(names) {
      if let found = RestaurantField(rawValue: String(word.dropLast())), word.hasSuffix(":") {
        (field, rank) = (found, 0)
        continue
      }
      let key = UTF8Key(bareName(word))
      if common[key] == nil {
        common[key] = Meaning(field: field, rank: rank, isStreet: streets.contains(key))
      }
      rank += 1
    }
    for (rank, name) in words(houseNumbers).enumerated() {
      common[UTF8Key(bareName(name))] = Meaning(field: .address, rank: rank, isHouseNumber: true)
    }
    return common
  }()

  /// Members that hold a whole position, by bare name.
  static let points = keys(
    """
    wkt geom geometry thegeom shape point geopoint geopoint2d latlong latlng latlon georeference geolocation
    geocodedcolumn geocodedlocation newgeoreferencedcolumn geoloc wkbgeometry wkb geog wkbgeom hexewkb ewkb
    """
  )

  /// Members that hold a position in some feeds, and something else in others.
  static let possiblePoints = keys(
    """
    loc location location1 coordinates geometrycoordinates coordinate coords position center gps gpscoordinates
    koordinaten coordonnees coordenadas coordinate coordinaten ubicacion posizione standort
    """
  )

  /// Members whose text is a street without a number.
  static let streets = keys(
    """
    street addrstreet streetname addressstreet street1 strasse straße strassenname straßenname rue calle via
    rua straat straatnaam
    """
  )

  /// Members that are objects with the parts of an address.
  private static let addresses = keys(
    """
    address addr addresses location postaladdress adresse anschrift direccion indirizzo endereco adres contact
    """
  )
  private static let partsOfAddress: [RestaurantField] = [
    .address, .crossStreet, .city, .state, .postalCode, .countryCode, .country, .formattedAddress,
    .phone, .website,
  ]

  /// Names of postal codes that may be other words.
  static let shortCodes = keys("cp cap cep")

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map(String.init)
  }

  static func keys(_ text: String) -> Set<UTF8Key> {
    Set(words(text).map { UTF8Key(bareName($0)) })
  }
}

extension [FieldAliases.Known] {
  /// The member for a key; if there are several, the first of its list.
  func first(for field: RestaurantField) -> Element? {
    var best: Int?
    for position in indices where self[position].meaning.field == field {
      let meaning = self[position].meaning
      if meaning.isHouseNumber { continue }
      // the key of an object is one of its inner members: `{"$oid": "5a"}`
      if case .object = self[position].value, [.id, .latitude, .longitude].contains(field) {
        continue
      }
      if best.map({ meaning.rank < self[$0].meaning.rank }) ?? true { best = position }
    }
    return best.map { self[$0] }
  }
}

extension JSONFields {
  /// Takes a member, or only one of its inner members.
  mutating func take(_ known: FieldAliases.Known) {
    if let inner = known.inner { remove([known.name, inner]) } else { _ = take(known.name) }
  }
}

/// A name in lower case without accents, blanks and separators between its words.
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
  // Küche and Kuche are one name
  return String(
    String.UnicodeScalarView(folded(name).unicodeScalars.filter { !marks.contains($0) })
  )
}
