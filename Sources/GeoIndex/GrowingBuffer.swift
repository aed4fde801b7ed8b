/// An append-only buffer of plain values that starts in memory lent to it.
///
/// Most walks over the tree find little: they need no memory of their own. Whoever makes a buffer
/// deallocates it.
struct GrowingBuffer<Element> {
  private(set) var count = 0
  private var room: Int
  private var base: UnsafeMutablePointer<Element>
  private var isLent = true

  /// - Parameters:
  ///   - scratch: memory for `room` elements, which must outlive the buffer.
  ///   - room: how many elements fit there.
  @inline(__always)
  init(scratch: UnsafeMutableRawPointer, room: Int) {
    self.room = room
    base = scratch.bindMemory(to: Element.self, capacity: room)
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { base[index] }
    nonmutating set { base[index] = newValue }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == room { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// Forgets the elements and keeps the room.
  @inline(__always)
  mutating func removeAll() {
    count = 0
  }

  @inline(never)
  private mutating func grow() {
    let wider = UnsafeMutablePointer<Element>.allocate(capacity: 2 * room)
    wider.moveInitialize(from: base, count: count)
    deallocate()
    base = wider
    isLent = false
    room *= 2
  }

  /// Gives memory of its own back.
  @inline(__always)
  func deallocate() {
    if !isLent { base.deallocate() }
  }
}
