import TestSupport
import Testing

@testable import GeoFeed
@testable import GeoQuery

struct RestaurantJSONTests {
  private static let first =
    #"{"id":"a-1","name":"Café \"A\"","category":"Tex Mex","latitude":32.950787,"#
    + #""longitude":179.5,"distance":12.25,"address":"1 Main St, #2","#
    + #""formattedAddress":["1 Main St","Addison"],"phone":"+1","rating":4.5,"priceLevel":2,"#
    + #""closed":true,"source":"f.json","extra":{"x":[0.10,null]}}"#

  private static let second =
    #"{"id":"b","name":"B","latitude":-0.0,"longitude":-179.0,"distance":1000000.0,"#
    + #""source":"f.json"}"#

  @Test func `an answer is one object with its schema, its count and an item a line`() {
    #expect(
      AnswerFormat.json.text(of: Golden.matches) == """
        {"schema":"geoq.matches/1","count":2,"items":[
        \(Self.first),
        \(Self.second)
        ]}

        """
    )
    #expect(
      AnswerFormat.json.text(of: [])
        == "{\"schema\":\"geoq.matches/1\",\"count\":0,\"items\":[]}\n"
    )
  }

  @Test func `lines are the items alone`() {
    #expect(
      AnswerFormat.jsonl.text(of: Golden.matches) == "\(Self.first)\n\(Self.second)\n"
    )
    #expect(AnswerFormat.jsonl.text(of: []).isEmpty)
  }

  @Test func `chosen keys come in the requested order, without missing ones`() {
    #expect(
      AnswerFormat.jsonl.text(of: Golden.matches, fields: [.distance, .phone, .id])
        == "{\"distance\":12.25,\"phone\":\"+1\",\"id\":\"a-1\"}\n"
        + "{\"distance\":1000000.0,\"id\":\"b\"}\n"
    )
    #expect(
      AnswerFormat.json.text(of: [Match(restaurant: .plain("a"))], fields: [.distance])
        == "{\"schema\":\"geoq.matches/1\",\"count\":1,\"items\":[\n{}\n]}\n"
    )
  }

  @Test func `ids come one per line, or ended by NUL for xargs`() {
    #expect(AnswerFormat.ids.text(of: Golden.matches) == "a-1\nb\n")
    #expect(AnswerFormat.ids.text(of: Golden.matches, terminator: "\0") == "a-1\0b\0")
    let split = [Match(restaurant: .plain("a\nb")), Match(restaurant: .plain("c"))]
    #expect(AnswerFormat.ids.text(of: split, terminator: "\0") == "a\nb\0c\0")
  }
}
