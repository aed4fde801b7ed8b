import Foundation
import GeoFeed
import GeoQuery

/// The path of a file at the end of a chain of symbolic links, whether or not there is a file yet.
func pathBehindLinks(_ path: String) -> String {
  var place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  // a link to what is not there yet is left as it is; as many as Linux follows
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
