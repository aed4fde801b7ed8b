import HTTPTypes
import NIOConcurrencyHelpers

/// Answers that do not depend on the data: made once, plain and compressed, not for each request.
final class DocumentCache: Sendable {
  /// What decides the bytes of a document.
  struct Key: Hashable, Sendable {
    let route: Route
    let isHTML: Bool
    /// The address of the service as the client sees it.
    let base: String
  }

  /// Clients may name the service by as many addresses before all documents are forgotten.
  private static let limit = 64

  private let bodies = NIOLockedValueBox<[Key: AnswerPlan.Body]>([:])

  /// A document; nil if it has not been made.
  func body(_ key: Key) -> AnswerPlan.Body? { bodies.withLockedValue { $0[key] } }

  /// Keeps a document.
  func keep(_ body: AnswerPlan.Body, for key: Key) {
    bodies.withLockedValue { bodies in
      if bodies.count >= Self.limit { bodies = [:] }
      bodies[key] = body
    }
  }
}

extension Asked {
  private var documentKey: DocumentCache.Key {
    DocumentCache.Key(
      route: route,
      isHTML: representation == .html,
      // the contents of a file of pages name no address
      base: route.isAsset ? "" : links.base
    )
  }

  /// This document, if it has been made before.
  var documentBody: AnswerPlan.Body? { service.documents.body(documentKey) }

  /// The plan for a document.
  ///
  /// - Parameter make: Makes its bytes, the first time.
  /// - Returns: A plan for the event loop if the document is there already.
  func document(_ make: @escaping @Sendable () -> [UInt8]) -> AnswerPlan {
    let acceptsGzip = Gzip.isAccepted(by: request.fields[.acceptEncoding])
    @Sendable func chosen(_ body: AnswerPlan.Body) -> AnswerPlan.Body {
      AnswerPlan.Body(bytes: body.bytes, packed: acceptsGzip ? body.packed : nil)
    }
    if let known = documentBody { return AnswerPlan(at: .loop) { _ in chosen(known) } }
    return AnswerPlan(at: .documents) { _ in
      var body = AnswerPlan.Body(bytes: make())
      if body.bytes.count >= ServiceLimits.compressedLength {
        body.packed = Gzip.compressed(body.bytes)
      }
      service.documents.keep(body, for: documentKey)
      return chosen(body)
    }
  }
}
