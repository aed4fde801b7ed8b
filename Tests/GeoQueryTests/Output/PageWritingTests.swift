import GeoIndex
import TestSupport
import Testing

@testable import GeoQuery

/// A long page is written by several cores; its bytes are those of one match after another.
struct PageWritingTests {
  @Test(arguments: AnswerFormat.allCases)
  func `all cores write what one would`(format: AnswerFormat) throws {
    var random = MadeUpRestaurants(seed: 11)
    let file = try TemporarySnapshot(of: random.restaurants(5_000))
    let engine = QueryEngine(file.snapshot)
    for count in [0, 1, 1_024, 1_025, 5_000] {
      let page = try engine.page(Query(.nearest(to: .at(32.95, -96.82), count: count)))
      #expect(page.count == count)
      for writer in [format.writer(), format.feedWriter()] {
        var bytes: [UInt8] = []
        try page.write(with: writer) { bytes += $0 }
        var one = writer
        one.begin(page.summary)
        for match in try page.matches { one.write(match) }
        one.end()
        #expect(bytes == one.takeBytes(), "\(count)")
      }
    }
  }

  @Test
  func `counts by a field are text`() {
    let facets = [Facet(value: "a,\"b", count: 3), Facet(value: nil, count: 1)]
    #expect(
      String(decoding: facets.json(by: "category", of: 3), as: UTF8.self) == """
        {"schema":"geoq.facets/1","field":"category","count":3,"items":[
        {"value":"a,\\"b","count":3},
        {"value":null,"count":1}
        ]}

        """
    )
    let csv = "category,count\r\n\"a,\"\"b\",3\r\n,1\r\n"
    #expect(facets.delimited(.csv, by: "category") == Array(csv.utf8))
    let tsv = "category\tcount\na,\"b\t3\n\t1\n"
    #expect(facets.delimited(.tsv, by: "category") == Array(tsv.utf8))
    #expect(facets.delimited(.ids, by: "category") == nil)
  }
}
