import GeoIndex
import GeoQuery
import TestSupport
import Testing

@testable import GeoFeed

/// Positions in one value, the meaning of columns, and points of a join.
struct PointTests {
  // written with shapely 2: wkb.dumps(Point(13.4, 52.5), hex=True), with srid=4326, big-endian, with Z
  @Test(
    arguments: [
      "0101000000CDCCCCCCCCCC2A400000000000404A40",
      "0101000020E6100000CDCCCCCCCCCC2A400000000000404A40",
      "0020000001000010E6402ACCCCCCCCCCCD404A400000000000",
      "01010000A0E6100000CDCCCCCCCCCC2A400000000000404A400000000000002440",
      "01E9030000CDCCCCCCCCCC2A400000000000404A400000000000002440",
      "\\x0101000000cdcccccccccc2a400000000000404a40",
      "0104000000010000000101000000CDCCCCCCCCCC2A400000000000404A40",
    ]
  )
  func `point – well-known binary in hexadecimal digits – is read`(text: String) throws {
    for name in ["geom", "wkb_geometry", "geometry"] {
      let feed = try Feeds.read("name,\(name),x1\nA,\(text),1\n")
      #expect(feed.places == ["A 52.5 13.4"])
    }
  }

  @Test func `point – well-known binary of another system or kind – is rejected`() throws {
    let texts = [
      "0101000020110F0000CDCCCCCCCCCC2A400000000000404A40",
      "010200000002000000CDCCCCCCCCCC2A400000000000404A40CDCCCCCCCCCC2A400000000000404A40",
      "010400000002000000CDCCCCCCCCCC2A400000000000404A40",
      "0101000000000000000000F87F000000000000F87F",
    ]
    let feed = try Feeds.read(
      "name,geom\n" + texts.map { "A,\($0)\n" }.joined() + "B,POINT (1 2)\n"
    )
    #expect(feed.places == ["B 2.0 1.0"])
    #expect(
      feed.rejected.map(\.problem) == [
        "the point has the SRID 3857, not WGS84 degrees (SRID 4326)", "the geometry is not a point",
        "the geometry is not one point", "the point is empty",
      ]
    )
  }

  @Test(
    arguments: [
      #"{"a1":{"name":"A","lat":1,"lon":2},"b2":{"name":"B","lat":1,"lon":3}}"#,
      #"{"places":{"a1":{"name":"A","lat":1,"lng":2},"b2":{"name":"B","lat":1,"lng":3}}}"#,
      #"{"a1":{"name":"A","location":{"lat":1,"lng":2}},"b2":{"name":"B","location":{"lat":1,"lng":3}}}"#,
      #"{"a1":{"name":"A"},"b2":{"name":"B","lat":1,"lon":3},"c3":{"name":"A","lat":1,"lon":2}}"#,
    ]
  )
  func `records – objects keyed by their ids – are read with these`(text: String) throws {
    let feed = try Feeds.read(text)
    let found = Set(feed.restaurants.map { "\($0.name) \($0.coordinate.longitude) \($0.id.count)" })
    #expect(found == ["A 2.0 2", "B 3.0 2"])
  }

  @Test(
    arguments: [
      // only the other order is possible for all
      ("name,location\nA,\"-96.8, 32.9\"\nB,\"-97.5, 33\"\n", "A 32.9 -96.8, B 33.0 -97.5", true),
      (#"[{"name":"A","coordinates":[32.9,-96.8]}]"#, "A 32.9 -96.8", true),
      (#"[{"name":"A","location":[-96.8,32.9]},{"name":"B"}]"#, "A 32.9 -96.8", true),
      // both are possible for one
      ("name,location\nA,\"13.4, 52.5\"\nB,\"-97.5, 33\"\n", "A 13.4 52.5", false),
      (#"[{"name":"A","coordinates":[13.4,52.5]}]"#, "A 52.5 13.4", false),
      ("name,coordinates\nA,\"52.5, 13.4\"\n", "A 52.5 13.4", false),
      ("name,coordinates\nA,\"[13.4, 52.5]\"\n", "A 52.5 13.4", false),
    ]
  )
  func `two numbers – latitude first but for GeoJSON's names – in the only possible order`(
    text: String,
    expected: String,
    isTold: Bool
  ) throws {
    var stream = try FeedReader(source: "x").stream(MemoryBytes(Array(text.utf8)))
    #expect((stream.notice?.contains("positions are read as") == true) == isTold)
    var found: [String] = []
    while let entry = try stream.next() {
      if case .accepted(let record) = entry {
        let place = record.restaurant.coordinate
        found.append("\(record.restaurant.name) \(place.latitude) \(place.longitude)")
      }
    }
    #expect(found.joined(separator: ", ") == expected)
  }

  @Test func `two numbers – an order chosen by the user – have that order`() throws {
    var reader = FeedReader(source: "x")
    reader.pairOrder = .longitudeFirst
    let feed = try reader.read(Array("name,location\nA,\"13.4, 52.5\"\n".utf8))
    #expect(feed.places == ["A 52.5 13.4"])
    reader.pairOrder = .latitudeFirst
    let list = try reader.read(Array(#"[{"name":"A","coordinates":[13.4,52.5]}]"#.utf8))
    #expect(list.places == ["A 13.4 52.5"])
    let wkt = try reader.read(Array("name,wkt\nA,POINT (13.4 52.5)\n".utf8))
    #expect(wkt.places == ["A 52.5 13.4"])
  }

  @Test(
    arguments: [
      "Restaurant;Küche;Straße;Hausnummer;PLZ;Ort;Bundesland;Land;Breitengrad;Längengrad;Telefon;Webseite;"
        + "Beschreibung;Bewertung;Anzahl Bewertungen;Preisklasse;Öffnungszeiten;Kette",
      "Nom;Type de cuisine;Rue;Numéro voie;Code postal;Commune;Région;Pays;Latitude;Longitude;Téléphone;"
        + "Site internet;Description;Note;Nombre d'avis;Gamme de prix;Horaires;Enseigne",
      "Nombre;Cocina;Calle;Número de puerta;Código postal;Ciudad;Provincia;País;Latitud;Longitud;Teléfono;"
        + "Sitio web;Descripción;Valoración;Número de reseñas;Rango de precios;Horario;Cadena",
      "Nome;Cucina;Via;Numero civico;CAP;Comune;Regione;Paese;Latitudine;Longitudine;Telefono;Sito web;"
        + "Descrizione;Valutazione;Numero recensioni;Fascia di prezzo;Orari;Catena",
      "Nome;Cozinha;Rua;civico;Código postal;Cidade;Distrito;País;Latitude;Longitude;Telefone;Site;"
        + "Descrição;Avaliação;Número de avaliações;Faixa de preço;Horário de funcionamento;Cadeia",
      "Naam;Keuken;Straat;Huisnummer;Postcode;Plaats;Provincie;Land;Breedtegraad;Lengtegraad;Telefoon;"
        + "Webpagina;Omschrijving;Beoordeling;Aantal beoordelingen;Prijsklasse;Openingstijden;Keten",
    ]
  )
  func `columns – names in six languages – are all recognized`(header: String) throws {
    let row =
      "Alder;Grill;Lindenstr;7;10961;Essen;NRW;Italia;51.5;7.1;0201 1;https://a.example;Gut;4,3;12;2;"
      + "Mo-Su 09:00-17:00;Alders"
    let feed = try Feeds.read(header.replacing("d'avis", with: "davis") + "\n" + row + "\n")
    let found = try #require(feed.restaurants.first)
    #expect(found.extra == [])
    #expect(found.name == "Alder" && found.category == "Grill")
    #expect(found.address.street?.contains("Lindenstr") == true)
    #expect(found.address.street?.contains("7") == true)
    #expect(found.address.postalCode == "10961" && found.address.city == "Essen")
    #expect(found.address.state == "NRW" && found.address.country == "Italia")
    #expect(found.coordinate == .at(51.5, 7.1))
    #expect(found.contact.phone == "0201 1" && found.website == "https://a.example")
    #expect(found.rating == 4.3 && found.reviewCount == 12 && found.priceLevel == 2)
    #expect(found.hours == "Mo-Su 09:00-17:00" && found.chain == "Alders")
    #expect(found.description == "Gut")
  }

  @Test func `mapping – a table – has the column and the first value of each key`() throws {
    let text =
      "Nr.;Restaurant;Breitengrad;Längengrad;Bezirk;Bewertung\n1;A;52,5;13,4;Nord;\n2;B;52;13;Süd;4,5\n"
    let mapping = try FeedReader(source: "x").stream(MemoryBytes(Array(text.utf8))).mapping
    #expect(
      mapping.entries.map { "\($0.field.rawValue) \($0.column) \($0.value)" } == [
        "name Restaurant A", "latitude Breitengrad 52.5", "longitude Längengrad 13.4",
        "rating Bewertung 4.5",
      ]
    )
    #expect(mapping.others == ["Nr.", "Bezirk"])
  }

  @Test func `mapping – JSON, GeoJSON, a named format – tells members, or nothing`() throws {
    func mapping(_ text: String) throws -> FeedMapping {
      try FeedReader(source: "x").stream(MemoryBytes(Array(text.utf8))).mapping
    }
    let json = try mapping(
      #"[{"title":"A","geo":{"lat":1,"lon":2},"address":{"street":"S"},"wifi":true,"note":"x"}]"#
    )
    #expect(
      json.entries.map { "\($0.field.rawValue) \($0.column)" } == [
        "name title", "latitude geo.lat", "longitude geo.lon", "address address.street",
      ]
    )
    #expect(json.others == ["wifi"])
    let features = try mapping(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":{"name":"A","stars":4,"q":1},"#
        + #""geometry":{"type":"Point","coordinates":[1,2]}}]}"#
    )
    #expect(
      features.entries.map { "\($0.field.rawValue) \($0.column) \($0.value)" } == [
        "id id 7", "name name A", "rating stars 4",
      ]
    )
    #expect(features.others == ["q"])
    let named = try mapping(
      #"{"businesses":[{"id":"1","name":"A","coordinates":{"latitude":1,"longitude":2}}]}"#
    )
    #expect(named.entries.isEmpty && named.others.isEmpty)
  }

  @Test(
    arguments: [
      "lat,lon\n52.5,13.4\n52,13\n", "stop;Breitengrad;Längengrad\nx;52,5;13,4\ny;52;13\n",
      "stop,coordinates\nx,\"52.5, 13.4\"\ny,\"52, 13\"\n",
      #"[{"lat":52.5,"lon":13.4},{"lat":52,"lon":13}]"#,
      "lat,lon\n52°30'N,13°24'E\n52°,13°\n", "Stops\n2026\n\nno,lat,lon\n1,52.5,13.4\n2,52,13\n",
      "wkt,n\nPOINT (13.4 52.5),1\nPOINT (13 52),2\n",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":null,"geometry":{"type":"Point","coordinates":[13.4,52.5]}},"#
        + #"{"type":"Feature","properties":{"a":1},"geometry":{"type":"MultiPoint","coordinates":[[13,52]]}}]}"#,
      "{\"lat\":52.5,\"lng\":13.4}\n{\"lat\":52,\"lng\":13}\n",
    ]
  )
  func `points – tables and JSON without names – are read like feeds`(text: String) throws {
    let table = try PointTable(MemoryBytes(Array(text.utf8)), FeedReader(source: "x"))
    let places = try table.rows.map { try $0.position.get() }
    #expect(places == [.at(52.5, 13.4), .at(52, 13)])
    #expect(table.rows.allSatisfy { $0.values.count == table.columns.count })
  }

  @Test func `points – columns – are kept as they are, bad points named`() throws {
    let text = "n;lat;lon;Bewertung\n007;52,5;13,4;4,50\n;99;1;\nx;1;2\n"
    let table = try PointTable(MemoryBytes(Array(text.utf8)), FeedReader(source: "p.csv"))
    #expect(table.columns == ["n", "lat", "lon", "Bewertung"])
    #expect(table.rows.map(\.number) == [2, 3, 4])
    #expect(table.rows[0].values == ["007", "52,5", "13,4", "4,50"].map(JSONValue.string))
    #expect(table.rows[2].values.last == .null)
    let error = #expect(throws: FeedError.self) { try table.rows[1].position.get() }
    #expect(error?.line == 3 && error?.problem.contains("latitude 99.0 is not in") == true)
    let json = try PointTable(
      MemoryBytes(Array(#"[{"lat":1,"lon":2,"a":1},{"b":[2],"lon":3,"lat":1}]"#.utf8)),
      FeedReader(source: "x")
    )
    #expect(json.columns == ["lat", "lon", "a", "b"])
    #expect(json.rows[1].values == [.number("1"), .number("3"), .null, .array([.number("2")])])
  }
}
