import Testing

@testable import GeoService

/// What joins a request to the logs of other programs.
struct TraceFieldsTests {
  private static let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test(
    arguments: [
      valid, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
      "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-adds",
    ]
  )
  func `traceparent – as the standard has it – is taken over`(text: String) {
    #expect(TraceFields.traceParent(text) == text)
  }

  @Test(
    arguments: [
      nil, "", "00", valid + "0", valid + "-x", valid.uppercased(), " " + valid,
      "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
      "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.x",
      "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-\"x",
      valid.replacing("00-", with: "cc-") + "-" + String(repeating: "x", count: 99),
    ]
  )
  func `traceparent – anything else – is ignored`(text: String?) {
    #expect(TraceFields.traceParent(text) == nil)
  }

  @Test func `request id – visible characters, 128 at most – is taken over`() {
    let longest = String(repeating: "a", count: 128)
    for id in ["a", "7f3e-19", "req_1:2/3+4=", longest] { #expect(TraceFields.requestID(id) == id) }
    let others = [nil, "", longest + "a", "a b", "a\"", "a\\", "a,b", "é", "a\u{7F}", "a\n", "<a>"]
    for id in others { #expect(TraceFields.requestID(id) == nil) }
  }
}
