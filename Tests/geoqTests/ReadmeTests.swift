import Foundation
import Testing

/// The README's transcripts, run: each command answers what stands below it.
struct ReadmeTests {
  /// A command of a transcript and what it printed.
  private struct Step {
    let command: String
    var answer = ""
  }

  @Test func `every transcript of the README is what the tool prints`() throws {
    let runner = CommandRunner()
    let data = URL(fileURLWithPath: CommandRunner.sampleFeed).deletingLastPathComponent().path
    _ = runner.shell("cp -r '\(data)' Data")
    let steps = try Self.steps()
    #expect(steps.count >= 5)
    for step in steps {
      // what a terminal shows: both streams, answers of nearest, of plans and of offers as a table
      let hasTable = [" -k 3", " cover ", " offers "].contains { step.command.contains($0) }
      let asTable = hasTable ? " -f table" : ""
      let command = step.command.replacing("geoq ", with: "\"$GEOQ\" ") + asTable
      let result = runner.shell("{ \(command); } 2>&1", environment: ["COLUMNS": "80"])
      #expect(result.out == step.answer, "\(step.command)")
    }
  }

  @Test func `the documented proxy sets every forwarded field that the service reads`() throws {
    let root = URL(fileURLWithPath: CommandRunner.sampleFeed)
      .deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
    let rules = try text("Sources/GeoService/HTTP/SecurityFields.swift")
    let read = Set(rules.matches(of: /"(X-Forwarded-[A-Za-z]+)"/).map { String($0.1) })
    #expect(read.count >= 4)
    let pages = ["docs/http.md"]
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
      "GeoStore/SpatiaLiteLibrary", "GeoStore/Postgres/PostgresLibrary", "geoq/Input/CurlLibrary",
    ]
    let libraries = try loaders.map { loader in
      try text("Sources/\(loader).swift").matches(of: /"(lib[a-z-]+)\.so\.([0-9]+)"/).map { found in
        (stem: String(found.1), package: "\(found.1)\(found.2)")
      }
    }
    let sources = FileManager.default.enumerator(
      atPath: root.appendingPathComponent("Sources").path
    )
    let loading = try (sources?.allObjects as? [String] ?? []).filter { path in
      try path.hasSuffix(".swift") && text("Sources/\(path)").contains("dlopen(")
    }
    #expect(Set(loading) == Set(loaders.map { $0 + ".swift" }))
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
    let readme = try text("README.md")
    let start = try #require(
      readme.firstMatch(of: #/installs missing packages \((.*?) with apt/#.dotMatchesNewlines())
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

  /// The steps of all `console` blocks, in order.
  private static func steps() throws -> [Step] {
    let readme = URL(fileURLWithPath: CommandRunner.sampleFeed)
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    var steps: [Step] = []
    for block in text.components(separatedBy: "```console\n").dropFirst() {
      let lines = block.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
      for line in lines {
        if line.hasPrefix("$ ") {
          steps.append(Step(command: String(line.dropFirst(2))))
        } else if !steps.isEmpty {
          steps[steps.count - 1].answer += line + "\n"
        }
      }
    }
    return steps
  }
}
