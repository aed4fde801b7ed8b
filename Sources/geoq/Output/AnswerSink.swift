/// Where an answer's bytes go.
struct AnswerSink {
  /// Takes bytes; they may wait in a buffer.
  let write: ([UInt8]) throws -> Void

  /// Sends what waits, so that a reader who is waiting too gets it.
  let flush: () throws -> Void
}
