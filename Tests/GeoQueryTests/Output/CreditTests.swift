import GeoQuery
import Testing

/// Whom an answer names, and in which license's name.
struct CreditTests {
  private let sources = [
    Credit(attribution: "© A", license: "ODbL-1.0"), Credit(), Credit(attribution: "B & <b>\"'"),
    Credit(attribution: "© A", license: "https://b.example/terms?a=1&b=2"),
  ]

  @Test func `credits – of several sources – has each text once, in their order`() {
    let credits = Credits(sources)
    #expect(credits.attribution == "© A, B & <b>\"'")
    #expect(credits.licenses == ["ODbL-1.0", "https://b.example/terms?a=1&b=2"])
    #expect(credits.members.map(\.name) == ["attribution", "license"])
  }

  @Test func `credits – as HTML – escapes texts and links licenses that have a page`() {
    #expect(
      Credits(sources).html
        == "© A, B &amp; &lt;b&gt;&quot;&#39; ("
        + "<a href=\"https://opendatacommons.org/licenses/odbl/1-0/\" rel=\"noopener noreferrer\">ODbL-1.0</a>, "
        + "<a href=\"https://b.example/terms?a=1&amp;b=2\" rel=\"noopener noreferrer\">"
        + "https://b.example/terms?a=1&amp;b=2</a>)"
    )
    #expect(
      Credits([.openStreetMap]).html?
        .hasPrefix("<a href=\"https://www.openstreetmap.org/copyright\"") == true
    )
    #expect(Credits([Credit(license: "MIT")]).html == "License: MIT")
    // one Character, but a quote for a browser
    #expect(Credits([Credit(attribution: "\"\u{301}<\u{301}")]).html == "&quot;\u{301}&lt;\u{301}")
  }

  @Test func `credits – without a text – are empty everywhere`() {
    let none = Credits([Credit(), Credit(attribution: "", license: "")])
    #expect(none == .none && none.isEmpty && none.html == nil && none.members.isEmpty)
  }

  @Test func `credit – of a text that is not one short line – is missing`() {
    for text in ["a\nb", "\u{7}", "a\u{202E}b", "a\u{2028}", String(repeating: "é", count: 251)] {
      #expect(!Credit.isValid(text))
      #expect(Credit(attribution: text, license: text) == Credit())
    }
    #expect(Credit(attribution: String(repeating: "é", count: 250)).attribution != nil)
  }

  @Test func `address – of what is not an address of the web – is none`() {
    #expect(Credit.address(of: "javascript:alert(1)") == nil)
    #expect(Credit.address(of: "https://a.example/ b") == nil)
    #expect(Credit.address(of: "HTTPS://a.example/") == "HTTPS://a.example/")
    #expect(Credit.address(of: "CC0-1.0")?.hasPrefix("https://creativecommons.org/") == true)
  }
}
