import ArgumentParser

/// `geoq help TOPIC`: what belongs to no single command.
enum HelpTopic: String, CaseIterable {
  case formats
  case filters
  case coordinates
  case environment
  case exitCodes = "exit-codes"

  /// The topic that a command line asks for; nil where it asks for none.
  ///
  /// - Throws: `ValidationError` for a word that is neither topic nor command.
  init?(_ arguments: [String]) throws {
    guard arguments.count >= 2, arguments[0] == "help", !arguments[1].hasPrefix("-") else {
      return nil
    }
    if let topic = HelpTopic(rawValue: arguments[1]) {
      self = topic
      return
    }
    let names = CommandLineRun.commandNames
    if names.contains(arguments[1]) { return nil }
    let topics = Self.allCases.map(\.rawValue)
    let hint = closest(to: arguments[1], among: names + topics).map { "; did you mean \"\($0)\"?" }
    throw ValidationError(
      "no help on \"\(terminalSafe(arguments[1]))\"\(hint ?? "; topics are \(topics.joined(separator: ", "))")"
    )
  }

  /// The page.
  var text: String {
    switch self {
    case .formats: Self.formatsPage
    case .filters: Self.filtersPage
    case .coordinates: Self.coordinatesPage
    case .environment: Self.environmentPage
    case .exitCodes: Self.exitCodesPage
    }
  }

  private static let formatsPage = """
    FORMATS (-f, or the ending of -o)

      table       fitted to the terminal; the default on one
      tsv         header line, tab-separated; \\t \\n \\r \\\\ stand for the
                  characters; the default in a pipe
      csv         RFC 4180 with a header line; texts that a spreadsheet would run
                  begin with ', unless --raw is given
      json        {"schema":"geoq.matches/1","count":n,"items":[…]}; --explain adds
                  "explain":{…} before the items; cover and meet have schemas
                  of their own
      jsonl       the items of json, one a line
      geojson     RFC 7946 FeatureCollection, with bbox; the default of export
      geojsonseq  RFC 8142: each Feature after 0x1E, for streams
      ids         one id a line; -0 ends them with NUL
      count       one number

    --columns name,rating,distance chooses the keys of table, tsv, csv, json and
    jsonl. A table shows what the query filters and sorts by, rating and price if
    any restaurant has them, and the id if there is room.

    Endings of -o: .geojson; .geojsonseq .geojsons .geojsonl; .json;
    .jsonl .ndjson; .csv; .tsv. Each may be followed by .gz: the file is then
    compressed. Without one of these -f decides, else export writes geojson and
    the other commands tsv.

    .pmtiles, of export only: map tiles with exact counts as one PMTiles 3 file;
    --min-zoom and --max-zoom choose the zooms. It has no -f.

    Keys are the same everywhere: id, name, category, chain, latitude, longitude,
    distance (meters, only if the query has a center), address, crossStreet,
    city, state, postalCode, countryCode, country, formattedAddress, phone,
    formattedPhone, twitter, facebook, facebookUsername, facebookName,
    description, imageURL, images (if there are several, imageURL first),
    website, rating, ratingScale, reviewCount, priceLevel, hours, closed, source,
    sourceID, extra. What a feed does not say is left out.

    FEEDS (import -i, else recognized by content; any of them packed with gzip)

      zomato               API v2: {"restaurants":[{"restaurant":{…}}]}
      bottlerocket         {"restaurants":[{"name","location":{"lat","lng"}}]}
      bottlerocket-stores  {"stores":[{"storeID","latitude","longitude"}]}
      retailer-stores      {"stores":[{"retailer_id",…}]}: names and chains come
                           from retailers, imported before or in the feed
      retailers            {"retailers":[{"id","name"}]}: chains
      offers               {"offers":[{"id","name","amount","retailers":[…],
                           "restaurants":[…],"restaurant_categories":[…]}]}
      foursquare           API v2: response.venues, .venue, .groups[].items[]
      foursquare-places    Places API, v3 and 2025: results with fsq_id or
                           fsq_place_id
      fsq-os               FSQ OS Places, CSV or JSON lines
      overture             Overture places, GeoJSON or one Feature a line; in
                           CSV as csv
      overpass             Overpass [out:json]; "out center;" gives ways a
                           position
      osm                  OpenStreetMap as GeoJSON (osmtogeojson, overpass
                           turbo)
      yelp                 Yelp Open Dataset, JSON lines
      yelp-fusion          {"businesses":[…]}
      google               Places API (New): {"places":[…]}
      google-legacy        {"results":[…]} or {"result":{…}} with place_id
      schema-org           JSON-LD: one node, a list, or @graph
      geojson              FeatureCollection or Feature, Points with a name
      geojsonseq           one Feature after another (RFC 8142, or one a line)
      jsonl                JSON objects, one a line or in an array, also of
                           Socrata; the names of csv, location.lat for a member
                           of a member
      csv, tsv             RFC 4180 with a header line; cells separated by
                           , ; | or tabs

    Columns, members and properties are known by these names and more, without
    regard to case, blanks and the marks _ - / . :

      latitude    latitude, lat, y, location_lat    id     id, uid, store_id
      longitude   longitude, lon, lng, long, x      phone  phone, tel, telephone
      or a point  wkt, geom, location: POINT(-96.8 32.9), (32.9, -96.8)
      name        name, title, dba, restaurant, store_name, facility_name
      category    category, amenity, cuisine, type, cuisines, facility_type
      address     address, street, addr, street_address, with house_number
      city        city, locality, town, borough     state  state, region, province
      postalCode  postal_code, postcode, zip        hours  hours, opening_hours
      website     website, url, web                 imageURL  image_url, image
      chain       chain, brand, chain_name          images    images, photos
      description description, summary, about
      rating      rating, stars, aggregate_rating   reviewCount  reviews, votes
      priceLevel  price_level, price, price_range: 1 to 4, $ to $$$$, € to €€€€
      closed      closed, permanently_closed, is_closed, is_open,
                  business_status, operating_status, date_closed

    Options of import for other tables:

      --col KEY=COLUMN    a column for any key, also point; one column may serve
                          for several; --name-col, --lat-col and the like are
                          short for it
      --header a,b,c      names for a table without a header line
      --no-header         columns by number: --name-col 2 --lat-col 5 --lon-col 6
      --delimiter C       another character between cells, or tab
      --encoding NAME     windows-1252 or iso-8859-1; else UTF-8
      --rating-scale N    the best rating, if the feed does not say it
      --allow-null-island accepts 0,0, which else means no position

    Between semicolons, tabs and pipes, 48,2 is 48.2. A price is a level from 1
    to 4, a rating keeps its scale, closed means for good. A rating off its scale,
    a website that is not http or https, and what has no key, is kept in extra.
    Archives, spreadsheets, Parquet, YAML, KML, GPX, shapefiles, FlatGeobuf and
    SQLite are not read; the message has the command that converts them.

    """

  private static let filtersPage = """
    FILTERS

    On nearest, radius, bbox, search, list and export; what matches all of them counts, inside the search:
    the ten nearest Thai are ten Thai. Case and accents never matter.

      --text TEXT        every word begins a word of name, category, street or city; apostrophes are
                         dropped: glorias finds Gloria's
      --category NAME    the whole category, or one of a list (Thai, Bars) or a path (Dining > Thai);
                         repeat for any of several
      --where 'FIELD OP VALUE'  join several by and, or repeat the option; quote it, because the
                         shell interprets < and >; a value with the word and stands between
                         quotes, single or double: "name = 'Salt and Pepper'"

      fields             name, category, chain, address, crossStreet, city, state, postalCode, countryCode,
                         country, phone, website, source
                         rating, ratingScale, reviewCount, priceLevel, latitude, longitude
                         open, closed: true or false, for good
                         description; extra.NAME, a member that has no key of its own,
                         extra.NAME.NAME a member of it: names as the feed has them, with odd
                         characters between quotes: "extra.'opening hours' ~ late"
      operators          = != < <= > >=   and ~ for texts: contains

      --where 'city = Dallas and rating >= 4.5'  --where 'priceLevel<=2'  --where 'name ~ grill'
      --where 'open = true'  --where 'extra.outdoor_seating = yes'

    What a restaurant lacks never fits, not even !=. A rating is compared as the feed has it.
    Members of extra are compared as they are: a number with numbers and with texts that are
    numbers, a text with texts, true or yes and false or no also with true and false. Between
    quotes a value is a text: '75'. A list fits if one of its elements does, and != if none is equal.

    ORDER AND PAGES

      --sort KEY         distance, name, rating, priceLevel, reviewCount, category, city or chain; then
                         by id; restaurants without it come last. distance needs a point; a rating
                         counts as a share of its scale (of 5 if the feed has none)
      --sort -KEY        the largest first, as --desc
      --limit N          at most so many; the cursor of the next page is on standard error, and in
                         json as next. Without it a table on a terminal ends after 100 restaurants
                         of list, search, radius and bbox
      --cursor CURSOR    the next page of the same command. If an import comes between two pages, a
                         restaurant that is in both generations with the same key is on exactly one

    WANTS (geoq cover)

      --want Thai                a category, also category:Thai; any text without one of = < > ~
      --want 'text:craft beer'   words, as --text
      --want 'rating >= 4'       a condition, or several joined by and, as --where
      --want offer:7533          an offer, by its id

    COUNTS

      --facets FIELD     counts the restaurants by a field instead of listing them, as table, tsv, csv
                         or json; the fields are category, city, state, countryCode and the like

    """

  private static let coordinatesPage = """
    COORDINATES

      --at LAT,LON      degrees on WGS84: --at 32.95,-96.82   --at -33.8,151.2   --at geo:32.95,-96.82
                        a blank or a tab may stand for the comma: --at '32.95 -96.82'
      --bbox W,S,E,N    longitude first: --bbox -96.9,32.9,-96.8,33.0
                        west > east crosses the antimeridian: --bbox 170,-20,-170,-10
      GeoJSON           longitude first, as RFC 7946 has it

    Distances are metres along the WGS84 ellipsoid. --max and --radius take a number of metres, or
    one with a unit: 500, 500m, 1.5km, 2mi, 300ft. Boundaries count as inside.

    MANY POINTS

      --at -            one point a line from standard input, or what --at-file reads
      --at-file FILE    the points of CSV with a header line that names latitude and longitude, of
                        GeoJSON, or one a line
      --id-col COLUMN   the column that names the points

    Points are answered in the order of the input. Rows of tsv, csv and table begin with the line
    (or the id) and the file's own columns; one called like a key of the answer becomes point_NAME.
    So do the properties of geojson and geojsonseq. jsonl has one object a point,
    {"line":3,"point":{…},"items":[…]}, and json a list of them; count is one number a point.
    A bad point is named on standard error, the others are answered, and the exit code is 65.
    Blank lines and # comments are skipped.

    """

  private static let environmentPage = """
    ENVIRONMENT

      GEOQ_DB         the database where --db is not given; without both it is geoq.db
      NO_COLOR        no colour, whatever its value
      CLICOLOR_FORCE  colour even into a pipe
      COLUMNS         the width of a table where the terminal does not tell

    """

  private static let exitCodesPage = """
    EXIT CODES

      0    done, also when nothing was found or the reader of a pipe has gone
      1    failed without a code of its own
      4    -e was given and nothing was found
      64   the command line is wrong
      65   bad data: a feed, a line of a batch, a file that is not geoq's, is newer or damaged
      66   the feed's file is missing
      69   the database cannot be opened, or the address cannot be fetched
      73   the output cannot be created
      74   reading or writing failed, the disk is full
      75   another import is running; try again
      77   not permitted
      128+n  ended by signal n

    """
}
