import GeoIndex
import GeoQuery
import Testing

@testable import GeoService

/// Where the list of the lunch page starts: the operator's first place, or what people type.
struct PagePlaceTests {
  private static let places = [
    ("basil", "Basil & Lime", "13200 Montfort Dr", "Addison", "75001", 32.93, -96.82),
    ("chuys-1", "Chuy’s", "1 Belt Line Rd", "Addison", "75001", 32.95, -96.83),
    ("chuys-2", "Chuy’s", "9 Main St", "Dallas", "75202", 32.78, -96.80),
    ("star", "Thai Star", "5 Elm St", "Dallas", "75202", 32.79, -96.81),
  ]

  private func service(_ named: [String] = []) throws -> SampleService {
    let restaurants = try Self.places.map { id, name, street, city, code, latitude, longitude in
      let point = try #require(Coordinate(latitude: latitude, longitude: longitude))
      var place = Restaurant(id: id, name: name, coordinate: point, source: "s")
      place.address.street = street
      place.address.city = city
      place.address.postalCode = code
      return place
    }
    var settings = ServiceSettings.sample
    for (index, name) in named.enumerated() {
      let point = try #require(Coordinate(latitude: 32.79 + Double(index) / 10, longitude: -96.81))
      settings.places.append(NamedPlace(name: name, coordinate: point))
    }
    return try SampleService(restaurants, settings: settings)
  }

  private func names(_ page: String) -> [String] {
    page.matches(of: /<h2><bdi>([^<]*)<\/bdi><\/h2>/).map { String($0.1) }
  }

  @Test(arguments: [
    ("basil", "Basil &amp; Lime", "Basil &amp; Lime"),
    ("montfort", "Basil &amp; Lime", "Basil &amp; Lime"),
    ("Basil & Lime", "Basil &amp; Lime", "Basil &amp; Lime"), ("5 elm", "Thai Star", "Thai Star"),
    ("THAI STAR", "Thai Star", "Thai Star"), ("star", "Thai Star", "Thai Star"),
    ("75001", "75001", "Chuy’s"), ("dallas", "dallas", "Thai Star"),
    ("32.93,-96.82", "32.93,-96.82", "Basil &amp; Lime"),
    ("32.93 -96.82", "32.93 -96.82", "Basil &amp; Lime"),
    ("N 32°55.8′, W 96°49.2′", "N 32°55.8′, W 96°49.2′", "Basil &amp; Lime"),
    ("https://www.openstreetmap.org/#map=17/32.93/-96.82", "the map’s place", "Basil &amp; Lime"),
  ])
  func `a typed place is found by name, address, city, postal code or position`(
    text: String,
    label: String,
    nearest: String
  ) throws {
    let page = try service().get("/app/?at=\(PercentCoding.encoded(text))").text
    #expect(!page.contains("notice fault"))
    #expect(page.contains("from <bdi>\(label)</bdi>"), "\(text)")
    #expect(names(page).first == nearest)
  }

  @Test
  func `a text that several restaurants match is a choice, and one that none matches a sentence`()
    throws
  {
    let page = try service().get("/app/?at=chuys").text
    #expect(page.contains("Which one?") && names(page).count == 4)
    for id in ["chuys-1", "chuys-2"] { #expect(page.contains("/app/?at=\(id)\"")) }
    #expect(page.contains("<bdi>Chuy’s, 1 Belt Line Rd</bdi>"))
    let none = try service().get("/app/?at=zzzz").text
    #expect(none.contains("is not a place here") && names(none).count == 4)
    #expect(try service().get("/app/?sortby=distance").text.contains("needs a place"))
  }

  @Test func `the first place of the operator is the start, and the others are offered`() throws {
    let service = try service(["Office", "Galleria"])
    let page = service.get("/app/").text
    #expect(page.contains("from <bdi>Office</bdi>"))
    #expect(names(page).first == "Thai Star")
    #expect(page.contains("/app/?at=Galleria\">from <bdi>Galleria</bdi>"))
    #expect(page.contains(" min walk</span>"))
    let other = service.get("/app/?at=Galleria").text
    #expect(other.contains("/app/?at=Office\">from <bdi>Office</bdi>"))
    // who meets says where
    #expect(service.get("/app/meet").text.contains("Say where two or more of you are"))
  }

  @Test(arguments: [
    ("tahi", "Thai"), ("bsil", "Basil"), ("thia sttar", "Thai star"), ("zzzz", nil), ("thai", nil),
  ])
  func `a search without results offers a similar one that has some`(
    text: String,
    meant: String?
  )
    throws
  {
    let page = try service().get("/app/?q=\(PercentCoding.encoded(text))").text
    guard let meant else { return #expect(!page.contains("Did you mean")) }
    let query = PercentCoding.encoded(meant.lowercased())
    #expect(
      page.contains(
        "Did you mean <a href=\"http://localhost/app/?q=\(query)\"><bdi>\(meant)</bdi></a>?"
      )
    )
  }
}
