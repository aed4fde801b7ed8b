import GeoIndex
import GeoQuery
import GeoStore

/// What the endpoints of queries share: the query in the parameters, the executor for it, and its answer
/// as a collection.
extension RequestContext {
  /// The query of the parameters, with a valid cursor and order.
  ///
  /// - Throws: `Problem` 400, or `QueryError`.
  func query(in region: Query.Region, atMost maximumRestaurants: Int = .max) throws -> Query {
    var query = Query(region, matching: try filter(), in: parameters.order)
    if let limit = endpoint.parameters.first(where: { $0.name == Parameter.limit.name }) {
      query.limit = min(parameters.integer(limit), maximumRestaurants)
    }
    query.offset = try parameters.offset()
    query.cursor = parameters.text(.cursor)
    try query.check()
    try query.checkCursor()
    return query
  }

  /// The filter of the parameters.
  ///
  /// - Throws: `Problem` 400, or `QueryError`.
  func filter() throws -> Filter {
    var filter = try parameters.filter()
    filter.favoriteIDs = isOfFavorites ? favoriteIDs ?? [] : nil
    filter.digestedArea = bodyArea
    if let name = parameters.text(.within) {
      filter.digestedArea = try generation.area(named: name).area()
    }
    return filter
  }

  /// The threads for a query with a filter; `isLong` says that it takes long for other reasons.
  ///
  /// A condition on the records themselves reads all of them: a third of a second for a million.
  /// Each other condition may read a column: 14 ms for a million. All places in an area take up to 165 ms
  /// for a million.
  func executor(for filter: Filter, isLong: Bool = false) -> Work.Executor {
    let hasLongFilter =
      (filter.testCount > 2 || filter.digestedArea != nil)
      && snapshot.count > ServiceLimits.features
    guard hasLongFilter || filter.readsRecords, !generation.engine.remembers(filter) else {
      return isLong ? .longQueries : .queries
    }
    return filter.readsRecords ? .plans : .longQueries
  }

  /// The threads for counting all restaurants that match a filter: it is short once the matches are known.
  func executor(forCountingBy filter: Filter) -> Work.Executor {
    let isLong =
      snapshot.count > ServiceLimits.features && !generation.engine.remembers(filter)
    return executor(for: filter, isLong: isLong)
  }

  /// A page of results as a collection, with links to the pages before and after it.
  func collection(of query: Query, _ links: [Link]) throws -> Work.Body {
    let page = try generation.engine.page(query)
    if representation == .csv {
      let matches = try (0..<page.count).map(page.match)
      return Work.Body(csv: matches, hasDistance: page.hasDistance, links: pageLinks(page))
    }
    let marked = favoritePositions
    let text = FeatureCollectionText(
      page,
      links: links + pageLinks(page),
      timeStamp: timeStamp,
      credits: generation.credits,
      isFavorite: marked.contains
    )
    return Work.Body(text, hits: page.count)
  }

  /// The positions of the favorites; empty if the answer does not depend on them.
  private var favoritePositions: Set<Int> {
    let places = (favoriteIDs ?? []).lazy.map { snapshot.lowerBound(ofID: $0.utf8) }
    return Set(places.filter(\.isExact).map(\.position))
  }

  /// The threads for an answer of at most `count` restaurants.
  func executor(forAtMost count: Int) -> Work.Executor {
    let short = representation == .html ? 10 : ServiceLimits.featuresOfPage
    return count > short ? .longQueries : .queries
  }

  /// `prev` and `next`, if there are such pages.
  func pageLinks(_ page: Page) -> [Link] {
    // all restaurants before the cursor are gone: the next page is the first one
    if page.startsOver { return [pageLink("next", at: nil)] }
    return pageLinks(page.previous, page.next)
  }

  /// `prev` and `next` by their cursors.
  func pageLinks(_ previous: String?, _ next: String?) -> [Link] {
    let previous = previous.map { pageLink("prev", at: $0) }
    let next = next.map { pageLink("next", at: $0) }
    return [previous, next].compactMap(\.self)
  }

  /// The link to this request at a value of a parameter, or to its first page.
  func pageLink(_ relation: String, _ parameter: Parameter = .cursor, at value: String?) -> Link {
    let replaced = [Parameter.cursor.name, Parameter.offset.name]
    var query = pairs.filter { !replaced.contains($0.name) }
    if let value { query.append((name: parameter.name, value: value)) }
    if representation != endpoint.representations[0] || endpoint.representations.contains(.html) {
      query.append((name: Parameter.format.name, value: representation.formatName))
    }
    return Link(
      relation,
      links.address(endpoint.path, query),
      representation.plainType,
      title: relation == "prev" ? "Previous page" : "Next page"
    )
  }

  /// One member of a collection: its object, with links before the last brace.
  func member(
    _ object: [UInt8],
    of collection: Endpoint,
    _ pairs: [(name: String, value: String)] = [],
    hits: Int? = nil
  ) -> Work.Body {
    let path = endpoint.path(id: path("id"))
    var found = links.selfLinks(path, pairs, as: representation, of: endpoint.representations)
    let address = links.address(collection.path)
    found.append(Link("collection", address))
    var json = JSONWriter()
    json.raw(",")
    json.links(found)
    json.raw("}\n")
    return Work.Body(bytes: object[..<(object.count - 1)] + json.bytes, hits: hits, links: found)
  }
}

extension Query {
  /// The same query with a time limit.
  func until(_ deadline: Deadline) -> Query {
    var query = self
    query.deadline = deadline
    return query
  }
}

/// Bodies whose members are parameters: `{"lat":32.95,"lon":-96.82,"category":["Thai"],"within":{…}}`.
extension RequestContext {
  /// The request as one whose parameters are the members of its body, so that both have the same rules.
  ///
  /// Those of favorites are for GET only: a body is not checked for access to them. `within` may be an
  /// outline in GeoJSON.
  ///
  /// - Parameters:
  ///   - parameters: The parameters that may be members; nil for all of the endpoint.
  ///   - expected: What the body must have, for errors.
  ///   - others: Members that are not parameters.
  /// - Returns: The request, and these other members.
  /// - Throws: `Problem` 400, or `QueryError`.
  func readingBody(
    _ parameters: [Parameter]? = nil,
    expecting expected: String,
    others: [String] = []
  ) throws -> (context: RequestContext, others: [JSONMember]) {
    let declared = (parameters ?? endpoint.parameters).filter {
      !$0.isOfFavorites && $0.name != "f"
    }
    let members = try [JSONMember](
      body: request.body,
      expected: expected,
      declared.map(\.name) + others
    )
    var pairs: [(name: String, value: String)] = []
    var lists: [String: [String]] = [:]
    var context = self
    for member in members {
      guard let parameter = declared.first(where: { $0.name.isUTF8Equal(to: member.name) })
      else { continue }
      if parameter === Parameter.within, case .object = member.value {
        let list = try AreaList(parsing: JSONWriter.of(member.value).utf8.map(\.self))
        context.bodyArea = DigestedArea(try list.joined())
      } else {
        var texts = try parameter.texts(member.value)
        if case .array = member.value, parameter.maximumTimes == 1 {
          lists[parameter.name] = texts
          texts = texts.isEmpty ? [] : [texts.joined(separator: ",")]
        }
        pairs += texts.map { (parameter.name, $0) }
        // an object is in no other language
        if parameter === Parameter.filter, case .object = member.value,
          !members.contains(where: { $0.name.isUTF8Equal(to: Parameter.filterLanguage.name) })
        {
          pairs.append((Parameter.filterLanguage.name, FilterLanguage.cql2JSON.rawValue))
        }
      }
    }
    context.parameters = try Parameters(pairs, lists: lists, declared: declared)
    return (
      context, members.filter { member in others.contains { $0.isUTF8Equal(to: member.name) } }
    )
  }
}

extension Parameter {
  /// A member of a body as the texts of a query: the entries of an array.
  fileprivate func texts(_ value: JSONValue) throws -> [String] {
    switch (kind, value) {
    case (.number, .number(let token)), (.distance, .number(let token)),
      (.integer, .number(let token)):
      return [token]
    case (.number, .string), (.integer, .string), (.want, .string), (.word(["true"]), .string):
      break
    case (_, .string(let text)): return [text]
    case (.expression, .object): return [JSONWriter.of(value)]
    case (.want, .array(let values)), (.filters, .array(let values)), (.ids, .array(let values)),
      (.order, .array(let values)):
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      if texts.count == values.count { return texts }
    case (.box, .array(let values)):
      let numbers = values.compactMap { if case .number(let token) = $0 { token } else { nil } }
      // one text, so that an empty box is an error
      if numbers.count == values.count { return [numbers.joined(separator: ",")] }
    case (.word(["true"]), .bool(let flag)): return flag ? ["true"] : []
    default: break
    }
    throw Problem.invalidBody("\(name) must be \(bodyKind)")
  }

  private var bodyKind: String {
    switch kind {
    case .want: "an array of texts"
    case .filters, .ids, .order: "a text or an array of texts"
    case .number, .integer: "a number"
    case .distance: "a number of meters, or a text such as 1.5km"
    case .box: "an array of numbers"
    case .expression: "a text, or an object of cql2-json"
    case .word(["true"]): "true or false"
    default: "a text"
    }
  }
}

/// The parts of a query.
extension Parameters {
  /// The number of restaurants to skip.
  ///
  /// - Throws: `Problem` 400 if there is a cursor too.
  func offset() throws -> Int {
    guard text(.offset) != nil else { return 0 }
    guard text(.cursor) == nil else {
      throw Problem.invalid("offset", "does not go with cursor; a link has what it needs")
    }
    return integer(.offset)
  }

  /// The region of the optional box or circle.
  ///
  /// - Throws: `Problem` 400.
  func region() throws -> Query.Region {
    let isDisc = [Parameter.latitude, .longitude, .radius].contains { text($0) != nil }
    guard isDisc else { return try box().map { .box($0) } ?? .everywhere }
    if text(.box) != nil { throw Problem.invalid("bbox", "does not go with lat, lon and radius") }
    return try disc()
  }

  /// The circle of `lat`, `lon` and `radius`.
  func disc() throws -> Query.Region {
    let center = try point()
    return .radius(try required(.radius), of: center)
  }

  /// The filter, without the area and the favorites.
  ///
  /// - Throws: `QueryError` if a condition is wrong.
  fileprivate func filter() throws -> Filter {
    var filter = Filter(categories: texts(.category) ?? [], text: text(.text) ?? "")
    if let city = text(.city) { filter.require(.condition(try Condition(.city, .equal, city))) }
    if let expression = text(.filter) {
      let language = text(.filterLanguage).flatMap(FilterLanguage.init(name:)) ?? .short
      filter.require(try Parameter.expression(expression, in: language))
    }
    if let open = text(.open) {
      let includesUnknown = text(.openUnknown) != nil
      filter.open = try OpenAt(open, now: .now, includesUnknown: includesUnknown)
    }
    filter.ids = texts(.ids)
    return filter
  }

  /// The order of `sortby`; nil for that of the region.
  var order: Order? {
    text(.sortBy).flatMap { try? Order(sortBy: $0) }
  }
}

/// Builds a FeatureCollection (RFC 7946 §3.3) from the bytes of Features in the snapshot.
struct FeatureCollectionText {
  let bytes: [UInt8]

  let links: [Link]

  /// Writes a collection.
  init(
    _ count: Int,
    matched: Int,
    links: [Link],
    timeStamp: String? = nil,
    credits: Credits,
    members: [JSONMember] = [],
    write: (inout JSONWriter, Int) -> Void
  ) {
    self.links = links
    var json = JSONWriter()
    json.raw("{\"type\":\"FeatureCollection\",\"generator\":\"geoq\",\"numberMatched\":\(matched),")
    json.raw("\"numberReturned\":\(count),")
    if let timeStamp { json.raw("\"timeStamp\":\"\(timeStamp)\",") }
    json.members(credits.members + members)
    json.links(links)
    json.raw(",\"features\":[")
    for index in 0..<count {
      json.raw(index == 0 ? "\n" : ",\n")
      write(&json, index)
    }
    json.raw(count == 0 ? "]}\n" : "\n]}\n")
    bytes = json.bytes
  }

  /// Writes a page as a collection; the parameters are those of the other.
  init(
    _ page: Page,
    links: [Link],
    timeStamp: String? = nil,
    credits: Credits,
    members: [JSONMember] = [],
    isFavorite: (Int) -> Bool = { _ in false }
  ) {
    let (snapshot, hits) = (page.snapshot, page.hits)
    self.init(
      hits.count,
      matched: page.total,
      links: links,
      timeStamp: timeStamp,
      credits: credits,
      members: members
    ) { json, index in
      let (position, distance) = hits[index]
      json.append {
        snapshot.appendFeature(
          at: position,
          distance: distance,
          isFavorite: isFavorite(position),
          to: &$0
        )
      }
    }
  }
}

extension Work.Body {
  /// A document, with links in the header field.
  init(_ document: JSONValue, links: [Link] = []) {
    self.init(bytes: JSONValue.document(document), links: links)
  }

  /// Restaurants as the tool's CSV, with links in the header field.
  init(csv matches: [Match], hasDistance: Bool, areFavorites: Bool = false, links: [Link]) {
    var writer = AnswerFormat.csv.writer()
    writer.begin(
      AnswerSummary(
        count: matches.count,
        total: matches.count,
        extent: nil,
        hasDistance: hasDistance,
        hasFavorites: areFavorites
      )
    )
    for match in matches { writer.write(match) }
    writer.end()
    self.init(bytes: writer.takeBytes(), hits: matches.count, links: links)
  }

  /// A collection as the body of an answer.
  init(_ text: FeatureCollectionText, hits: Int) {
    self.init(bytes: text.bytes, hits: hits, links: text.links)
  }
}
