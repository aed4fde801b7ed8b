import Testing

/// Tables as people have them, imported by the tool.
struct TableImportTests {
  private let runner = CommandRunner()

  /// Imports a text as a file, and answers with what the tool says and with the records.
  private func take(
    _ text: String,
    _ name: String = "feed.csv",
    _ options: String = "",
    environment: [String: String] = [:]
  ) -> (error: String, records: String) {
    runner.folder.write(text, to: name)
    let words = options.split(separator: " ").map(String.init)
    let arguments = ["import", name, "--source", "s", "--allow-replace"] + words
    let result = runner.geoq(arguments, environment: environment)
    return (result.err, runner.geoq("list", "-f", "jsonl").out)
  }

  @Test(
    arguments: [
      "Restaurant Name", "Store Name", "DBA Name", "facility_name", "applicant", "restaurant",
      "BUSINESS-NAME", "city",
    ]
  )
  func `a column that holds names is known by many words`(column: String) {
    let table = take("\(column),Latitude,LNG\nYard House,32.95,-96.82\n")
    #expect(table.records.contains(#""name":"Yard House""#), "\(table.error)")
  }

  @Test func `columns are known whatever their case and separators`() {
    let table = take(
      """
      Store Name,Street Address,Phone Number,State/Province,Aggregate rating,Votes,Price range,\
      location_lat,location-lng,postal code
      Yard House,5100 Belt Line,+1 972,TX,4.5,120,3,32.95,-96.82,75254

      """
    )
    for part in [
      #""address":"5100 Belt Line""#, #""state":"TX""#, #""postalCode":"75254""#,
      #""phone":"+1 972""#, #""rating":4.5"#, #""reviewCount":120"#, #""priceLevel":3"#,
    ] {
      #expect(table.records.contains(part), "\(part) of \(table.records)")
    }
  }

  @Test func `a table without names shows its header and the option`() {
    let table = take("brand,address,lat,lon\nShell,1 Main,1,2\n")
    #expect(
      table.error.contains(
        #"no name in the header ("brand", "address", "lat", "lon"); "#
          + "give its column with --name-col"
      )
    )
    let named = take(
      "brand,address,lat,lon\nShell,1 Main,1,2\n",
      "feed.csv",
      "--name-col Address --col CATEGORY=Brand --col rating_scale=LON"
    )
    #expect(named.records.contains(#""name":"1 Main","category":"Shell""#), "\(named.error)")
    #expect(named.records.contains(#""address":"1 Main""#) && named.records.contains(#":2.0"#))
    #expect(take("a,b\n", "x.csv", "--col raiting=a").error.contains("did you mean \"rating\""))
  }

  @Test func `a table without a header is said to be one`() {
    let rows = (1...3).map { "\($0),Grill \($0),3\($0).5,-96.8,a,b,c,d,e,f,g,h,i,j" }
    let text = rows.joined(separator: "\n")
    let table = take(text)
    #expect(table.error.contains("no header line found, in a table of 14 columns"))
    #expect(table.error.contains("--header") && !table.error.contains("JSON"))
    let numbered = take(
      text,
      "feed.csv",
      "--no-header --id-col 1 --name-col 2 --lat-col 3 --lon-col 4"
    )
    #expect(numbered.records.contains(#"{"id":"1","name":"Grill 1""#), "\(numbered.error)")
    #expect(numbered.records.contains(#""column 14":"j""#))
    let few = take("7,Grill,1,2\n", "few.csv", "--header id,name,lat,lon")
    #expect(few.records.contains(#"{"id":"7","name":"Grill""#), "\(few.error)")
    let wrong = take("7,Grill,1,2\n", "few.csv", "--header id,name,lat")
    #expect(wrong.error.contains("the first line has 4 cells"))
  }

  @Test(arguments: ["|", ";", "\t", "~"])
  func `cells are separated by pipes, semicolons, tabs or what is given`(mark: String) {
    let text = "name,lat,lon,rating\nA,1,2,4.5\n".replacing(",", with: mark)
    let option = mark == "~" ? "--delimiter ~" : ""
    #expect(take(text, "feed.txt", option).records.contains(#""rating":4.5"#))
  }

  @Test func `a comma is a decimal point where semicolons separate`() {
    let table = take("Name;lat;lon;Rating;Zusatz\nMozart;48,2082;16,3738;4,5;1,5\n")
    #expect(table.records.contains(#""latitude":48.2082,"longitude":16.3738"#), "\(table.error)")
    #expect(table.records.contains(#""rating":4.5"#) && table.records.contains(#""Zusatz":"1,5""#))
  }

  @Test func `a table in Windows-1252 is read if that is said, and suggested otherwise`() {
    runner.makeFile(
      Array("name,lat,lon\nCaf".utf8) + [0xE9, 0x20, 0x80] + Array(",1,2\n".utf8),
      to: "feed.csv"
    )
    let refused = runner.geoq("import", "feed.csv")
    #expect(refused.status == 65)
    #expect(refused.err.contains("windows-1252 gives \"Café\"; use --encoding windows-1252"))
    #expect(refused.err.contains("iconv -f WINDOWS-1252 -t UTF-8 feed.csv"))
    #expect(runner.geoq("import", "feed.csv", "--encoding", "Windows-1252").status == 0)
    #expect(runner.geoq("list", "-f", "jsonl").out.contains(#""name":"Café €""#))
    #expect(runner.geoq("import", "feed.csv", "--encoding", "utf-7").err.contains("iconv -f utf-7"))
  }

  @Test(
    arguments: [
      ("%YAML 1.2\n---\na: 1\n", "YAML", "yq -o json feed > feed.json"),
      ("restaurants:\n  - name: A\n", "YAML", "yq -o json feed > feed.json"),
      (
        "<?xml version=\"1.0\"?>\n<!-- <html> -->\n<kml xmlns:gx=\"x\"><name><html></name></kml>",
        "KML", "ogr2ogr -f GeoJSON feed.geojson feed"
      ),
      (#"{"data":[{"a":1}]}"#, "JSON with its records in .data", "jq -c '.data[]' feed"),
      (
        #"{"help":"x","result":{"records":[{"lat":1}]}}"#,
        "JSON with its records in .result.records", "jq -c '.result.records[]' feed"
      ),
      ("fgb\u{3}fgb\u{0}", "FlatGeobuf", "ogr2ogr -f GeoJSON feed.geojson feed"),
      (
        "PK\u{3}\u{4}" + String(repeating: "\u{1}", count: 22) + "\u{8}\u{0}\u{0}\u{0}a/b.json",
        "a ZIP archive with a/b.json", "unzip -p feed a/b.json > b.json"
      ),
      (
        "PK\u{3}\u{4}" + String(repeating: "\u{1}", count: 22) + "\u{5}\u{0}\u{0}\u{0}a.dbf",
        "a zipped shapefile", "/vsizip/feed"
      ),
      (
        "a.json" + String(repeating: "\u{0}", count: 251) + "ustar\u{0}00", "a tar archive",
        "tar -xf feed a.json"
      ),
    ]
  )
  func `what is not a feed is named, with the line that converts it`(
    text: String,
    kind: String,
    command: String
  ) {
    // as where GDAL is not installed
    let error = take(text, "feed", environment: ["PATH": ""]).error
    #expect(error.contains("this is \(kind)") && error.contains(command), "\(error)")
  }

  @Test func `Socrata's JSON is read, as rows and as objects`() {
    let address = #"{\"address\": \"1 Main St\", \"city\": \"Hartford\"}"#
    let object =
      #"[{"dba_name":"Crab","location":{"latitude":"41.5","longitude":"-72.5","human_address":""#
      + address + #""}}]"#
    let objects = take(object, "a.json").records
    #expect(objects.contains(#""latitude":41.5,"longitude":-72.5"#), "\(objects)")
    #expect(objects.contains(#""address":"1 Main St","city":"Hartford""#), "\(objects)")
    let rows = take(
      #"{"meta":{"view":{"columns":[{"name":"sid"},{"name":"Facility Name"},{"name":"Latitude"},"#
        + #"{"name":"Longitude"}]}},"data":[["r-1","Crab House","1.5","2.5"]]}"#,
      "b.json"
    ).records
    #expect(rows.contains(#""name":"Crab House""#) && rows.contains(#""latitude":1.5"#), "\(rows)")
  }

  @Test(
    arguments: [
      ("AT", "48.2,16.3", "Baumgasse", "Baumgasse 54"),
      ("US", "48.2,16.3", "Main St", "54 Main St"),
      ("", "48.2,16.3", "Baumgasse", "Baumgasse 54"), ("", "40.7,-74", "Broadway", "54 Broadway"),
      ("", "45.7,4.8", "Rue Noire", "54 Rue Noire"), ("", "-34.6,-58.4", "Florida", "Florida 54"),
    ]
  )
  func `house numbers stand in the order of the country`(
    country: String,
    place: String,
    street: String,
    address: String
  ) {
    let table = take(
      "name,lat,lon,addr_street,addr_housenumber,addr_country\nA,\(place),\(street),54,\(country)\n"
    )
    #expect(table.records.contains("\"address\":\"\(address)\""), "\(table.records)")
  }

  @Test func `Michelin's columns and signs of currencies are read`() {
    let table = take(
      """
      Name,Address,Location,Price,Cuisine,Longitude,Latitude,PhoneNumber,Url,WebsiteUrl,Award
      Maison,"1 rue A, Paris","Paris, France",€€€€,Creative,2.3,48.8,+331,https://g.example,https://m.example,3 Stars

      """
    )
    for part in [
      #""priceLevel":4"#, #""phone":"+331""#, #""website":"https://m.example""#,
      #""Award":"3 Stars""#,
    ] {
      #expect(table.records.contains(part), "\(part) of \(table.records)")
    }
    for (signs, level) in [("££", 2), ("¥", 1), ("$$$", 3), ("₹₹₹₹", 4)] {
      let priced = take("name,lat,lon,price\nA,1,2,\(signs)\n").records
      #expect(priced.contains("\"priceLevel\":\(level)"), "\(signs)")
    }
  }

  @Test func `a rating off its scale is scaled or skipped, with a warning`() {
    let text = "name,lat,lon,rating,rating_scale\nA,1,2,8.7,\nB,1,2,-1,\nC,1,2,7,5\nD,1,2,4.1/5,\n"
    let table = take(text)
    #expect(table.records.contains(#""rating":8.7,"ratingScale":10.0"#), "\(table.records)")
    #expect(table.records.contains(#""rating":4.1,"ratingScale":5.0"#))
    #expect(table.records.contains(#""extra":{"rating":-1.0}"#))
    #expect(
      table.error.contains("rating -1.0 is not in 0...5.0; dropped (and 1 more like it)"),
      "\(table.error)"
    )
    #expect(
      table.error.contains(
        "rating 8.7 is above 5; read as out of 10, but ratings up to 5 as out of 5 "
          + "(--rating-scale sets the scale)"
      )
    )
    let scaled = take(text, "feed.csv", "--rating-scale 10")
    #expect(scaled.records.contains(#""rating":8.7,"ratingScale":10.0"#))
    #expect(!scaled.error.contains("read as out of"))
  }

  @Test func `the point 0, 0 is not a position unless that is said`() {
    let text = "name,lat,lon\nA,0,0\nB,1,2\n"
    let table = take(text)
    #expect(table.error.contains("both 0, which means no position; use --allow-null-island"))
    #expect(!table.records.contains(#""name":"A""#))
    #expect(take(text, "feed.csv", "--allow-null-island").records.contains(#""latitude":0.0"#))
    runner.geoq("import", "feed.csv", "--db", "a.db", "--allow-null-island")
    runner.geoq("export", "--db", "a.db", "-o", "a.geojson")
    let back = runner.geoq("import", "a.geojson", "--db", "b.db")
    #expect(back.err.contains("2 inserted"))
  }
}
