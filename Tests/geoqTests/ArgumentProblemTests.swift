import Testing

@testable import geoq

struct ArgumentProblemTests {
  @Test
  func `a problem is one sentence`() {
    #expect(ArgumentProblem("no such field").description == "no such field")
    #expect(
      ArgumentProblem(expected: "LAT,LON", got: "").description == #"expected LAT,LON, got """#
    )
    #expect(
      ArgumentProblem(expected: "a number", got: "\u{202E}1").description
        == #"expected a number, got "\u{202e}1""#
    )
  }
}
