import Foundation
import Testing

/// What the README and docs say about packages and proxies; `Tests/docs/run` runs their examples.
struct ReadmeTests {
  @Test func `the documented proxy sets every forwarded field that the service reads`() throws {
    let root = URL(fileURLWithPath: CommandRunner.sampleFeed)
      .deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
    let rules = try text("Sources/GeoService/HTTP/SecurityFields.swift")
    let read = Set(rules.matches(of: /"(X-Forwarded-[A-Za-z]+)"/).map { String($0.1) })
    #expect(read.count >= 4)
    let pages = ["README.md", "docs/serving.md"]
    for page in pages {
      // each block that passes requests on
      let blocks = try text(page).matches(of: #/location [^{]*\{[^}]*proxy_pass[^}]*\}/#).map {
        String($0.0)
      }
      #expect(!blocks.isEmpty, "\(page)")
      for block in blocks {
        let set = Set(
          block.matches(of: #/proxy_set_header (X-Forwarded-[A-Za-z]+)/#).map { String($0.1) }
        )
        #expect(set == read, "\(page)")
        // the client's own value never passes, but for the host, which the service checks
        let others = block.replacing("$http_host", with: "")
        #expect(
          !others.contains("$http_") && !block.contains("$proxy_add_x_forwarded_for"),
          "\(page)"
        )
      }
    }
  }

  /// Debian names a package after the library in it and its version: `libpq.so.5` is in `libpq5`.
  @Test func `the packages that the documents name have the libraries that the tool loads`() throws
  {
    let root = URL(fileURLWithPath: CommandRunner.sampleFeed)
      .deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
    // each file that loads a library has a list of its names
    let loaders = [
      "GeoStore/SQL/SpatiaLite", "GeoStore/Postgres/PostgresLibrary", "geoq/Input/CurlTransfer",
    ]
    let libraries = try loaders.map { loader in
      try text("Sources/\(loader).swift").matches(of: /"(lib[a-z-]+)\.so\.([0-9]+)"/).map { found in
        (stem: String(found.1), package: "\(found.1)\(found.2)")
      }
    }
    let sources = FileManager.default.enumerator(
      atPath: root.appendingPathComponent("Sources").path
    )
    let files = (sources?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".swift") }
    let loading = try files.filter { try text("Sources/\($0)").contains("SharedLibrary(") }
    #expect(Set(loading) == Set(loaders.map { $0 + ".swift" }))
    let opening = try files.filter { try text("Sources/\($0)").contains("dlopen(") }
    #expect(opening == ["GeoStore/SQL/SharedLibrary.swift"])
    func packages(_ text: some StringProtocol) -> Set<String> {
      Set(String(text).matches(of: /\b(?:lib[a-z0-9-]+|zlib1g(?:-dev)?)\b/).map { String($0.0) })
    }
    // linked, not loaded: SQLite and zlib
    let linked: Set = ["libsqlite3-0", "zlib1g"]
    let image = packages(try text("docs/scaling/compose.yaml").split(separator: "services:")[0])
    #expect(image.isSuperset(of: linked))
    let known = Set(libraries.joined().map(\.package))
    #expect(image.subtracting(linked).isSubset(of: known), "\(image)")
    for names in libraries { #expect(names.contains { image.contains($0.package) }, "\(names)") }
    // the Debian package, where dpkg-shlibdeps adds what is linked
    let relations = try text("Scripts/package").matches(of: /\n(?:Depends|Recommends|Suggests): .*/)
    let package = packages(relations.map { String($0.0) }.joined()).subtracting(["libraries"])
    #expect(package.isSubset(of: known), "\(package)")
    for names in libraries { #expect(names.contains { package.contains($0.package) }, "\(names)") }
    // for a build, headers bring the library
    let page = try text("docs/install.md")
    let start = try #require(
      page.firstMatch(of: #/installs missing packages \((.*?) with apt/#.dotMatchesNewlines())
    )
    let built = packages(start.1)
    let needed = try text("docs/scaling.md").contains("`libpq5` on Debian")
    #expect(needed && built.contains("zlib1g-dev") && built.contains("libsqlite3-dev"))
    for names in libraries where names[0].stem != "libpq" {
      #expect(
        names.contains { built.contains($0.package) || built.contains($0.stem + "-dev") },
        "\(built)"
      )
    }
    let setup = packages(try text("Scripts/setup"))
    #expect(setup.isSuperset(of: built.union(["libpq5"])))
  }
}
