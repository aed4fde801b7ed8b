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
      kennung identifiant identificador identificativo
      """
    ),
    (
      .name,
      """
      name title dba dbaname restaurantname storename facilityname businessname applicant restaurant
      establishmentname establishment placename venuename locationname tradename tradingname
      tradingas doingbusinessas companyname shopname outletname akaname nom nombre
      bezeichnung restaurantname gaststätte lokal betrieb nomrestaurant nomdurestaurant
      dénomination nombrerestaurante nombredelrestaurante rótulo denominación nome nomeristorante
      denominazione insegna nomerestaurante nomedorestaurante denominação naam restaurantnaam
      bedrijfsnaam
      """
    ),
    (
      .category,
      """
      category amenity cuisine type categories cuisinedescription cuisines primarycuisine
      cuisinetype primarycategory categoryname businesstype facilitytype
      küche küchenart kategorie typ catégorie typedecuisine cocina tipodecocina categoría tipo
      cucina tipodicucina categoria cozinha tipodecozinha keuken soortkeuken categorie
      """
    ),
    (
      .latitude,
      """
      latitude lat y ylat pointy locationlat locationlatitude addresslat addresslatitude businesslatitude
      storelatitude geolat gpslat gpslatitude coordinateslatitude coordinateslat geometrylocationlat
      geocodelatitude geocodedlatitude latitud breitengrad @lat geoloclat coordslat centerlat
      latitude$numberdouble lat$numberdouble breite latitudine breedtegraad
      geobreite geografischebreite latitudegps gradnord
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
      geolänge geografischelänge längengrade longitudegps
      """
    ),
    (
      .address,
      """
      address street addr streetaddress addrstreetaddress address1 addrstreet streetname addressline1 addressline
      businessaddress locationaddress storeaddress restaurantaddress facilityaddress addressstreet street1
      situsaddress adresse direccion dirección indirizzo
      anschrift strasse straße rue calle domicilio via endereço morada logradouro rua adres straat
      straatnaam strassenname straßenname
      """
    ),
    (
      .crossStreet,
      """
      crossstreet
      querstrasse ruetransversale callecruzada traversa ruatransversal dwarsstraat
      """
    ),
    (
      .city,
      """
      city locality town addrcity businesscity locationcity addresscity storecity facilitycity boro
      borough municipality posttown ville ciudad stadt comune
      ort ortschaft gemeinde commune localité localidad municipio población città località cidade
      localidade município plaats gemeente woonplaats
      """
    ),
    (
      .state,
      """
      state region province stateprovince addrstate businessstate locationstate addressstate statecode
      bundesland kanton département région estado provincia comunidadautónoma regione stato
      distrito província provincie
      """
    ),
    (
      .postalCode,
      """
      postalcode postcode zip zipcode addrpostcode businesspostalcode locationzip locationzipcode
      addresszip addresszipcode addresspostalcode storezip facilityzip zippostalcode pincode plz codepostal
      postleitzahl codigopostal codicepostale codicediavviamentopostale cp cap cep
      """
    ),
    (
      .countryCode,
      """
      countrycode isocountrycode cc iso2 addrcountry
      ländercode länderkürzel landeskürzel codepays códigopaís codicepaese landcode
      """
    ),
    (
      .country,
      """
      country countryname addresscountry
      land staat pays país paese
      """
    ),
    (
      .formattedAddress,
      """
      formattedaddress fulladdress displayaddress addrfull
      vollständigeadresse adressecomplète direccióncompleta indirizzocompleto endereçocompleto
      volledigadres
      """
    ),
    (
      .phone,
      """
      phone phonenumber tel telephone telephonenumber businessphonenumber businessphone contactphone
      contactnumber phoneno addrphone storephone telefon telefono téléphone
      telefonnummer rufnummer telefonnr numérodetéléphone teléfono numerodetelefono
      numeroditelefono telefone telefoon telefoonnummer
      """
    ),
    (.formattedPhone, "formattedphone displayphone"), (.twitter, "twitter twitterhandle"),
    (.facebook, "facebook"), (.facebookUsername, "facebookusername"),
    (.facebookName, "facebookname"),
    (
      .chain,
      """
      chain chainname brand brandname brands
      kette marke chaîne enseigne cadena marca catena cadeia rede keten merk
      """
    ),
    (
      .description,
      """
      description descriptiontext shortdescription longdescription desc about summary
      editorialsummarytext
      beschreibung descriptif descripción descrizione descrição beschrijving omschrijving
      """
    ),
    (
      .images,
      """
      images imageurls photos photourls pictures gallery
      bilder fotos imágenes imagens immagini afbeeldingen
      """
    ),
    (
      .imageURL,
      """
      imageurl image photourl photo featuredimage thumbnail
      bild foto imagen imagem immagine afbeelding
      """
    ),
    (
      .website,
      """
      website websiteurl url web contactwebsite homepage webaddress siteweb
      webseite webadresse internet internetseite site siteinternet sitioweb páginaweb sitoweb sito
      paginainternet webpagina webstek
      """
    ),
    (
      .rating,
      """
      rating stars aggregaterating averagerating avgrating overallrating googlerating userrating
      bewertung note noteglobale notemoyenne valoración puntuación calificación valutazione
      punteggio voto avaliação classificação pontuação nota beoordeling waardering
      """
    ),
    (
      .ratingScale,
      """
      ratingscale
      bewertungsskala
      """
    ),
    (
      .reviewCount,
      """
      reviewcount votes reviews reviewscount totalreviewscount numberofreviews numreviews totalreviews ratingcount
      ratingscount numberofratings userratingstotal userratingcount
      anzahlbewertungen bewertungen anzahlderbewertungen nombredavis nbavis avis númerodereseñas
      reseñas númerodeopiniones opiniones numerorecensioni recensioni númerodeavaliações
      avaliações aantalbeoordelingen aantalreviews beoordelingen
      """
    ),
    (
      .priceLevel,
      """
      pricelevel price pricerange pricecategory pricetier
      preis preisniveau preisklasse preiskategorie prix gammedeprix niveaudeprix precio
      niveldeprecio rangodeprecios prezzo fasciadiprezzo livelloprezzo preço faixadepreço
      níveldepreço prijs prijsklasse prijsniveau
      """
    ),
    (
      .hours,
      """
      hours openinghours businesshours dayshours hoursofoperation operatinghours openhours workinghours
      öffnungszeiten horaires heuresdouverture horairesdouverture horario horarios
      horariodeapertura orari orario oraridiapertura orariodiapertura horáriodefuncionamento
      openingstijden openingsuren
      """
    ),
    (
      .closed,
      """
      closed permanentlyclosed isclosed isopen businessstatus operatingstatus dateclosed closedon
      dauerhaftgeschlossen geschlossen fermé ferméedéfinitivement cerrado cerradopermanentemente
      chiuso chiusodefinitivamente fechado fechadopermanentemente gesloten permanentgesloten
      """
    ),
  ]

  private static let houseNumbers =
    "addrhousenumber housenumber housenum houseno streetnumber streetno building buildingnumber "
    + "hausnummer hausnr numérovoie numérocivico civico númerodepuerta huisnummer"

  /// The meanings by bare name.
  static let common: [UTF8Key: Meaning] = {
    var common: [UTF8Key: Meaning] = [:]
    for (field, names) in lists {
      for (rank, name) in words(names).enumerated() {
        let key = UTF8Key(bareName(name))
        guard common[key] == nil else { continue }
        common[key] = Meaning(field: field, rank: rank, isStreet: streets.contains(key))
      }
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
    location location1 coordinates geometrycoordinates coordinate coords position center gps gpscoordinates
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

  /// Names of postal codes that may be other words.
  static let shortCodes = keys("cp cap cep")

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map(String.init)
  }

  private static func keys(_ text: String) -> Set<UTF8Key> {
    Set(words(text).map { UTF8Key(bareName($0)) })
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
