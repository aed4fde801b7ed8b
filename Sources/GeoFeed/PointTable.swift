package import GeoIndex
package import GeoQuery

/// The points of a feed with their other values, for queries from many points.
///
/// They are read like records of a feed, but need no name, and keep every column unchanged.
package struct PointTable: Sendable {
  package struct Row: Sendable {
    /// Its line in a table, otherwise the number of its record, from 1.
    package let number: Int

    /// Its position, or what is wrong with it.
    package let position: Result<Coordinate, FeedError>

    /// Its value in each column; null if there is none.
    package let values: [JSONValue]
  }

  package let columns: [String]
  package let rows: [Row]

  /// The warnings about accepted points.
  package private(set) var warnings = ProblemGroups()

  /// A warning about the feed as a whole.
  package let notice: String?

  /// Reads a whole feed.
  package init(_ bytes: any ByteSource, _ reader: FeedReader) throws {
    var reader = reader
    reader.readsPoints = true
    var stream = try reader.stream(bytes)
    notice = stream.notice
    let table = stream.tableColumns
    var (columns, positions) = (table ?? [], [UTF8Key: Int]())
    for (position, name) in columns.enumerated() { positions[UTF8Key(name)] = position }
    var found: [(number: Int, Result<Coordinate, FeedError>, values: [JSONValue])] = []
    while let record = try stream.nextRecord() {
      var values = [JSONValue](repeating: .null, count: columns.count)
      for member in stream.reader.members(of: record) {
        let key = UTF8Key(member.name)
        let position = positions[key, default: columns.count]
        if position == columns.count {
          positions[key] = position
          columns.append(member.name)
          values.append(.null)
        }
        values[position] = member.value
      }
      let number = table == nil ? record.place.record : record.place.line
      do throws(FeedError) {
        let reading = try record.read(stream.reader.position)
        for warning in reading.warnings + [record.warning].compactMap(\.self) {
          warnings.add(record.place.error(warning))
        }
        found.append((number, .success(reading.coordinate), values))
      } catch {
        found.append((number, .failure(error), values))
      }
    }
    let count = columns.count
    self.columns = columns
    rows = found.map { number, position, values in
      let missing = repeatElement(JSONValue.null, count: count - values.count)
      return Row(number: number, position: position, values: values + missing)
    }
  }
}
