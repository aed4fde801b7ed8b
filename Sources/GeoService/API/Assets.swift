import GeoQuery
import HTTPTypes
import NIOConcurrencyHelpers

/// The files that pages load, and what is made once and kept: answers that do not depend on the data.
extension Endpoint {
  static let icon = Endpoint(
    "icon",
    "/favicon.ico",
    summary: "The icon that browsers show next to a page's title.",
    as: [.icon],
    caching: .seconds(86_400),
    get: .inline { _ in Work.Body(bytes: PageAsset.icon) }
  )

  static let pageStyle = file("pageStyle", "/app/style.css", as: .style) { _ in .style }
  static let pageScript = file("pageScript", "/app/script.js", as: .script) { _ in .script }
  static let mapScript = file("mapScript", "/app/map.js", as: .script) { $0.library?.drawing }
  static let mapLand = file("mapLand", "/app/land.geojson", as: .geojson) { $0.library?.land }
  static let mapLibrary = file("mapLibrary", "/app/openlayers.js", as: .script) {
    $0.library?.script
  }
  static let mapLibraryStyle = file("mapLibraryStyle", "/app/openlayers.css", as: .style) {
    $0.library?.style
  }

  /// A file; nil if the program was built without it.
  private static func file(
    _ name: String,
    _ path: String,
    as representation: Representation,
    _ file: @escaping @Sendable (MapSettings) -> PageAsset?
  ) -> Endpoint {
    Endpoint(
      name,
      path,
      for: .pages,
      as: [representation],
      caching: .file(file),
      get: .work { try $0.file(file($0.settings.maps)) }
    )
  }
}

extension RequestContext {
  /// `GET /app/style.css` and other files of pages.
  ///
  /// - Throws: `Problem` 404 if the program was built without the file.
  fileprivate func file(_ file: PageAsset?) throws -> Work {
    guard let file else { throw Problem.unknownPath }
    let isAccepted = Gzip.isAccepted(by: request.fields[.acceptEncoding])
    if file.isCompressed, isAccepted {
      return Work(on: .inline) { _ in Work.Body(bytes: file.bytes, packed: file.bytes) }
    }
    return document {
      file.isCompressed ? Gzip.unpacked(file.bytes, Self.largestFile) ?? [] : file.bytes
    }
  }

  /// The maximum size of a file that pages load, in bytes.
  private static let largestFile = 8 << 20

  /// Clients may name the service by as many addresses before all documents are forgotten.
  private static let keptDocuments = 64

  /// What decides the bytes of this document.
  private var documentKey: String {
    // the contents of a file of pages name no address
    let base = endpoint.audience == .pages ? "" : links.base
    return "\(endpoint.name) \(representation.plainType) \(base)"
  }

  /// This document, if it has been made before.
  var documentBody: Work.Body? { service.documents.withLockedValue { $0[documentKey] } }

  /// The work for a document, whose bytes are made the first time; work for the event loop if it is
  /// there already.
  func document(_ make: @escaping @Sendable () -> [UInt8]) -> Work {
    let acceptsGzip = Gzip.isAccepted(by: request.fields[.acceptEncoding])
    @Sendable func chosen(_ body: Work.Body) -> Work.Body {
      Work.Body(bytes: body.bytes, packed: acceptsGzip ? body.packed : nil)
    }
    if let known = documentBody { return Work(on: .inline) { _ in chosen(known) } }
    return Work(on: .documents) { _ in
      var body = Work.Body(bytes: make())
      if body.bytes.count >= ServiceLimits.compressedLength {
        body.packed = Gzip.compressed(body.bytes, level: 9)
      }
      service.documents.withLockedValue { documents in
        if documents.count >= Self.keptDocuments { documents = [:] }
        documents[documentKey] = body
      }
      return chosen(body)
    }
  }
}
