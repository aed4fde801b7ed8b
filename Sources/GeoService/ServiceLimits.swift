/// The limits of requests, connections and the whole service.
package enum ServiceLimits {
  /// The maximum length of one header field, and of all together, in bytes.
  package static let headerLength = 16_384
  /// The maximum number of header fields of a request.
  package static let headerCount = 100
  /// The maximum length of a body in bytes: four times that of the largest batch that is accepted.
  package static let bodyLength = 1 << 18
  /// A body may arrive in this many pieces, and one more for every 16 bytes: a piece costs more
  /// than its bytes.
  package static let bodyPieces = 256
  /// The maximum number of restaurants of `/nearest`.
  package static let count = 1_000
  /// The maximum number of restaurants in one answer.
  package static let features = 10_000
  /// The maximum number of restaurants in a page for people: HTML takes ten times as long to write.
  package static let featuresOfPage = 1_000
  /// The maximum number of offers in one answer.
  package static let offers = 1_000

  /// Restaurants in a tile from which it may take longer than a short query.
  package static let restaurantsOfTile = 1_000_000
  /// The maximum memory for the tiles that are kept, in bytes.
  package static let keptTileBytes = 1 << 24
  /// The maximum number of cells that the box of `/density` may touch.
  package static let cells = 65_536
  /// The maximum number of cells that it touches if the request does not choose the zoom.
  package static let chosenCells = 4_096
  /// How long a batch is answered before others have their turn.
  package static let batchTurn = Duration.milliseconds(20)
  /// The maximum number of points of a `POST /nearest`.
  package static let points = 1_000
  /// The maximum length of the body of `POST /search`, in bytes.
  package static let searchLength = 4 << 20
  /// The maximum number of fields that a `POST /search` counts by.
  package static let facets = 8
  /// The maximum number of categories of one request, in a query or a body.
  package static let listEntries = 32
  /// The maximum number of conditions of a request's `filter`.
  package static let conditions = 8
  /// The maximum number of ids of a request's `ids`.
  package static let ids = 100
  /// The maximum length of a text that a request filters by, in bytes of UTF-8.
  package static let textLength = 256
  /// The maximum number of requests that read favorites at a time, and of those that write them.
  package static let favoriteRequests = 16
  /// The maximum radius in meters: half the equator, which is longer than any distance on the
  /// ellipsoid.
  package static let radius = 20_037_508
  /// The maximum length of a body that changes favorites or opens a session, in bytes.
  package static let smallBodyLength = 1_024
  /// The maximum length of a form, which has the address of the page to return to, in bytes.
  package static let formLength = 16_384
  /// The maximum memory for bodies of all connections, in bytes.
  package static let bodyBytes = 1 << 25
  /// The share of the memory for bodies and answers that one peer may have: 1 / 4.
  package static let shareOfMemory = 4
  /// Seconds until the head of a request must be complete.
  package static let headSeconds: Int64 = 10
  /// Seconds until a connection without a request is closed.
  package static let idleSeconds: Int64 = 10
  /// Seconds without a byte of a body until it is rejected with a reason; shorter than
  /// `idleSeconds`.
  package static let bodyPauseSeconds: Int64 = 8
  /// Seconds until a body must be complete.
  package static let bodySeconds: Int64 = 15
  /// Seconds in which a client must read `writeProgressBytes`; it is cut off after two such
  /// periods.
  package static let writeSeconds: Int64 = 10
  /// 1 KB a second.
  package static let writeProgressBytes = 10_240
  /// Bytes of a body that are still read after the answer has been sent.
  package static let drainBytes = 65_536
  /// The maximum number of connections.
  package static let connections = 4_096
  /// The maximum number of connections of one peer.
  package static let connectionsOfPeer = 256
  /// The share of all connections that is for peers with few of them: the last 1 / 16.
  package static let reservedShare = 16
  /// The number of connections up to which a peer has few.
  package static let reservedConnections = 8
  /// File descriptors that are reserved for the database, its index and the log.
  package static let otherDescriptors = 64
  /// Seconds for a query, including waiting.
  package static let querySeconds: Int64 = 5
  /// The maximum number of queries at a time.
  package static let queries = 64
  /// The number of queries that each peer may always have, even if others have reached the maximum.
  package static let minimumQueries = 4
  /// The maximum number of plans at a time: searches for a group of places, which may take
  /// `querySeconds`.
  package static let plans = 16
  /// The maximum size of answers that wait for their readers, for all connections, in bytes.
  package static let unsentBytes = 1 << 26
  /// Bytes up to which an answer is sent at once and is not counted as waiting.
  package static let smallAnswer = 1 << 16
  /// Bytes of a larger answer that are sent at a time.
  package static let pieceLength = 1 << 16
  /// Seconds that running requests have when the service ends.
  package static let shutdownSeconds: Int64 = 8
  /// Seconds within which an empty query must return for the service to be ready.
  package static let readySeconds: Int64 = 1
  /// Bytes from which an answer is compressed.
  package static let compressedLength = 8_192
}
