import Testing

/// `geoq add`, `geoq edit`, `geoq hide`.
struct CorrectionCommandTests {
  private let runner = CommandRunner.withSample()
  private let id = "yard-house-dfd1f6d4"

  private func value(_ key: String, of id: String) -> String? {
    let rows = runner.geoq("show", id, "-f", "tsv", "--columns", key).outLines
    return rows.count == 2 ? rows[1] : nil
  }

  @Test
  func `edit – a value – is what queries and exports have, also after the next import`() {
    let done = runner.geoq("edit", id, "rating=4.9", "phone=")
    #expect(done.status == 0, "\(done.err)")
    #expect(done.err.contains("rating is 4.9 since 20"), "\(done.err)")
    #expect(done.err.contains("phone is removed since 20"), "\(done.err)")
    #expect(value("rating", of: id) == "4.9")
    let sample = runner.geoq("export", "-f", "csv", "-o", "all.csv")
    #expect(sample.status == 0)
    #expect(runner.geoq("list", "--where", "rating = 4.9", "-f", "ids").outLines == [id])
    #expect(runner.geoq("edit", id, "rating=4.9").err == "\(id): nothing to change\n")
    #expect(runner.geoq("edit", id, "--undo").status == 0)
    #expect(value("rating", of: id) == nil)
  }

  @Test
  func `edit – several pictures – have the first as imageURL`() {
    #expect(runner.geoq("edit", id, #"images=["http://a/1.png","http://a/2.png"]"#).status == 0)
    #expect(value("imageURL", of: id) == "http://a/1.png")
    #expect(runner.geoq("edit", id, "images=http://a/3.png").status == 0)
    #expect(value("imageURL", of: id) == "http://a/3.png" && value("images", of: id) == nil)
    #expect(runner.geoq("edit", id, "images", "--undo").status == 0)
    #expect(runner.geoq("edit", "--list").outLines.count == 1)
  }

  @Test
  func `add – what is hidden or corrected – stays so, and says it`() {
    let soup = ["add", "Soup", "--at", "32.95,-96.82"]
    let added = runner.geoq(soup + ["category=Soup", "phone=1"]).err
    let own = String(added.prefix { $0 != ":" })
    #expect(runner.geoq("edit", own, "category=Stew").status == 0)
    #expect(
      runner.geoq(soup + ["category=Bar", "phone=2"]).err
        == "\(own): it was there, and has these values now, but for category, which a correction keeps; "
        + "geoq edit --undo ends it\n"
    )
    #expect(value("category", of: own) == "Stew" && value("phone", of: own) == "2")
    #expect(runner.geoq("hide", own).status == 0)
    #expect(
      runner.geoq(soup).err == "Soup: it is hidden, and stays so; geoq edit --list has its id\n"
    )
    #expect(runner.geoq("add", " ", "--at", "1,1").err.contains("the name is empty"))
  }

  @Test
  func `edit – a list of all corrections – says what the feeds say`() {
    runner.geoq("edit", id, "city=Nowhere")
    runner.geoq("hide", "ramen-hakata-888c0926")
    let list = runner.geoq("edit", "--list").outLines
    #expect(list.count == 3, "\(list)")
    #expect(list.first == "id\tname\tkey\tin the feed\tcorrected to\tsince")
    #expect(list[1].hasPrefix("ramen-hakata-888c0926\tRamen Hakata\thidden\t\t\t20"), "\(list)")
    #expect(list[2].hasPrefix("\(id)\tYard House\tcity\tDallas\tNowhere\t20"), "\(list)")
    let json = runner.geoq("edit", "--list", "--json").out
    #expect(json.contains(#""schema":"geoq.corrections/1""#))
    #expect(json.contains(#""key":"city","feed":"Dallas","value":"Nowhere""#), "\(json)")
    let shown = runner.geoq("show", id, "-f", "table").out
    #expect(shown.contains("city is Nowhere since 20") && shown.contains("(the feed says Dallas)"))
  }

  @Test
  func `edit – a rating with its scale – sets and undoes both, unless the scale is given`() {
    #expect(runner.geoq("edit", id, "rating=8/10").status == 0)
    #expect(value("rating", of: id) == "8.0" && value("ratingScale", of: id) == "10.0")
    #expect(runner.geoq("edit", id, "rating", "--undo").status == 0)
    #expect(value("rating", of: id) == nil && value("ratingScale", of: id) == nil)
    #expect(runner.geoq("edit", id, "rating=8", "ratingScale=20").status == 0)
    #expect(value("ratingScale", of: id) == "20.0")
  }

  @Test(arguments: [
    ("website=foo.com", #""foo.com" is not an address such as https://example.com"#),
    ("rating=-3", #""-3" is not a rating such as 4.5 or 8/10"#),
    ("priceLevel=9", #""9" is not a level from 1 to 4"#),
  ])
  func `edit – a value that the key cannot have – says what is expected`(
    value: String,
    text: String
  ) {
    let refused = runner.geoq("edit", id, value)
    #expect(refused.status != 0 && refused.err.contains(text), "\(refused.err)")
  }

  @Test
  func `edit – some keys undone – keeps the others`() {
    runner.geoq("edit", id, "city=Nowhere", "phone=1")
    #expect(runner.geoq("edit", id, "city", "--undo").status == 0)
    #expect(value("city", of: id) == "Dallas")
    #expect(value("phone", of: id) == "1")
    let again = runner.geoq("edit", id, "city", "--undo")
    #expect(again.status == 1)
    #expect(again.err.contains("nothing was corrected"), "\(again.err)")
  }

  @Test
  func `hide – ids from standard input – are in no answer, and an undo brings them back`() {
    let count = runner.geoq("list", "-f", "count").out
    let ids = runner.geoq("list", "--limit", "2", "-f", "ids").output
    #expect(
      runner.geoq(["hide", "-", "--dry-run"], input: ids).err.contains("2 restaurants would be")
    )
    #expect(runner.geoq("list", "-f", "count").out == count)
    let done = runner.geoq(["hide", "-"], input: ids)
    #expect(done.err == "2 restaurants hidden; geoq edit ID --undo shows one again\n")
    #expect(runner.geoq("list", "-f", "count").out == "13\n")
    let hidden = String(decoding: ids, as: UTF8.self).split(separator: "\n").map(String.init)
    let shown = runner.geoq("show", hidden[0])
    #expect(shown.status == 1)
    #expect(shown.err.contains("is hidden since 20"), "\(shown.err)")
    #expect(runner.geoq("hide", "nobody", hidden[0]).status == 1)
    #expect(runner.geoq("edit", hidden[0], "--undo").status == 0)
    #expect(runner.geoq("list", "-f", "count").out == "14\n")
  }

  @Test
  func `add – a restaurant that no feed has – survives the import of the others`() {
    let added = runner.geoq(
      ["add", "Soup, \"the\" Corner", "--at", "32.9512,-96.8281", "category=Soup", "hours=Mo 9-17"]
    )
    #expect(added.status == 0)
    let line = added.err
    #expect(line.hasPrefix("soup-the-corner-") && line.hasSuffix(": added\n"), "\(line)")
    let id = String(line.prefix { $0 != ":" })
    runner.importSample()
    #expect(value("name", of: id) == "Soup, \"the\" Corner")
    #expect(value("source", of: id) == "own")
    let again = ["add", "Soup, \"the\" Corner", "--at", "32.9512,-96.8281", "category=Stew"]
    #expect(runner.geoq(again).err == "\(id): it was there, and has these values now\n")
    #expect(value("category", of: id) == "Stew")
    #expect(runner.geoq("remove", id).status == 0)
  }

  @Test(
    arguments: [
      (["edit"], "give an id and KEY=VALUE"), (["edit", "x"], "give what to correct"),
      (["edit", "x", "rating"], "expected KEY=VALUE"),
      (["edit", "x", "raiting=4"], "did you mean rating?"),
      (["edit", "x", "id=4"], "no correction changes the key"),
      (["edit", "--list", "x"], "give it alone"),
      (["edit", "x", "--undo", "--json"], "--json goes with"),
      (["add", "x", "--at", "1,2", "latitude=3"], "already given"),
      (["add", "x", "--at", "91,2"], "--at"),
    ] as [([String], String)]
  )
  func `corrections – a wrong use – is one sentence`(_ arguments: [String], _ part: String) {
    let result = runner.geoq(arguments)
    #expect(result.status == 64 && result.err.contains(part), "\(result.err)")
  }

  @Test(
    arguments: [
      ("rating=good", "rating"), ("latitude=91", "latitude"), ("name=", "name"),
      ("closed=x", "closed"),
      ("priceLevel=9", "priceLevel"),
    ]
  )
  func `corrections – a value that the key cannot have – changes nothing`(
    _ change: String,
    _ key: String
  ) {
    let result = runner.geoq("edit", id, "phone=1", change)
    #expect(result.status == 65, "\(result.status)")
    #expect(result.errLines.count == 1 && result.err.contains(key), "\(result.err)")
    #expect(runner.geoq("edit", "--list").out.split(separator: "\n").count <= 1)
    #expect(runner.geoq("edit", "nobody", "phone=1").status == 1)
  }
}
