/// What one request, one connection and one service may take.
package enum ServiceLimits {
  /// Bytes of one header field, and of all.
  package static let headerLength = 16_384
  /// Header fields of a request.
  package static let headerCount = 100
  /// Bytes of a body: four times what the largest batch takes that is accepted.
  package static let bodyLength = 1 << 18
  /// Pieces that a body may come in, besides one for every 16 bytes: each costs more than its bytes.
  package static let bodyPieces = 256
  /// Restaurants that `/nearest` lists.
  package static let count = 1_000
  /// Restaurants in one answer.
  package static let features = 10_000
  /// Restaurants in a page for people: HTML takes ten times as long to write.
  package static let featuresOfPage = 1_000
  /// Offers in one answer.
  package static let offers = 1_000

  /// Restaurants in a tile that may take longer than a short query.
  package static let restaurantsOfTile = 1_000_000
  /// Points of a `POST /nearest`.
  package static let points = 1_000
  /// Categories of one request, in a query or a body.
  package static let listEntries = 32
  /// Conditions of a request's `filter`.
  package static let conditions = 8
  /// Ids of a request's `ids`.
  package static let ids = 100
  /// Bytes of a text that a request filters by, as UTF-8.
  package static let textLength = 256
  /// Requests that read favorites at a time, and as many that write: they wait for one another.
  package static let favoriteRequests = 16
  /// Metres: the circumference's half at the equator, more than any two points are apart.
  package static let radius = 20_037_508
  /// Bytes of a body that changes favorites or opens a session.
  package static let smallBodyLength = 1_024
  /// Bytes of a form of the lunch page, which names the page to come back to.
  package static let formLength = 16_384
  /// Bytes of bodies in memory, all connections together.
  package static let bodyBytes = 1 << 25
  /// Which part of the memory for bodies and answers one peer may have: 1 / 4.
  package static let shareOfMemory = 4
  /// Seconds for the head of a request.
  package static let headSeconds: Int64 = 10
  /// Seconds for a connection without a request.
  package static let idleSeconds: Int64 = 10
  /// Seconds without a byte of a body, less than a connection may be idle: then it is told why.
  package static let bodyPauseSeconds: Int64 = 8
  /// Seconds for a whole body.
  package static let bodySeconds: Int64 = 15
  /// Seconds in which a reader has to take `writeProgressBytes`; it is cut after two such periods.
  package static let writeSeconds: Int64 = 10
  /// 1 KB a second.
  package static let writeProgressBytes = 10_240
  /// Bytes of a body that are still read after the answer.
  package static let drainBytes = 65_536
  /// Connections at a time.
  package static let connections = 4_096
  /// Connections of one peer at a time.
  package static let connectionsOfPeer = 256
  /// File descriptors that are kept free of connections: for the database, its index and the log.
  package static let otherDescriptors = 64
  /// Seconds for a query, waiting included.
  package static let querySeconds: Int64 = 5
  /// Queries at a time.
  package static let queries = 64
  /// Plans at a time: searches for a group of places, which may take as long as a query may.
  package static let plans = 16
  /// Bytes of answers that wait for their readers, all connections together.
  package static let unsentBytes = 1 << 26
  /// Bytes up to which an answer is sent at once, and does not count as waiting.
  package static let smallAnswer = 1 << 16
  /// Bytes of a larger answer that are sent at a time.
  package static let pieceLength = 1 << 16
  /// Seconds for running requests when the service ends.
  package static let shutdownSeconds: Int64 = 8
  /// Seconds after which a query that does nothing has to have come back for the service to be ready.
  package static let readySeconds: Int64 = 1
  /// Bytes from which an answer is compressed.
  package static let compressedLength = 8_192
}
