import ArgumentParser
import GeoIndex
import GeoQuery
import GeoStore

/// `geoq info`.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show what is in the database.",
    discussion: """
        geoq info
        geoq info --json
        geoq info --db other.db
      """
  )

  @Flag(help: "Print JSON (schema geoq.info/1).")
  var json = false

  @OptionGroup var globals: GlobalOptions

  func run() throws {
    let store = try globals.openStore()
    defer { try? store.close() }
    let info = try store.info()
    if json {
      try StandardStreams.printJSON(JSONReport.text(of: info))
    } else {
      try StandardStreams.print(Self.text(of: info))
    }
  }

  private static func text(of info: StoreInfo) -> String {
    let snapshot = info.snapshot.map { "\($0.path) (\(grouped($0.bytes)) bytes)" }
    let versions = Diagnosis.versions
    var lines = [
      "database     \(info.path) (\(grouped(info.bytes)) bytes, schema \(info.schemaVersion))",
      "snapshot     \(snapshot ?? "none; it cannot be written")",
      "versions     geoq \(Geoq.version), sqlite \(versions.sqlite), "
        + "spatialite \(versions.spatialite)",
      "store id     \(info.storeID)",
      "generation   \(info.generation)",
      "restaurants  \(grouped(info.count))",
    ]
    if let box = info.extent {
      let sides = box.readableSides.map(\.description).joined(separator: ",")
      lines.append("extent       \(sides) (W,S,E,N)")
    }
    if info.chainCount > 0 { lines.append("chains       \(grouped(info.chainCount))") }
    if info.offerCount > 0 { lines.append("offers       \(grouped(info.offerCount))") }
    for source in info.sources {
      let time = source.importedAt.map { ", last changed \($0)" } ?? ""
      let rejected = source.rejections.map { ", \(grouped($0.count)) rejected" } ?? ""
      lines.append("source       \(source.name): \(source.counted)\(time)\(rejected)")
      for reason in source.rejections?.reasons ?? [] {
        let problem = Remedy.naming(reason.name)
        lines.append("               rejected \(grouped(reason.count)): \(problem)")
      }
    }
    let categories = info.categories.prefix(20).map { category in
      "category     \(category.name.isEmpty ? "(none)" : category.name): \(grouped(category.count))"
    }
    lines += categories
    if info.categories.count > categories.count {
      lines.append("             and \(info.categories.count - categories.count) more categories")
    }
    return lines.map { terminalSafe($0) + "\n" }.joined()
  }
}
