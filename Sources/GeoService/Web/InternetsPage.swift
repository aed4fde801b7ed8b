extension Endpoint {
  static let internets = page("internets", "/app/internets") { $0.page(InternetsPage.bytes) }
  static let licenses = page("licenses", "/app/licenses") { $0.page(LicensesPage.bytes) }
}

extension RequestContext {
  fileprivate func page(_ bytes: @escaping @Sendable (PageContext) -> [UInt8]) -> Work {
    Work(on: .queries) { _ in Work.Body(bytes: bytes(try PageContext(self, view))) }
  }
}

/// A small browser inside the page for the site that the operator has named.
///
/// The service's own pages are never in it, because they would show the whole page once more.
enum InternetsPage {
  static func bytes(_ context: PageContext) -> [UInt8] {
    PageLayout.bytes(title: "Internets", context, context.settings.webHome.map(browser) ?? none)
  }

  private static func browser(_ home: WebAddress) -> HTML {
    """
    <h1 class="hidden">Internets</h1>
    <div class="browser"><div class="bar" role="group" aria-label="\(home.host)">
    <button type="button" id="frame-back" hidden disabled>Back</button>
    <button type="button" id="frame-next" hidden disabled>Next</button>
    <button type="button" id="frame-refresh" hidden>Refresh</button>
    <a class="button" href="\(home.text)" \(HTML.outside)>Open in a new tab</a></div>
    <iframe name="frame" id="frame" title="\(home.host)" src="\(home.text)" referrerpolicy="no-referrer" \
    sandbox="allow-same-origin allow-scripts allow-forms allow-popups"></iframe>
    <p class="quiet">Is the frame empty? Some sites refuse to be shown inside others: open them in a new tab.</p></div>
    """
  }

  private static let none = PageLayout.empty(
    .plate,
    "No site here",
    "The operator of this service can name one with <code>geoq serve --web-home</code>."
  )
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
