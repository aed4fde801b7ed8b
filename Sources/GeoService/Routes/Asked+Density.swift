import GeoIndex
import GeoQuery

extension Asked {
  /// `GET /density`.
  func density() throws -> AnswerPlan {
    let filter = try query().filter
    let box = try parameters.box() ?? snapshot.shownExtent ?? .world
    let zoom = parameters.text(.zoom).flatMap(DecimalText.integer)
    let cells =
      zoom.map { CellRange(box, zoom: $0) }
      ?? CellRange.fitting(box, atMost: ServiceLimits.chosenCells)
    guard cells.count <= ServiceLimits.cells else {
      throw Problem.invalid(
        "zoom",
        "the box touches \(cells.count) cells at zoom \(cells.zoom), and an answer has at most "
          + "\(ServiceLimits.cells); ask for a smaller zoom or box"
      )
    }
    let isLong = snapshot.count > ServiceLimits.restaurantsOfTile
    let place = place(for: filter)
    return AnswerPlan(at: place == .pool && isLong ? .longPool : place) { deadline in
      let found = try generation.engine.density(in: cells, matching: filter, until: deadline)
      let total = found.reduce(0) { $0 + $1.count }
      var json = JSONWriter()
      json.raw("{\"zoom\":\(cells.zoom),\"count\":\(total),\"cells\":[")
      for (index, cell) in found.enumerated() {
        json.raw(index == 0 ? "\n" : ",\n")
        json.raw("{\"x\":\(cell.x),\"y\":\(cell.y),\"count\":\(cell.count)}")
      }
      json.raw(found.isEmpty ? "]}\n" : "\n]}\n")
      return AnswerPlan.Body(bytes: json.bytes, hits: total)
    }
  }
}
