extension Endpoint {
  static let internets = page("internets", "/app/internets") { context in
    Work(on: .queries) { _ in
      Work.Body(bytes: InternetsPage.bytes(try PageContext(context, context.view)))
    }
  }

  static let licenses = page("licenses", "/app/licenses") { context in
    Work(on: .queries) { _ in
      Work.Body(bytes: LicensesPage.bytes(try PageContext(context, context.view)))
    }
  }
}

/// A small browser inside the page, for the service's own pages or a site that the operator has
/// named.
enum InternetsPage {
  static func bytes(_ context: PageContext) -> [UInt8] {
    let own = context.address(.items, [("f", "html")])
    let home = context.settings.webHome
    let start = home?.text ?? own
    let pages = [(Endpoint.items, "Restaurants"), (.collections, "Collections"), (.apiPage, "API")]
    let starts =
      (home.map { [($0.text, $0.host)] } ?? [])
      + pages.map { endpoint, title in
        (context.address(endpoint, endpoint == .apiPage ? [] : [("f", "html")]), title)
      }
    let links = starts.map { address, title -> HTML in
      "<li><a class=\"chip\" target=\"frame\" href=\"\(address)\">\(title)</a></li>"
    }
    let main: HTML = """
      <h1 class="hidden">Internets</h1>
      <div class="browser"><div class="bar" role="group" aria-label="Frame">
      <button type="button" id="frame-back" hidden disabled>Back</button>
      <button type="button" id="frame-next" hidden disabled>Next</button>
      <button type="button" id="frame-refresh" hidden>Refresh</button>
      <a class="button" id="frame-out" href="\(start)" target="_blank" rel="noopener noreferrer">Open in a new tab</a></div>
      <ul class="chips" aria-label="Pages to start from">\(links)</ul>
      <iframe name="frame" id="frame" title="\(home?.host ?? "Pages of the service")" src="\(start)" \
      referrerpolicy="no-referrer"\(home == nil ? "" : Self.sandbox)></iframe>
      \(home == nil ? "" : Self.hint)</div>
      """
    return PageLayout.bytes(title: "Internets", context, main)
  }

  /// Another site may do what it likes, except navigate the whole page.
  private static let sandbox: HTML =
    " sandbox=\"allow-same-origin allow-scripts allow-forms allow-popups\""

  private static let hint: HTML = """
    <p class="quiet">Some sites refuse to be shown inside others: open them in a new tab.</p>
    """
}

/// The page that names other people's work in geoq, with its licenses.
enum LicensesPage {
  private static let notices: HTML = "<pre>\(Notices.text)</pre>"

  static func bytes(_ context: PageContext) -> [UInt8] {
    let map: HTML =
      context.maps.library == nil ? "<p>This geoq was built without the map library.</p>\n" : ""
    let main: HTML = """
      <article class="detail terms"><h1>Licenses</h1>
      \(map)\(notices)
      </article>
      """
    return PageLayout.bytes(title: "Licenses", context, main)
  }
}
