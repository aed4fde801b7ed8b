import ArgumentParser
import GeoQuery
import GeoService

/// The sources of images for `serve`.
struct ImageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Fetch records' images from these hosts (default: none); http://HOST for http.",
      valueName: "host[,host]"
    )
  )
  var images: String?

  @Option(
    name: .customLong("images-max"),
    help: ArgumentHelp(
      "Megabytes of fetched images to keep, in the folder FILE.images next to the database.",
      valueName: "megabytes"
    )
  )
  var maximum = 256

  @Option(
    name: .customLong("image-dir"),
    help: ArgumentHelp(
      "Show the images of this folder, named by id: ID.png, ID+1.png, …",
      valueName: "folder"
    )
  )
  var folder: String?

  func validate() throws {
    _ = try hosts()
    guard (4...1_000_000).contains(maximum) else {
      throw ValidationError("--images-max must be in 4...1000000, got \(maximum)")
    }
  }

  private func hosts() throws -> [ImageHost] {
    guard let images else { return [] }
    return try images.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let text = String(part).trimmingBlanks
      guard let host = ImageHost(text) else {
        throw ValidationError(
          "--images: expected a host such as img.example, img.example:8443 or http://img.example, "
            + "got \"\(terminalSafe(text))\""
        )
      }
      return host
    }
  }

  /// Opens the given folders.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - note: Called with the reason why an address has no image.
  /// - Returns: The images of a service; nil without any of these options.
  /// - Throws: `CommandFailure` if a folder cannot be used.
  func images(
    beside path: String,
    note: @escaping @Sendable (WebAddress, String) -> Void
  ) throws -> RestaurantImages? {
    var own: ImageFolder?
    if let folder {
      guard let found = ImageFolder(folder) else {
        throw CommandFailure(
          "--image-dir: \(terminalSafe(folder)): no such folder, or it cannot be read",
          exitCode: CommandFailure.noInput
        )
      }
      own = found
    }
    let hosts = try hosts()
    if hosts.isEmpty { return own.map { RestaurantImages(folder: $0) } }
    guard let cache = ImageCache(path + ".images", maximumBytes: maximum * 1_000_000) else {
      throw CommandFailure(
        "--images: the folder \(terminalSafe(path)).images cannot be created or written",
        exitCode: CommandFailure.inputOutput
      )
    }
    let download = ImageDownload(hosts: hosts)
    return RestaurantImages(folder: own, hosts: hosts, cache: cache, note: note) {
      try download.fetch($0)
    }
  }
}
