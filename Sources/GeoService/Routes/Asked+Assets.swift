import HTTPTypes

extension Asked {
  /// The file of this route; nil for other routes, and for files that the program was built
  /// without.
  private var asset: PageAsset? {
    switch route {
    case .pageStyle: .style
    case .pageScript: .script
    case .mapScript: settings.maps.library?.drawing
    case .mapLand: settings.maps.library?.land
    case .mapLibrary: settings.maps.library?.script
    case .mapLibraryStyle: settings.maps.library?.style
    default: nil
    }
  }

  /// Whether the address contains a hash of the file, so that its bytes never change.
  var isNamedByContents: Bool {
    guard let asset else { return false }
    return request.target.utf8.elementsEqual("\(route.path)?v=\(asset.tag)".utf8)
  }

  /// `GET /app/style.css` and other files of pages.
  ///
  /// - Throws: `Problem` 404 if the program was built without the file.
  func pageAsset() throws -> AnswerPlan {
    guard let asset else { throw Problem.unknownPath }
    let isAccepted = Gzip.isAccepted(by: request.fields[.acceptEncoding])
    if asset.isCompressed, isAccepted {
      return .light { AnswerPlan.Body(bytes: asset.bytes, packed: asset.bytes) }
    }
    return document {
      asset.isCompressed ? Gzip.unpacked(asset.bytes, Self.largestAsset) ?? [] : asset.bytes
    }
  }

  /// The maximum size of a file that pages load, in bytes.
  private static let largestAsset = 8 << 20

  /// `GET /app/licenses`.
  func licensesPage() -> AnswerPlan {
    AnswerPlan(at: .pool) { _ in
      AnswerPlan.Body(bytes: LicensesPage.bytes(try context(view(.licenses))))
    }
  }
}
