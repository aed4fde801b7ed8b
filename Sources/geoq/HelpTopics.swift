import ArgumentParser
import GeoQuery

/// `geoq help TOPIC`: pages about more than one command.
enum HelpTopic: String, CaseIterable {
  case formats
  case filters
  case coordinates
  case environment
  case exitCodes = "exit-codes"

  /// The topic that a command line asks for; `nil` if it asks for no topic.
  ///
  /// - Throws: `ValidationError` for a word that is neither a topic nor a command.
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
    let list = "topics are \(topics.joined(separator: ", "))"
    let hint = guess(at: arguments[1], among: names + topics, else: list)
    throw ValidationError("no help on \"\(terminalSafe(arguments[1]))\"; \(hint)")
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
    FORMATS (-f, or the extension of -o)

      table       fitted to the terminal; the default on one
      tsv         header line, tab-separated; \\t \\n \\r \\\\ stand for the
                  characters; the default in a pipe
      csv         RFC 4180 with a header line; values that a spreadsheet would
                  treat as a formula are prefixed with ', unless --raw is given
      json        {"schema":"geoq.matches/1","count":n,"items":[…]}; --explain adds
                  "explain":{…} before the items; --at-file, --facets, cover and
                  meet have their own schemas
      jsonl       the items of json, one per line
      geojson     RFC 7946 FeatureCollection; the default of export
      geojsonseq  RFC 8142: each Feature after 0x1E, for streams
      ids         one id per line; -0 ends them with NUL
      count       one number

    --columns name,rating,distance selects the keys of table, tsv, csv, json and
    jsonl. A table shows distance, name, category, the keys that the query filters
    and sorts by, rating and price if any restaurant has them, and address and id
    if there is room.

    File extensions for -o: .geojson; .geojsonseq .geojsons .geojsonl; .json;
    .jsonl .ndjson; .csv; .tsv. With .gz after it, the file is compressed. With
    another extension and without -f, export writes geojson and queries write
    tsv; they refuse .kml, .zip and the like.

    .pmtiles and .mbtiles, for export only: map tiles with exact counts as one
    file; --min-zoom and --max-zoom select the zooms. -f cannot be
    used with them.

    Keys are the same everywhere: id, name, category, chain, latitude, longitude,
    distance (meters, only if the query has a center), address, crossStreet,
    city, state, postalCode, countryCode, country, formattedAddress, phone,
    formattedPhone, twitter, facebook, facebookUsername, facebookName,
    description, imageURL, images (if there are several, imageURL first),
    website, rating, ratingScale, reviewCount, priceLevel, hours, closed, source,
    sourceID, extra; favorite list also has favoriteSince and gone. Missing
    values are omitted.

    FEEDS (import -i; default: detected by content; gzip is fine)

      zomato               API v2: {"restaurants":[{"restaurant":{…}}]}
      bottlerocket         {"restaurants":[{"name","location":{"lat","lng"}}]}
      bottlerocket-stores  {"stores":[{"storeID","latitude","longitude"}]}
      retailer-stores      {"stores":[{"retailer_id",…}]}: chains and missing
                           names come from retailers, imported earlier or
                           listed in the same feed
      retailers            {"retailers":[{"id","name"}]}: chains
      offers               {"offers":[{"id","name","amount","retailers":[…],
                           "restaurants":[…],"restaurant_categories":[…]}]}
      foursquare           API v2: response.venues, .venue, .groups[].items[]
      foursquare-places    Places API, v3 and 2025: results with fsq_id or
                           fsq_place_id
      fsq-os               FSQ OS Places, CSV or JSON lines
      overture             Overture places, GeoJSON or one Feature per line;
                           for CSV use csv
      overpass             Overpass [out:json]; "out center;" gives ways a
                           position
      osm                  OpenStreetMap as GeoJSON (osmtogeojson, overpass
                           turbo)
      yelp                 Yelp Open Dataset, JSON lines
      yelp-fusion          {"businesses":[…]}
      google               Places API (New): {"places":[…]}
      google-legacy        {"results":[…]} or {"result":{…}} with place_id
      schema-org           JSON-LD: one node, a list, or @graph
      geojson              FeatureCollection or Feature with a name; lines and
                           areas are placed at a point on or in them
      geojsonseq           one Feature after another (RFC 8142, or one per line)
      jsonl                JSON objects, one per line, in an array or in a list
                           of any name, also from Socrata, or by id in an object;
                           names as for csv, or paths (location.lat)
      csv, tsv             RFC 4180 with a header line; cells separated by
                           , ; | or tabs

    Columns, members and properties are recognized by these names and others,
    also German, French, Spanish, Italian, Portuguese and Dutch ones, ignoring
    case, accents, spaces and the characters _ - / . :

      latitude    latitude, lat, y, location_lat    id     id, uid, store_id
      longitude   longitude, lon, lng, long, x      phone  phone, tel, telephone
      or a point  wkt, geom, location: POINT(-96.8 32.9), [32.9, -96.8]
                  or WKB in hexadecimal digits; --order lon,lat decides the
                  order of two numbers, by default latitude first but for lists
                  in coordinates and geo_point
                  degrees may be 32.95, 32,95, 32°57'0"N or 32 57 0 N
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

      --col KEY=COLUMN    the column of any key, or of point; one column may serve
                          several keys; --name-col, --lat-col and the like are
                          short for it
      --header a,b,c      names for a table without a header line
      --no-header         columns by number: --name-col 2 --lat-col 5 --lon-col 6
      --delimiter C       another separator, a character or tab
      --order lon,lat     the order of two numbers in one cell or list
      --encoding NAME     windows-1252 or iso-8859-1 (default: UTF-8)
      --rating-scale N    the highest rating, if the feed does not give it
      --allow-null-island accepts 0,0, which otherwise means no position

    If cells are separated by semicolons, tabs or pipes, 48,2 means 48.2. A price
    is a level from 1 to 4, a rating keeps its scale, closed means permanently.
    Ratings outside their scale, values that do not fit their key and
    unrecognized fields are kept in extra.

    Where GDAL is installed (Debian: gdal-bin), its ogr2ogr reads GeoPackage,
    shapefiles (also zipped), KML, KMZ, GPX, FlatGeobuf, MapInfo, xlsx, ods,
    OpenStreetMap's pbf and XML, and tables of SQLite, in any reference system;
    --layer NAME chooses a layer or sheet. For other archives, Parquet and YAML the
    error message gives a command that converts or unpacks the file.

    """

  private static let filtersPage = """
    FILTERS

    For every command with --where. A restaurant must match all filters. Filters
    apply during the search: nearest -k 3 --category Thai returns three. Case and accents are ignored.

      --text TEXT        each word must start a word in name, category, address or city; apostrophes are
                         ignored: glorias finds Gloria's
      --category NAME    the whole category, or one entry of a list (Thai, Bars; Thai;Vegan; Pizza|Bar) or
                         of a path (Dining > Thai); may be repeated (any of them)
      --where 'FIELD OP VALUE'  join conditions with and, or, not and parentheses, or repeat the option.
                         Quote the whole filter, because the shell interprets < and >. If a value
                         contains one of these words, put it in single or double quotes:
                         "name = 'Salt and Pepper'"
      --filter-lang cql2-text  read --where as CQL2 (OGC 21-065r2) instead: texts are compared exactly,
                         as in "casei(name) like casei('%grill%') and s_intersects(geometry, POLYGON((...)))"
      --within AREA      in this area or on its edge: a file with polygons (GeoJSON, WKT, or what GDAL
                         reads), GeoJSON or WKT itself, or a saved area (geoq area add)
      --open TIME        open at that time, by the restaurant's clock: now, 12:30, 'Fri 12:30' or
                         '2026-12-24 12:30'; --open-unknown includes those whose hours are not known

      fields             name, category, chain, address, crossStreet, city, state, postalCode, countryCode,
                         country, phone, website, source
                         rating, ratingScale, reviewCount, priceLevel, latitude, longitude
                         closed, never missing: permanently closed; and all other keys of a record
                         favorite, never missing: kept by geoq favorite add
                         description; extra.NAME, a field of the feed that has no key of its own;
                         extra.NAME.NAME, a member of it. Quote names with unusual characters:
                         "extra.'opening hours' ~ late"
      operators          = != < <= > >=   and ~ for texts: contains
                         in ('a', 'b'), not in ('a', 'b'), is null, is not null

      --where 'city = Dallas and rating >= 4.5'  --where 'priceLevel<=2'  --where 'name ~ grill'
      --where "city in ('Dallas', 'Plano') or not closed = true"  --where 'phone is null'
      --where 'favorite = true or rating > 4.5'

    Missing values never match, not even !=. A rating is compared as the feed has it. In extra,
    numbers are compared with numbers and numeric texts, texts with texts. "true" and "yes" also
    match the boolean true, "false" and "no" the boolean false. A value in quotes is a text: '75'.
    A list matches if one of its elements does; != matches if none is equal.

    ORDER AND PAGES

      --sort KEY         distance, name, rating, priceLevel, reviewCount, category, city or chain.
                         Ties are broken by id; missing values sort last. distance needs a point.
                         Ratings are compared as a share of their scale (of 5 without ratingScale)
      --sort -KEY        descending, as with --desc
      --sort -rating --sort distance
                         several keys, four at most: each orders what is equal by those before it
      --limit N          maximum number of results; the cursor of the next page is printed on standard
                         error, or as next in json. For list, search, radius and bbox a table on a
                         terminal shows 100 by default
      --cursor CURSOR    the next page of the same command. If an import comes between two pages, a
                         restaurant that is still there, with the same value of the sort key, is on
                         exactly one page

    WANTS (geoq cover)

      --want Thai                a category: any text unlike those below, or category:Thai
      --want 'text:craft beer'   words, as --text
      --want 'rating >= 4'       a condition, or several joined with and, as --where
      --want offer:7533          an offer, by its id

    COUNTS

      --facets FIELD     prints counts by a field, not restaurants: table, tsv, csv, json or count;
                         any field, extra.NAME too; geoq count --by FIELD is the same
      geoq count --by-area FILE  prints counts by areas, those in none in a row of their own

    """

  private static let coordinatesPage = """
    COORDINATES

      --at LAT,LON      degrees on WGS84: --at 32.95,-96.82   --at -33.8,151.2   --at geo:32.95,-96.82
                        a space or a tab may replace the comma: --at '32.95 -96.82'
      --at '32°57′N 96°49′W'  degrees with minutes and seconds, and links to maps of Google,
                        OpenStreetMap, Apple and Bing
      --at id:ID        where a restaurant is; --at name:NAME by its name, if only one has it
      --bbox W,S,E,N    longitude first: --bbox -96.9,32.9,-96.8,33.0
                        if W > E, it crosses the antimeridian: --bbox 170,-20,-170,-10
      GeoJSON           longitude first, as in RFC 7946

    Distances are in meters along the WGS84 ellipsoid. --max and --radius accept meters or a number
    with a unit: 500, 500m, 1.5km, 2mi, 300ft. Boundaries are inclusive.

    MANY POINTS

      --at -            standard input: one point per line, or any format of geoq import
      --at-file FILE    any format of geoq import, without names, or one point per line
      --id-col COLUMN   the column that identifies the points
      --keep-unmatched  points without a result have a row with their own columns
      --lat-col, --point-col, --col, --header, --delimiter, --encoding, --order: as for geoq import

    Results are in the order of the input. Rows start with the line number (or the id), in tsv and csv
    followed by the file's own columns; a column NAME that is also a printed key is renamed point_NAME.
    If -k is more than 1, the column rank counts the results of each point. --columns may name columns of
    both sides, such as stop_id,rank,name; with keys alone, all columns of the points are printed as well.
    The same holds for the properties of geojson and geojsonseq. jsonl has one object per point,
    {"line":3,"point":{…},"items":[…]}, and json is {"schema":"geoq.batch/1","points":[…]} with the
    same objects; count prints one number per point.
    A bad point is reported on standard error; the others are answered, and the exit code is 65.
    Empty lines and # comments (not in CSV) are skipped.

    """

  private static let environmentPage = """
    ENVIRONMENT

      GEOQ_DB         the database if --db is not given (default: geoq.db)
      PGPASSWORD      the password of a store in PostgreSQL; libpq's other variables
                      and ~/.pgpass work as well
      XDG_CACHE_HOME  its subfolder geoq/: snapshots of PostgreSQL stores
                      (default: ~/.cache/geoq; --cache overrides it)
      GEOQ_UNITS      the unit of distances in tables and messages: m, km, mi or ft
                      (default: m and km, by size; --unit overrides it)
      NO_COLOR        no color, if not empty
      CLICOLOR_FORCE  color even in a pipe
      TMPDIR          the folder for feeds being downloaded (default: /tmp)
      COLUMNS         the width of a table if the terminal does not report it

    Options of serve that are not given can be set by variables: GEOQ_ and the option's name in
    capitals, with _ for -. Lists have commas, flags are 1 or 0, PORT stands in for GEOQ_PORT:

      GEOQ_HOST=0.0.0.0 GEOQ_ALLOW_HOST=lunch.example,192.0.2.7 GEOQ_BEHIND_PROXY=1 geoq serve

    \(serveVariables)

    """

  /// The variables in lines, from the list.
  private static var serveVariables: String {
    var lines = [""]
    for (name, _) in ServeEnvironment.options {
      let variable = ServeEnvironment.variable(name)
      if lines[lines.count - 1].count + variable.count > 90 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "  " : " ") + variable
    }
    return lines.joined(separator: "\n")
  }

  private static let exitCodesPage = """
    EXIT CODES

      0    success, including no results or a closed pipe
      1    any other failure
      4    nothing was found and -e was given
      64   the command line is wrong
      65   bad data: an invalid or refused feed, an invalid point in --at-file or on standard input,
           or a database that is damaged, not geoq's, or from a newer geoq
      66   no usable input file
      69   the database, a URL or the port of serve is not available
      73   the output cannot be created
      74   reading or writing failed, for example because the disk is full
      75   the database is busy; try again
      77   permission denied
      128+n  ended by signal n

    """
}
