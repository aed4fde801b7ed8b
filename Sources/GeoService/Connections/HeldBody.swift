import NIOCore

/// The bytes of a body as they arrive, counted against the limit for all bodies.
struct HeldBody {
  private(set) var bytes: [UInt8] = []
  private var taken = 0
  private let budget: SharedBudget
  private let peer: Peer

  init(_ budget: SharedBudget, _ peer: Peer) {
    self.budget = budget
    self.peer = peer
  }

  /// Adds bytes that have arrived.
  ///
  /// - Throws: `Problem` 413 if the body is too long, 503 if other bodies have used up the memory.
  mutating func append(_ buffer: ByteBuffer, limit: Int) throws {
    let count = buffer.readableBytes
    guard bytes.count + count <= limit else { throw Problem.bodyTooLarge(limit) }
    do {
      try budget.take(count, for: peer)
    } catch {
      throw Problem.busy("too many bodies are being read; try again")
    }
    taken += count
    bytes.append(contentsOf: buffer.readableBytesView)
  }

  mutating func release() {
    budget.give(taken, for: peer)
    taken = 0
    bytes = []
  }
}
