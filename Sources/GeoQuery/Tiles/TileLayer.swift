/// A layer of the tiles, for their descriptions.
package struct TileLayer {
  /// Its name in the tiles.
  package let name: String

  /// Its contents, in a sentence.
  package let summary: String

  /// The keys of its features, with their types as in TileJSON.
  package let fields: [(name: String, type: String)]

  /// The title of a file of tiles.
  package static let setName = "Restaurants"

  /// The contents of a file of tiles, in a sentence.
  package static let setSummary = "Restaurants, and clusters of them with exact counts."

  /// All layers.
  package static var all: [TileLayer] {
    [
      TileLayer(
        name: "restaurants",
        summary: "Restaurants, one by one.",
        fields: [("id", "String"), ("name", "String"), ("category", "String")]
      ),
      TileLayer(
        name: "clusters",
        summary: "Restaurants that share a cell of a grid of 64 by 64.",
        fields: [
          ("point_count", "Number"), ("point_count_abbreviated", "String"), ("category", "String"),
          ("category_share", "Number"), ("expansion_zoom", "Number"),
        ]
      ),
    ]
  }

  /// The value of `vector_layers` in TileJSON 3.0 (§3.3) and in the metadata of PMTiles.
  package static var vectorLayers: String {
    let layers = all.map { layer in
      let fields = layer.fields.map { "\"\($0.name)\":\"\($0.type)\"" }.joined(separator: ",")
      return
        "{\"id\":\"\(layer.name)\",\"description\":\"\(layer.summary)\",\"fields\":{\(fields)}}"
    }
    return "[\(layers.joined(separator: ","))]"
  }
}
