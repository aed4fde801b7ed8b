/// Runs a body with scratch memory as the search kernels want it, aligned to 16 bytes.
func withScratch<Result>(
  _ byteCount: Int,
  _ body: (UnsafeMutableRawPointer) throws -> Result
) rethrows -> Result {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
  defer { memory.deallocate() }
  return try body(memory)
}
