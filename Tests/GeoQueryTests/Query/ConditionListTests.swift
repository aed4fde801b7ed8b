import GeoQuery
import Testing

/// Several conditions in one text.
struct ConditionListTests {
  @Test func `and joins conditions, in any case`() throws {
    let expected = [
      try Condition("rating >= 4"), try Condition("city = Dallas"), try Condition("open = true"),
    ]
    #expect(try Condition.list("rating >= 4 and city=Dallas AND open = true") == expected)
    #expect(try Condition.list("city = Dallas") == [expected[1]])
  }

  @Test func `and within quotes or a word joins nothing`() throws {
    let salt = try Condition(.name, .equal, "Salt and Pepper")
    #expect(try Condition.list("name = 'Salt and Pepper'") == [salt])
    let glorias = try Condition(.name, .contains, "gloria's and sons")
    #expect(
      try Condition.list("name ~ 'Gloria''s and Sons' and city = Anderson")
        == [glorias, try Condition(.city, .equal, "anderson")]
    )
    #expect(
      try Condition.list("name = Gloria's and city = Andover")
        == [try Condition(.name, .equal, "Gloria's"), try Condition(.city, .equal, "Andover")]
    )
    #expect(try Condition("name = ''''") == Condition(.name, .equal, "'"))
  }

  @Test func `double quotes are quotes too`() throws {
    let salt = try Condition(.name, .equal, "Salt and Pepper")
    #expect(try Condition.list("name = \"Salt and Pepper\"") == [salt])
    #expect(
      try Condition.list("name ~ \"the \"\"Joe's\"\"\" and city = \"Andover\"")
        == [
          try Condition(.name, .contains, "the \"Joe's\""), try Condition(.city, .equal, "Andover"),
        ]
    )
    #expect(
      try Condition.list("extra.\"opening 'hours\" = late")
        == [try Condition(extra: ["opening 'hours"], .equal, "late")]
    )
  }

  @Test(arguments: [
    "", " ", "and", "rating >= 4 and ", "rating >= 4 and", " and rating >= 4",
    "name = 'Salt and Pepper", "name = \"Salt and Pepper", "name = 'a\"", "name = \"a\"b\"",
    "name = 'a'b'", "name = 'a''", "name = ''",
    "rating >= 4 or city = Dallas",
  ])
  func `what is not a condition is refused`(text: String) {
    #expect(throws: QueryError.self) { try Condition.list(text) }
  }

  @Test(arguments: [
    "city = Paris or rating > 4", "name ~ Surf OR Turf", "city = A or city = B and open = true",
  ])
  func `value – the word or without quotes – is refused with how to quote it`(text: String) {
    do {
      _ = try Condition.list(text)
      Issue.record("\(text) is taken")
    } catch {
      #expect(error.reason.contains("name = 'Surf or Turf'"), "\(error.reason)")
    }
  }

  @Test(arguments: [
    "name ~ 'Surf or Turf'", "name = Oregon", "name ~ or", "city = Normal or", "name = \"A or B\"",
  ])
  func `value – or in quotes or in another word – is taken`(text: String) throws {
    #expect(try Condition.list(text).count == 1)
  }

  @Test func `there are limits`() throws {
    let nine = Array(repeating: "open = true", count: 9).joined(separator: " and ")
    #expect(try Condition.list(nine, atMost: 9).count == 9)
    #expect(throws: QueryError.self) { try Condition.list(nine, atMost: 8) }
    let text = "name = \(String(repeating: "x", count: 10))"
    #expect(try Condition.list(text, valueLength: 10).count == 1)
    #expect(throws: QueryError.self) { try Condition.list(text, valueLength: 9) }
    let long = "name = \(String(repeating: "x", count: 1_000))"
    #expect(throws: QueryError.self) { try Condition.list(long, valueLength: 9) }
  }
}
