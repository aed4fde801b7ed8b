import Testing

@testable import GeoQuery

struct IdentityTests {
  @Test func `a slug keeps ASCII letters and digits and joins the rest by single hyphens`() {
    #expect(slug(of: "In-N-Out Burger") == "in-n-out-burger")
  }
}
