import Testing

/// What an import tells about the columns of a feed, its source and its extent.
struct ColumnReportTests {
  private let runner = CommandRunner()

  private static let table =
    "Nr.;Restaurant;Breitengrad;Längengrad;Bezirk\n1;A;52,5;13,4;Nord\n2;B;52;13;Süd\n"

  @Test
  func `import – columns that nothing recognizes – names them and the option`() {
    runner.folder.write(Self.table, to: "a.csv")
    let result = runner.geoq("import", "a.csv")
    #expect(
      result.errLines == [
        "a.csv: 2 read, 2 inserted, 0 updated, 0 unchanged, 0 removed, 0 rejected → geoq.db",
        "not recognized, kept in extra: Nr., Bezirk (--col KEY=COLUMN reads one as a key)",
      ]
    )
    let mapped = runner.geoq(
      "import",
      "a.csv",
      "--col",
      "state=Bezirk",
      "--id-col",
      "Nr.",
      "--source",
      "b"
    )
    #expect(!mapped.err.contains("not recognized"))
  }

  @Test
  func `dry run – a table – prints key, column and first value`() {
    runner.folder.write(Self.table, to: "a.csv")
    let result = runner.geoq("import", "a.csv", "--dry-run")
    #expect(
      result.errLines.dropFirst() == [
        "name ← Restaurant ← A", "latitude ← Breitengrad ← 52.5", "longitude ← Längengrad ← 13.4",
        "not recognized, kept in extra: Nr., Bezirk (--col KEY=COLUMN reads one as a key)",
      ]
    )
    #expect(!runner.folder.names.contains("geoq.db"))
  }

  @Test
  func `import – values that do not fit their column – tells how many and the first`() {
    let table = """
      name;lat;lon;Bewertungen;Geschlossen;website;price
      A;1;2;1.234;nein;foo.example;$$
      B;1;3;viele;Montag;-;12,50
      C;1;4;mehr;Dienstag;NaN;$
      """
    runner.folder.write(table + "\n", to: "a.csv")
    let misfits = [
      #"not read as reviewCount, kept in extra: Bewertungen in 2 of the first 3 records, such as "viele""#,
      #"not read as closed, kept in extra: Geschlossen in 2 of the first 3 records, such as "Montag""#,
      #"not read as website, kept in extra: website in 2 of the first 3 records, such as "foo.example""#,
      #"not read as priceLevel, kept in extra: price in 1 of the first 3 records, such as "12,50""#,
    ]
    let dry = runner.geoq("import", "a.csv", "--dry-run").errLines
    #expect(Set(dry).isSuperset(of: misfits), "\(dry)")
    #expect(dry.contains("reviewCount ← Bewertungen ← 1.234"))
    #expect(Set(runner.geoq("import", "a.csv").errLines).isSuperset(of: misfits))
  }

  @Test
  func `import – from a descriptor or a pipe – has the source stdin`() {
    runner.folder.write("id,name,lat,lon\n1,A,52.5,13.4\n", to: "a.csv")
    for command in [
      #""$GEOQ" import <(cat a.csv)"#, #""$GEOQ" import /dev/stdin < a.csv"#,
      #"mkfifo p; cat a.csv > p & "$GEOQ" import p"#,
    ] {
      let result = runner.shell("bash -c '\(command)'")
      #expect(result.err.hasPrefix("stdin: 1 read"), "\(result.err)")
    }
    let named = runner.shell(
      #"bash -c '"$GEOQ" import <(cat a.csv) --source x --allow-duplicates'"#
    )
    #expect(named.err.contains("x: 1 read"), "\(named.err)")
  }

  @Test
  func `import – the extent changes – prints both`() {
    runner.folder.write("id,name,lat,lon\n1,A,52.5,13.4\n2,B,52,13\n3,C,51,13\n", to: "a.csv")
    #expect(!runner.geoq("import", "a.csv").err.contains("extent"))
    runner.folder.write("id,name,lat,lon\n1,A,52.5,13.4\n2,B,52,13\n3,C,51,14\n", to: "a.csv")
    #expect(
      runner.geoq("import", "a.csv").err
        .contains("extent: 13.0,51.0,14.0,52.5 (was 13.0,51.0,13.4,52.5)")
    )
    #expect(!runner.geoq("import", "a.csv").err.contains("extent"))
  }

  @Test
  func `update – moved or emptied – is refused with the option that allows it`() {
    runner.folder.write(
      "id,name,lat,lon,rating\n1,A,52.5,13.4,4\n2,B,52,13,4\n3,C,51,13,4\n",
      to: "a.csv"
    )
    runner.geoq("import", "a.csv")
    runner.folder.write(
      "id,name,lat,lon,rating\n1,A,13.4,52.5,4\n2,B,13,52,4\n3,C,13,51,4\n",
      to: "a.csv"
    )
    let moved = runner.geoq("import", "a.csv")
    #expect(moved.status == 65 && moved.err.contains("use --allow-moved to import it anyway"))
    #expect(runner.geoq("import", "a.csv", "--allow-moved").status == 0)
    runner.folder.write(
      "id,name,lat,lon,rating\n1,A,13.4,52.5,\n2,B,13,52,\n3,C,13,51,\n",
      to: "a.csv"
    )
    let emptied = runner.geoq("import", "a.csv")
    #expect(emptied.status == 65 && emptied.err.contains("use --allow-loss to import it anyway"))
    #expect(runner.geoq("import", "a.csv", "--allow-loss").status == 0)
  }
}
