import Testing

@testable import GeoService

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The date of an answer")
struct HTTPDateTests {
  @Test
  func `is written as RFC 9110 has it, in leap years and at the ends of years too`() {
    let known: [(time_t, String)] = [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
    ]
    for (second, text) in known { #expect(HTTPDate.text(of: second) == text) }
  }
}
