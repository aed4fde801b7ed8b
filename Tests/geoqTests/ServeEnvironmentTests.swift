import ArgumentParser
import Foundation
import Testing

@testable import geoq

/// The options of `geoq serve` from environment variables.
struct ServeEnvironmentTests {
  private let runner = CommandRunner()

  /// The command that arguments and variables make.
  private func command(_ arguments: [String], _ environment: [String: String]) throws -> String {
    var context = CommandContext()
    context.environment = environment
    return try CommandContext.$current.withValue(context) {
      let all = try ServeEnvironment.expanded(["serve"] + arguments).arguments
      return "\(try Geoq.parseAsRoot(all))"
    }
  }

  @Test func `the list – every long option of the help but db – is there in its order`() throws {
    let help = runner.geoq("serve", "--help").outLines
    let names = try help.compactMap { line in
      try Regex("^  (?:-[a-z], )?--([a-z-]+)", as: (Substring, Substring).self)
        .firstMatch(in: line).map { String($0.output.1) }
    }
    let others: Set = ["db", "version", "help"]
    #expect(ServeEnvironment.options.map(\.name) == names.filter { !others.contains($0) })
  }

  @Test(
    arguments: [
      ("host", "0.0.0.0"), ("port", "81"), ("unix-socket", "/run/geoq.sock"), ("get", "/healthz"),
      ("allow-host", "maps.example"), ("cors", "*"), ("frame-ancestors", "https://a.example"),
      ("token-file", "token"), ("place", "Office=32.95,-96.82"), ("tiles", "a.pmtiles"),
      ("web-home", "https://a.example/"), ("images", "a.example"), ("images-max", "7"),
      ("image-dir", "pictures"), ("cache", "folder"), ("color", "never"),
    ]
  )
  func `a variable – a value – does what the option does`(name: String, value: String) throws {
    let variable = [ServeEnvironment.variable(name): value]
    let expected = try command(["--\(name)", value], [:])
    #expect(try command([], variable) == expected)
    #expect(try command([], [:]) != expected)
  }

  @Test(arguments: ["open", "behind-proxy", "quiet", "verbose"])
  func `a variable – a flag – is 1 or 0`(name: String) throws {
    let variable = ServeEnvironment.variable(name)
    let expected = try command(["--\(name)"], [:])
    #expect(try command([], [variable: "1"]) == expected)
    #expect(try command([], [variable: "0"]) == command([], [:]))
    #expect(throws: ValidationError.self) { try command([], [variable: "yes"]) }
  }

  @Test func `variables – lists – are divided at commas, places at every second one`() throws {
    let hosts = ["--allow-host", "a.example", "--allow-host", "b.example:81"]
    #expect(
      try command([], ["GEOQ_ALLOW_HOST": "a.example, b.example:81"]) == command(hosts, [:])
    )
    let places = ["--place", "Office=32.95,-96.82", "--place", "Home=33,-97"]
    #expect(
      try command([], ["GEOQ_PLACE": "Office=32.95,-96.82,Home=33,-97"]) == command(places, [:])
    )
  }

  @Test func `options – also given by variables – come first, and replace lists`() throws {
    let environment = ["GEOQ_PORT": "81", "GEOQ_CORS": "https://a.example", "GEOQ_QUIET": "1"]
    let own = ["--port", "82", "--cors=https://b.example", "-q"]
    #expect(try command(own, environment) == command(own, [:]))
  }

  @Test func `PORT – without GEOQ_PORT – is the port, and empty variables are none`() throws {
    #expect(try command([], ["PORT": "81"]) == command(["--port", "81"], [:]))
    #expect(
      try command([], ["PORT": "81", "GEOQ_PORT": "82"]) == command(["--port", "82"], [:])
    )
    #expect(try command([], ["PORT": "81", "GEOQ_PORT": ""]) == command(["--port", "81"], [:]))
    #expect(try command([], ["GEOQ_HOST": "", "GEOQ_OPEN": ""]) == command([], [:]))
  }

  @Test(
    arguments: [
      ("GEOQ_PORT", "70000"), ("PORT", "x"), ("GEOQ_OPEN", "true"),
      ("GEOQ_ALLOW_HOST", "a.example,*"), ("GEOQ_CORS", "a"), ("GEOQ_PLACE", "Office=1"),
      ("GEOQ_IMAGES_MAX", "1"), ("GEOQ_COLOR", "blue"), ("GEOQ_BASEMAP", "x"),
    ]
  )
  func `a bad value – of a variable – is a usage error that names it`(name: String, value: String) {
    runner.copySample()
    let result = runner.geoq("serve", "--get", "/healthz", environment: [name: value])
    #expect(result.status == 64)
    #expect(result.err.contains(name), "\(result.err)")
    #expect(result.output.isEmpty)
  }

  @Test func `other commands – with these variables – are not changed`() {
    runner.copySample()
    let result = runner.geoq("info", environment: ["GEOQ_PORT": "x", "GEOQ_OPEN": "x"])
    #expect(result.status == 0)
  }

  @Test func `the page about the environment – geoq help environment – has each variable`() {
    let page = runner.geoq("help", "environment").out
    for (name, _) in ServeEnvironment.options {
      #expect(page.contains(ServeEnvironment.variable(name)))
    }
  }
}
