/// A small browser for the service's own pages.
enum InternetsPage {
  /// The document.
  static func bytes(_ context: PageContext) -> [UInt8] {
    let start = context.address(.items, [("f", "html")])
    let links = [(Route.items, "Restaurants"), (.collections, "Collections"), (.apiPage, "API")].map
    {
      route,
      title -> HTML in
      let address =
        route == .apiPage ? context.address(route) : context.address(route, [("f", "html")])
      return "<li><a class=\"chip\" target=\"frame\" href=\"\(address)\">\(title)</a></li>"
    }
    let main: HTML = """
      <h1 class="hidden">Internets</h1>
      <div class="browser"><div class="bar" role="group" aria-label="Frame">
      <button type="button" id="frame-back" hidden disabled>Back</button>
      <button type="button" id="frame-next" hidden disabled>Next</button>
      <button type="button" id="frame-refresh" hidden>Refresh</button>
      <a class="button" id="frame-out" href="\(start)" target="_blank" rel="noopener">Open in a new tab</a></div>
      <ul class="chips" aria-label="Pages to start from">\(links)</ul>
      <iframe name="frame" id="frame" title="Pages of the service" src="\(start)"></iframe></div>
      """
    return PageShell.bytes(title: "Internets", context, main)
  }
}
