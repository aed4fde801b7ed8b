/// What one request, one connection and one service may take.
package enum ServiceLimits {
  /// Bytes of one header field, and of all.
  package static let headerLength = 16_384
  /// Header fields of a request.
  package static let headerCount = 100
  /// Bytes of a body.
  package static let bodyLength = 1 << 20
  /// Restaurants that `/nearest` lists.
  package static let count = 1_000
  /// Restaurants in one answer.
  package static let features = 10_000
  /// Points of a `POST /nearest`.
  package static let points = 1_000
  /// Categories of a `POST /nearest`.
  package static let categories = 1_000
  /// Entries of a comma list in a query.
  package static let listEntries = 32
  /// Bytes of a text that a request filters by, as UTF-8.
  package static let textLength = 256
  /// Requests for favourites at a time: they wait for one another.
  package static let favoriteRequests = 16
  /// Metres: the circumference's half at the equator, more than any two points are apart.
  package static let radius = 20_037_508
  /// Seconds for a header, and for a connection without a request.
  package static let idleSeconds: Int64 = 10
  /// Seconds without a byte of a body, less than a connection may be idle: then it is told why.
  package static let bodyPauseSeconds: Int64 = 8
  /// Seconds for a whole body.
  package static let bodySeconds: Int64 = 15
  /// Seconds in which a reader has to take `writeProgressBytes`.
  package static let writeSeconds: Int64 = 10
  /// 1 KB a second.
  package static let writeProgressBytes = 10_240
  /// Bytes of a body that are still read after the answer.
  package static let drainBytes = 65_536
  /// Connections at a time.
  package static let connections = 4_096
  /// Queries at a time.
  package static let queries = 64
  /// Bytes of answers that wait for their readers, all connections together.
  package static let unsentBytes = 1 << 26
  /// Bytes up to which an answer is sent at once, and does not count as waiting.
  package static let smallAnswer = 1 << 14
  /// Bytes of a larger answer that are sent at a time.
  package static let pieceLength = 1 << 16
  /// Seconds for running requests when the service ends.
  package static let shutdownSeconds: Int64 = 10
  /// Bytes from which an answer is compressed.
  package static let compressedLength = 8_192
}
