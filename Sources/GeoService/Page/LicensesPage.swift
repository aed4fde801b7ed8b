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
      <pre>\(openLayers)</pre>
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

  private static let openLayers = """
    BSD 2-Clause License

    Copyright 2005-present, OpenLayers Contributors
    All rights reserved.

    Redistribution and use in source and binary forms, with or without
    modification, are permitted provided that the following conditions are met:

    1. Redistributions of source code must retain the above copyright notice, this
       list of conditions and the following disclaimer.

    2. Redistributions in binary form must reproduce the above copyright notice,
       this list of conditions and the following disclaimer in the documentation
       and/or other materials provided with the distribution.

    THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
    ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
    WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
    DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
    FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
    DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
    SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
    CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
    OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
    OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
    """
}
