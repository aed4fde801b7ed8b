// The C library, for all files of the module.
#if canImport(Glibc)
@_exported import Glibc
#else
@_exported import Darwin
#endif

/// The instructions that the tool is built with (`make build CPU=haswell`).
enum InstructionSet {
  #if AVX2
  static let name = "x86-64 with AVX2"
  #elseif arch(x86_64)
  static let name = "x86-64"
  #elseif arch(arm64)
  static let name = "arm64"
  #else
  static let name = "other"
  #endif

  /// Ends the process with a sentence if the processor does not have them, which would end it without one.
  ///
  /// By calls of the C library alone: all else may be compiled to such instructions as well.
  static func check() {
    #if AVX2 && os(Linux)
    // the flags of the first core are in the first page
    let file = open("/proc/cpuinfo", O_RDONLY)
    guard file >= 0, let page = calloc(1, 4_097) else { return }
    read(file, page, 4_096)
    close(file)
    let text = page.assumingMemoryBound(to: CChar.self)
    let isOlder = strstr(text, "flags") != nil && strstr(text, " avx2") == nil
    free(page)
    guard isOlder else { return }
    let message: StaticString =
      "Error: This geoq is built for processors with AVX2, and this one has none. Install the plain one.\n"
    write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    exit(69)
    #endif
  }
}
