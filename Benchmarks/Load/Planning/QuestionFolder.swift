import Foundation
import GeoIndex
import GeoQuery

/// Places and questions as CSV files, for a peer that is asked the same.
final class QuestionFolder {
  private let path: String
  private let size: Int
  private var covers = "latitude,longitude,met,count,cost,ms\n"
  private var meetings = "points,cost,ms\n"
  private var coverCount = 0
  private var meetingCount = 0

  init(path: String, size: Int) {
    self.path = path
    self.size = size
  }

  /// Keeps a question for a group, and its answer.
  func addCover(_ center: Coordinate, _ cover: Cover, milliseconds: Double) {
    coverCount += 1
    guard (3...12).contains(coverCount) else { return }
    covers += "\(center.latitude),\(center.longitude),\(cover.met),\(cover.places.count),"
    covers += "\(cover.cost),\(milliseconds)\n"
  }

  /// Keeps a question for the middle, and the cost of its best answer.
  func addMeeting(_ points: [Coordinate], _ meeting: Meeting, milliseconds: Double) {
    meetingCount += 1
    guard (3...12).contains(meetingCount), let best = meeting.items.first else { return }
    let list = points.map { "\($0.latitude) \($0.longitude)" }.joined(separator: " ")
    meetings += "\(list),\(best.cost),\(milliseconds)\n"
  }

  /// Writes `places-SIZE.csv`, `covers-SIZE.csv` and `meetings-SIZE.csv`.
  func write(_ places: [(coordinate: Coordinate, wants: Int)]) throws {
    var text = "position,latitude,longitude,wants\n"
    for (position, place) in places.enumerated() {
      text +=
        "\(position),\(place.coordinate.latitude),\(place.coordinate.longitude),\(place.wants)\n"
    }
    for (name, text) in [("places", text), ("covers", covers), ("meetings", meetings)] {
      try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)-\(size).csv"))
    }
  }
}
