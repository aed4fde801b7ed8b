import Testing

@testable import GeoStore

struct PostgresAddressTests {
  private func problem(_ text: String) -> String? {
    do throws(PostgresAddress.Problem) {
      _ = try PostgresAddress(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `an address has libpq's own words, and schema`() throws {
    let plain = try PostgresAddress("postgresql://geoq@db.example:5433/lunch")
    #expect(plain.schema == "geoq")
    #expect(plain.connection == "postgresql://geoq@db.example:5433/lunch")
    #expect(plain.shown == plain.connection)
    let long = try PostgresAddress(
      "postgres://a,b:1/x?target_session_attrs=read-write&schema=d%20%22c&sslmode=require"
    )
    #expect(long.schema == "d \"c")
    #expect(long.quotedSchema == "\"d \"\"c\"")
    #expect(
      long.connection == "postgresql://a,b:1/x?target_session_attrs=read-write&sslmode=require"
    )
    #expect(long.shown == "postgresql://a,b:1/x?schema=d \"c")
    #expect(
      try PostgresAddress("postgresql:///x?host=/run/pg").connection
        == "postgresql:///x?host=/run/pg"
    )
    #expect(try PostgresAddress("postgresql://h:5/x?user=me@corp").schema == "geoq")
    #expect(!PostgresAddress.isAddress("postgresql:x"))
    #expect(!PostgresAddress.isAddress("lunch.db"))
  }

  @Test func `a password is refused and never repeated`() {
    for text in [
      "postgresql://me:hunter2@host/x", "postgres://me:hunter2@host",
      "postgresql://:hunter2@host/x",
      "postgresql://me:hun/ter2@host/x", "postgresql://me:hun@ter2@host/x",
      "postgresql://host/x?password=hunter2", "postgresql://host/x?%70assword=hunter2",
      "postgresql://host/x?a=b&sslpassword=hunter2", "postgresql://me:hun%ter2@host/x",
    ] {
      let said = problem(text)
      #expect(said?.contains("must not have a password") == true, "\(text)")
      #expect(said?.contains("ter2") == false)
    }
  }

  @Test func `a text that is not an address is refused without its text`() {
    for text in [
      "postgresql://h/x?schema=", "postgresql://h/x?schema=pg_catalog",
      "postgresql://h/x?schema=PG_x",
      "postgresql://h/x?schema=information_schema", "postgresql://h/x?schema=a%00b",
      "postgresql://h/x?schema=\(String(repeating: "s", count: 64))", "postgresql://h/x?schema",
      "postgresql://h/x secret", "postgresql://h/x\u{1}", "mysql://secret",
      "postgresql://h/x?schema=%FFsecret",
      "postgresql://" + String(repeating: "secret", count: 1_000),
    ] {
      let said = problem(text)
      #expect(said != nil, "\(text)")
      #expect(said?.contains("secret") != true)
      #expect(said?.contains("expected postgresql://") == true)
    }
  }

  @Test func `the number of an error is found in any language`() {
    let failure = PostgresFailure(
      connecting: """
        Verbindung zum Server auf »h«, Port 5 fehlgeschlagen: FATAL:  28P01: Passwort falsch
        LOCATION:  auth_failed, auth.c:337

        """
    )
    #expect(failure.state == "28P01")
    #expect(
      failure.message
        == "Verbindung zum Server auf »h«, Port 5 fehlgeschlagen: FATAL:  Passwort falsch"
    )
    #expect(PostgresFailure(connecting: "no route: to host").state.isEmpty)
    #expect(PostgresFailure(connecting: "a:  12345").state.isEmpty)
    let long = PostgresFailure(connecting: String(repeating: "x: ", count: 100_000))
    #expect(long.message.count <= 400)
  }

  @Test func `a server, a PostGIS and a schema that are too old are named`() {
    #expect(
      PostgresSession.problem(serverVersion: 120_012)
        == "the server is PostgreSQL 12; geoq needs 13 or later"
    )
    #expect(PostgresSession.problem(serverVersion: 130_000) == nil)
    #expect(
      PostgresCreation.problem(postgis: "2.5.3")
        == "the database has PostGIS 2.5.3; geoq needs 3.0 or later"
    )
    #expect(PostgresCreation.problem(postgis: "3.3.2") == nil)
    #expect(PostgresCreation.problem(postgis: "x") != nil)
    #expect((1...2).allSatisfy { PostgresSession.problem(version: $0) == nil })
    #expect(
      PostgresSession.problem(version: Int64(PostgresSchema.version) + 1)?.contains("newer geoq")
        == true
    )
  }

  @Test func `a missing library is one sentence`() {
    let error = #expect(throws: MissingLibrary.self) {
      try PostgresLibrary(names: ["libnosuchpq.so.5"])
    }
    #expect(
      error?.description.hasPrefix("libpq, which talks to PostgreSQL, cannot be loaded (") == true
    )
    #expect(error?.description.contains("libpq5 on Debian") == true)
    // a library that is there and is not libpq
    #expect(throws: MissingLibrary.self) { try PostgresLibrary(names: ["libc.so.6"]) }
  }
}
