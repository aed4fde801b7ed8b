import Foundation
import GeoFeed
import GeoQuery

/// The path of a file at the end of a chain of symbolic links, whether or not the file exists.
func pathBehindLinks(_ path: String) -> String {
  var place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  // Foundation leaves a link to a missing file unresolved; like Linux, follows at most 40
  for _ in 0..<40 {
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else {
      break
    }
    let folder = (place as NSString).deletingLastPathComponent
    let next = target.hasPrefix("/") ? target : folder + "/" + target
    place = URL(fileURLWithPath: next).resolvingSymlinksInPath().path
  }
  return place
}
