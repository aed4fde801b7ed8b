import NIOConcurrencyHelpers

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The time for the field `Date` of answers, formatted once a second (RFC 9110, 5.6.7).
final class HTTPDate: Sendable {
  private let last = NIOLockedValueBox<(second: time_t, text: String)>((-1, ""))

  /// The current second.
  func now() -> String {
    let second = time(nil)
    return last.withLockedValue { last in
      if last.second != second { last = (second, Self.text(of: second)) }
      return last.text
    }
  }

  /// A second since 1970, formatted like `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(of second: time_t) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    let day = days[Int(parts.tm_wday)]
    let month = months[Int(parts.tm_mon)]
    let date = "\(padded(parts.tm_mday)) \(month) \(padded(parts.tm_year + 1_900, to: 4))"
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0) }
    return "\(day), \(date) \(time.joined(separator: ":")) GMT"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func padded(_ number: Int32, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
