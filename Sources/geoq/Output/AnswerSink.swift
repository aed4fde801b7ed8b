/// Receives an answer's bytes.
struct AnswerSink {
  /// Adds bytes, which may be buffered.
  let write: ([UInt8]) throws -> Void

  /// Writes the buffered bytes, for a reader that waits for them.
  let flush: () throws -> Void
}
