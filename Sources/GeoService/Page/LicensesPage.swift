/// The page that names other people's work in the pages, and its licenses.
enum LicensesPage {
  /// The document.
  static func bytes(_ context: PageContext) -> [UInt8] {
    let map: HTML =
      context.maps.library == nil
      ? "<p>This geoq was built without the map library.</p>"
      : """
      <h2>OpenLayers 10.9.0</h2>
      <p>It draws the maps. BSD-2-Clause; its full build has in it RBush, quickselect, Earcut, PBF, GeoTIFF.js, \
      LERC, pako, quick-lru, xml-utils, float16, web-worker (MIT, ISC, BSD, Apache-2.0) and zarrita (MIT).</p>
      <pre>\(PageAsset.mapLibraryLicense)</pre>
      <h2>Natural Earth</h2>
      <p>The outlines of the land are made with Natural Earth, which is in the public domain.</p>
      """
    let main: HTML = """
      <article class="detail terms"><h1>Licenses</h1>
      \(map)
      <h2>The service</h2>
      <p>geoq stands on SpatiaLite and SQLite, GRDB (MIT), SwiftNIO, Swift Argument Parser and other \
      packages of the Swift project (Apache-2.0), zlib and libcurl. Its own license is in the repository.</p>
      </article>
      """
    return PageShell.bytes(title: "Licenses", context, main)
  }
}
