/// A small browser inside the page, for the service's own pages or a site that the operator has
/// named.
enum InternetsPage {
  /// The document.
  static func bytes(_ context: PageContext) -> [UInt8] {
    let own = context.address(.items, [("f", "html")])
    let home = context.settings.webHome
    let start = home?.text ?? own
    var links: [HTML] = []
    if let home {
      links.append(
        "<li><a class=\"chip\" target=\"frame\" href=\"\(home.text)\">\(home.host)</a></li>"
      )
    }
    links += [(Endpoint.items, "Restaurants"), (.collections, "Collections"), (.apiPage, "API")].map
    {
      endpoint,
      title -> HTML in
      let address =
        endpoint == .apiPage
        ? context.address(endpoint) : context.address(endpoint, [("f", "html")])
      return "<li><a class=\"chip\" target=\"frame\" href=\"\(address)\">\(title)</a></li>"
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
    return PageShell.bytes(title: "Internets", context, main)
  }

  /// Another site may do what it likes, except navigate the whole page.
  private static let sandbox: HTML =
    " sandbox=\"allow-same-origin allow-scripts allow-forms allow-popups\""

  private static let hint: HTML = """
    <p class="quiet">Some sites refuse to be shown inside others: open them in a new tab.</p>
    """
}
