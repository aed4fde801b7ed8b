import Testing

/// `geoq why`, and the week that `geoq show` prints.
struct WhyCommandTests {
  private let runner = CommandRunner.withSample()
  private let point = ["--at", "32.95,-96.82"]
  private let hopdoddy = "hopdoddy-burger-bar-468cdd36"

  private func why(_ options: String...) -> CommandResult {
    runner.geoq(["why", hopdoddy] + options)
  }

  @Test
  func `a restaurant in the answer – is told with its number`() {
    let result = why("--at", "32.95,-96.82")
    #expect(result.status == 0 && result.err.isEmpty)
    #expect(
      result.out == """
        Hopdoddy Burger Bar (hopdoddy-burger-bar-468cdd36) is in the answer: number 3 of 10, 136 m away

        """
    )
    #expect(why().out.hasSuffix(" is in the answer: number 5 of 15\n"), "\(why().out)")
  }

  @Test
  func `one that is not – is told what fails and what would have it in, which is true`() {
    let few = why("--at", "32.95,-96.82", "-k", "2")
    #expect(
      few.out == """
        Hopdoddy Burger Bar (hopdoddy-burger-bar-468cdd36) is not in the answer:
          -k: 2 restaurants that match are nearer
        It would be in it with -k 3.

        """
    )
    let near = why("--at", "32.95,-96.82", "-r", "100", "--where", "city = Dallas and state = TX")
    #expect(
      near.out == """
        Hopdoddy Burger Bar (hopdoddy-burger-bar-468cdd36) is not in the answer:
          --where: not true that city = dallas; city is Addison
          -r: it is 136 m away, 36 m too far
        It would be in it with -r 136.2, and without --where 'city = dallas'.

        """,
      "\(near.out)"
    )
    let radius = near.out.split(separator: " ").reversed().drop { $0 != "-r" }
    #expect(!radius.isEmpty)
    #expect(
      runner.geoq(["radius", "-r", "136.2", "-f", "ids"] + point).outLines.contains(hopdoddy)
    )
    let box = why("--bbox", "-96.9,32.9,-96.85,33", "--limit", "1")
    let lines = box.outLines
    #expect(
      lines.count == 4 && lines[1].hasPrefix("  --bbox: it is 2.7 km outside the box"),
      "\(lines)"
    )
    #expect(lines.last == "It would be in it with --bbox -96.9,32.9,-96.821118,33.0 and --limit 4.")
  }

  @Test
  func `every option of queries – text, category, area, page – is explained by its name`() {
    let result = why(
      "--text",
      "burger nowhere",
      "--category",
      "Thai",
      "--within",
      "POLYGON((0 0,1 0,1 1,0 0))",
      "--at",
      "32.95,-96.82",
      "--max",
      "100"
    )
    let lines = result.outLines
    #expect(lines.dropFirst().dropLast().count == 4, "\(lines)")
    #expect(
      lines[1]
        == "  --text: no word of its name, category, address or city starts with \"nowhere\""
    )
    #expect(lines[2] == "  --category: its category is Burgers")
    #expect(lines[3].hasPrefix("  --within: it is ") && lines[3].hasSuffix(" km outside the area"))
    #expect(lines[4] == "  --max: it is 136 m away, 36 m too far")
    #expect(
      lines[5]
        == "It would be in it with --max 136.2, and without \"nowhere\" in --text, --category and --within."
    )
    let page = why("--limit", "2", "--sort", "-rating")
    #expect(
      page.out.contains(" matches, as number ")
        && page.out.contains("It would be there with --limit ")
    )
  }

  @Test
  func `JSON – with -f json and --json – is the same document`() {
    let result = why("--at", "32.95,-96.82", "-k", "1", "--where", "rating > 4", "-f", "json")
    #expect(
      result.out == why("--at", "32.95,-96.82", "-k", "1", "--where", "rating > 4", "--json").out
    )
    let json = result.json
    #expect(json["schema"] as? String == "geoq.why/1" && json["id"] as? String == hopdoddy)
    #expect(json["included"] as? Bool == false && json["onPage"] as? Bool == false)
    #expect(json["rank"] == nil && json["total"] as? Int == 0)
    let fails = json["fails"] as? [[String: Any]] ?? []
    #expect(fails.map { $0["part"] as? String } == ["where", "count"])
    #expect(fails.first?["condition"] as? String == "rating > 4.0")
    let remedy = json["remedy"] as? [String: Any] ?? [:]
    #expect(remedy["count"] as? Int == 3 && remedy.count == 2)
  }

  @Test
  func `hours – closed, unknown and for good – are told with the next opening`() {
    let rows = [
      "id,name,lat,lon,hours,closed", "a,A,1,1,Mo-Fr 09:00-17:00,", "c,C,1,3,,",
      "d,D,1,4,24/7,true",
    ]
    runner.folder.write(rows.joined(separator: "\n"), to: "h.csv")
    #expect(runner.geoq("--db", "h.db", "import", "h.csv").status == 0)
    func why(_ id: String) -> [String] {
      runner.geoq("--db", "h.db", "why", id, "--open", "2026-11-27 18:30").outLines
    }
    #expect(
      why("a") == [
        "A (a) is not in the answer:",
        "  --open: it is closed on Fri 2026-11-27 18:30, and opens on Mon 2026-11-30 09:00",
        "It would be in it without --open.",
      ]
    )
    #expect(
      why("c") == [
        "C (c) is not in the answer:",
        "  --open: its opening hours on Fri 2026-11-27 18:30 are not known",
        "It would be in it with --open-unknown.",
      ]
    )
    #expect(why("d")[1] == "  --open: it is closed for good", "\(why("d"))")
  }

  @Test
  func `an unknown id – as with show – is an error, and -e tells what is not in`() {
    for options in [[], ["-e"]] {
      let (why, show) = (
        runner.geoq(["why", "hopdoddy-burger-bar-468cdd3"] + options),
        runner.geoq(["show", "hopdoddy-burger-bar-468cdd3"] + options)
      )
      #expect(why.status == show.status && why.err == show.err && why.out.isEmpty, "\(why.err)")
      #expect(why.status == (options.isEmpty ? 1 : 4) && why.err.contains(hopdoddy))
    }
    #expect(why("-e", "--category", "Thai").status == 4 && why("-e").status == 0)
    runner.geoq("hide", hopdoddy)
    #expect(why().err.contains("is hidden since") && why().status == 1)
  }

  @Test(
    arguments: [
      ["-k", "3"], ["--max", "1km"], ["-r", "1km"], ["--at", "1,2", "-r", "1", "-k", "3"],
      ["--at", "1,2", "--bbox", "1,2,3,4"], ["--bbox", "1,2,3,4", "-k", "3"],
      ["--at", "1,2", "-k", "-1"], ["--at", "1"], ["--sort", "distance"], ["--cursor", "x"],
      ["--open-unknown"],
    ]
  )
  func `options that do not go together – are a usage error`(_ options: [String]) {
    let result = runner.geoq(["why", hopdoddy] + options)
    #expect(result.status == 64 && result.out.isEmpty && !result.err.isEmpty, "\(result.status)")
  }

  @Test
  func `show – a restaurant with hours – prints the week`() {
    let rows = [
      "id,name,lat,lon,hours", "a,A,1,1,\"Mo-Th 11:00-14:00,17:00-22:00; Fr 18:00-02:00\"",
      "b,B,1,2,10:00-sunset", "c,C,1,3,by chance",
    ]
    runner.folder.write(rows.joined(separator: "\n"), to: "h.csv")
    #expect(runner.geoq("--db", "h.db", "import", "h.csv").status == 0)
    let shown = runner.geoq("--db", "h.db", "show", "a", "-f", "table").out
    #expect(
      shown.contains(
        """
        hours      Mo-Th 11:00-14:00,17:00-22:00; Fr 18:00-02:00
        week       Mon  11:00-14:00, 17:00-22:00
                   Tue  11:00-14:00, 17:00-22:00
                   Wed  11:00-14:00, 17:00-22:00
                   Thu  11:00-14:00, 17:00-22:00
                   Fri  18:00-02:00
                   Sat  closed
                   Sun  closed

        """
      ),
      "\(shown)"
    )
    let sunset = runner.geoq("--db", "h.db", "show", "b", "-f", "table").out
    #expect(sunset.contains("week       Mon  ") && sunset.contains("perhaps"), "\(sunset)")
    #expect(
      runner.geoq("--db", "h.db", "show", "c", "-f", "table").out
        .contains("week       not known: geoq does not understand the hours\n")
    )
    let columns = ["show", "a", "-f", "table", "--columns", "name,hours"]
    #expect(!runner.geoq(["--db", "h.db"] + columns).out.contains("week"))
  }
}
