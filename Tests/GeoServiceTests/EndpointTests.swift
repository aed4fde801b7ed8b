import Foundation
import GeoQuery
import HTTPTypes
import Testing

@testable import GeoService

/// The list of endpoints is the only place that names a resource: all that follows from it agrees.
struct EndpointTests {
  /// A service with everything, and perhaps with other endpoints.
  private func service(_ endpoints: [Endpoint] = Endpoint.all) throws -> SampleService {
    try SampleService(
      settings: .everything(),
      favorites: MemoryFavorites(),
      endpoints: endpoints.filter { $0.feature != .images }
    )
  }

  private static let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/http.md")

  /// What the table of the article about the service lists, as `GET /path`.
  private static func documented(_ text: String) -> Set<String> {
    let section = text.split(separator: "\n## ").first { $0.hasPrefix("Routes") } ?? ""
    let cells = section.split(separator: "\n").compactMap { line in
      line.hasPrefix("| `") ? line.split(separator: " | ").first : nil
    }
    let names = cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
    return Set(names.map { $0.hasPrefix("/") ? "GET " + $0 : $0 })
  }

  /// The operations of the list that are for programs, as `GET /path`.
  private static func listed(_ endpoints: [Endpoint]) -> Set<String> {
    Set(
      endpoints.filter(\.isOfAPI).flatMap { endpoint in
        endpoint.methods.map { "\($0.rawValue) \(endpoint.path)" }
      }
    )
  }

  /// Where the document, `Allow`, the router, the labels of metrics and the article differ from the
  /// list.
  private func faults(
    _ service: SampleService,
    _ document: String,
    _ article: String
  ) throws
    -> [String]
  {
    let listed = Self.listed(service.service.endpoints)
    let json = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
    let paths = json?["paths"] as? [String: [String: Any]] ?? [:]
    let declared = Set(
      paths.flatMap { path, operations in
        operations.keys.filter { $0 != "parameters" }.map { "\($0.uppercased()) \(path)" }
      }
    )
    var faults: [String] = []
    func compare(_ name: String, _ found: Set<String>) {
      faults += listed.subtracting(found).map { "\(name): no \($0)" }
      faults += found.subtracting(listed).map { "\(name): \($0) is not in the list" }
    }
    compare("document", declared)
    compare("article", Self.documented(article).filter { !$0.contains(" /app/") })
    var allowed: Set<String> = []
    for operation in listed.union(declared) {
      let path = String(operation.split(separator: " ")[1])
      let target = path.replacing(/\{id\}/, with: "a").replacing(/\{\w+\}/, with: "0")
      for method in [HTTPRequest.Method.options, .patch] {
        let reply = service.send(.owners(method, target))
        let methods = (reply.response.fields[.allow] ?? "").split(separator: ", ")
        if reply.response.route != path { faults.append("router: \(path)") }
        allowed.formUnion(
          methods.filter { !["HEAD", "OPTIONS"].contains($0) }.map { "\($0) \(path)" }
        )
      }
    }
    compare("Allow", allowed)
    return faults.sorted()
  }

  @Test func `list, router, Allow, OpenAPI document and article name the same operations`() throws {
    let service = try service()
    let article = try String(contentsOf: Self.article, encoding: .utf8)
    let withImages = Self.listed([.images, .image])
    #expect(Self.documented(article).isSuperset(of: withImages))
    let others = article.replacing("`/images/{id}`, `/images/{id}/{n}`", with: "")
    #expect(try faults(service, service.get("/api").text, others) == [])
  }

  @Test func `an operation missing in one of them, or only there, is a fault`() throws {
    let service = try service()
    let document = service.get("/api").text
    let article = try String(contentsOf: Self.article, encoding: .utf8)
      .replacing("`/images/{id}`, `/images/{id}/{n}`", with: "")
    let harmed = article.replacing("`/facets`", with: "`/facts`")
    #expect(
      try faults(service, document, harmed)
        == ["article: GET /facts is not in the list", "article: no GET /facets"]
    )
    let other = document.replacing("\"/density\":{\"get\"", with: "\"/densities\":{\"get\"")
    #expect(
      try faults(service, other, article) == [
        "document: GET /densities is not in the list", "document: no GET /density",
        "router: /densities", "router: /densities",
      ]
    )
    let more = try self.service(Endpoint.all + [.trial])
    #expect(
      try faults(more, document, article) == [
        "article: no GET /trial/{id}", "article: no POST /trial/{id}",
        "document: no GET /trial/{id}", "document: no POST /trial/{id}",
      ]
    )
    let fewer = try self.service(Endpoint.all.filter { $0 != .facets })
    #expect(
      try faults(fewer, document, article) == [
        "article: GET /facets is not in the list", "document: GET /facets is not in the list",
        "router: /facets", "router: /facets",
      ]
    )
  }

  @Test func `names, paths and operation ids are unique`() {
    let all = Endpoint.all
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(Set(all.map(\.path)).count == all.count)
    let operations = all.flatMap(\.operations)
    #expect(Set(operations.map(\.id)).count == operations.count)
  }

  // MARK: A new route is a file and a line

  @Test func `a new endpoint is answered, checked and described as its declaration says`() throws {
    let service = try service(Endpoint.all + [.trial])
    let reply = service.get("/trial/a%20b?city=Dallas")
    #expect(reply.status == 200 && reply.text == "{\"id\":\"a b\",\"city\":\"Dallas\"}\n")
    #expect(reply.response.route == "/trial/{id}")
    let tag = try #require(reply.response.fields[.eTag])
    #expect(service.get("/trial/a%20b?city=Dallas", [.ifNoneMatch: tag]).status == 304)
    #expect(service.get("/trial/a", [.accept: "text/html"]).text.contains("<h1><bdi>a</bdi></h1>"))
    #expect(service.send(ServiceRequest(.head, "/trial/a")).status == 200)
    for (target, status) in [
      ("/trial/a?x=1", 400), ("/trial/a?city=", 400), ("/trial/%zz", 400), ("/trial/", 404),
      ("/trial/a/b", 404), ("/trial", 404),
    ] { #expect(service.get(target).status == status, "\(target)") }
    #expect(service.get("/trial/a", [.accept: "image/png"]).status == 406)
    #expect(service.send(ServiceRequest(.put, "/trial/a")).status == 405)
    // the operation that writes needs the token, JSON, and a short body
    #expect(service.post("/trial/a", "{}").status == 401)
    var write = ServiceRequest.owners(.post, "/trial/a", body: Array("{}".utf8))
    #expect(service.send(write).status == 415)
    write.fields[.contentType] = "application/json"
    #expect(service.send(write).status == 204)
    write.body = [UInt8](repeating: 0x20, count: 11)
    #expect(service.send(write).status == 413)
    #expect(service.get("/").links("related").contains { $0["title"] as? String == "A trial" })
    #expect(service.get("/conformance").text.contains("\"http://example.org/conf/trial\""))
    let page = service.get("/api.html").text
    #expect(page.contains("<h2 id=\"trial\">GET, POST /trial/{id}</h2>\n<p>A trial.</p>"))
    let json = service.get("/api").json
    let paths = json["paths"] as? [String: [String: Any]]
    let post = paths?["/trial/{id}"]?["post"] as? [String: Any]
    let statuses = (post?["responses"] as? [String: Any])?.keys.sorted()
    #expect(statuses?.prefix(6) == ["204", "400", "401", "403", "404", "405"])
  }

  @Test func `a service with a new endpoint obeys every requirement`() throws {
    let service = try service(Endpoint.all + [.trial])
    for requirement in RequirementsTests.all
    where requirement.id != "/req/core/conformance-success" {
      #expect(requirement.holds(service), "\(requirement.id)")
    }
  }
}

extension Endpoint {
  /// All that a new resource needs, as its file in `API` would have it.
  fileprivate static let trial = Endpoint(
    "trial",
    "/trial/{id}",
    summary: "A trial.",
    path: [.restaurantID],
    parameters: [.city, .format],
    as: [.json, .html],
    schema: "link",
    conformsTo: ["http://example.org/conf/trial"],
    announcement: Announcement(title: "A trial", isDescription: true),
    get: .inline { context in
      var json = JSONWriter()
      json.raw("{\"id\":")
      json.string(context.path("id"))
      json.raw(",\"city\":")
      json.string(context.parameters.text(.city) ?? "")
      json.raw("}\n")
      return Work.Body(bytes: json.bytes)
    },
    others: [
      Operation(
        method: .post,
        id: "writeTrial",
        summary: "Writes nothing.",
        access: .owner,
        bodyLimit: 10,
        body: "object",
        successes: [Operation.Success(status: 204, meaning: "Done.")],
        handler: .inline { _ in Work.Body(bytes: [], status: .noContent) }
      )
    ]
  )
}
