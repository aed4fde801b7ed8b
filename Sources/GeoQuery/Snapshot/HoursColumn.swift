import GeoIndex

/// The opening hours by position: each different text once, with its states in a week.
///
/// Sections: `hours.c` (numbers, 32 bits), `hours.t` and `hours.e` (texts), `hours.w` and `hours.x` (weeks). A
/// week is empty if the text is not understood; otherwise a byte (1: has holidays, 2: has dates), and, without
/// dates, 16 bits for each change of the state: the minute from Monday, times four, and the state from then on.
struct HoursColumn: Sendable {
  private let codes: NumberColumn<UInt32>
  let texts: TextTable
  private let weeks: TextTable
  /// The timetables with dates, and those with holidays alone, with their numbers; read at the first use.
  private let dated: Lazy<[(number: Int, timetable: Timetable)]>
  private let withHolidays: Lazy<[(number: Int, timetable: Timetable)]>

  /// A snapshot's column; nil if its sections do not fit together.
  init?(of file: SectionFile, count: Int) {
    guard let codes = NumberColumn<UInt32>("hours.c", of: file, count: count),
      let texts = TextTable(("hours.t", "hours.e"), of: file),
      let weeks = TextTable(("hours.w", "hours.x"), of: file, count: texts.count)
    else { return nil }
    self.codes = codes
    self.texts = texts
    self.weeks = weeks
    func timetables(
      where fits: @escaping @Sendable (UInt8) -> Bool
    ) -> Lazy<[(number: Int, timetable: Timetable)]> {
      Lazy {
        let numbers = (0..<texts.count).filter { weeks[$0].first.map(fits) == true }
        return Parallel.mapParts(of: numbers.indices, threads: Parallel.coreCount) { part in
          part.compactMap { index in
            Timetable(texts.string(numbers[index])).map { (number: numbers[index], timetable: $0) }
          }
        }.flatMap { $0 }
      }
    }
    dated = timetables { $0 & 2 != 0 }
    withHolidays = timetables { $0 == 1 }
  }

  /// The text at a position; nil if there is none.
  func text(at position: Int) -> UnsafeRawBufferPointer? {
    let code = Int(codes[position])
    return code < texts.count ? texts[code] : nil
  }

  /// The positions that match; no hours are unknown ones, and places closed for good are closed.
  ///
  /// - Complexity: O(n) bit tests, O(changes) for each different text without dates, O(rules) with dates.
  func positions(_ open: OpenAt, closed: NumberColumn<UInt8>) -> BitSet {
    let minute = UInt16(open.time.weekday * 1_440 + open.time.minute)
    let isHoliday = Timetable.isHoliday(open.time.day) || Timetable.isHoliday(open.time.day - 1)
    let unknown = open.matches(.unknown)
    let matches = (0..<4).map { Timetable.State(rawValue: $0).map(open.matches) ?? unknown }
    return codes.whileMapped {
      var wanted = (0..<texts.count).map { number -> Bool in
        let week = weeks[number]
        guard !week.isEmpty else { return unknown }
        var state: UInt16 = 0
        for offset in stride(from: 1, to: week.count - 1, by: 2) {
          let change = week.loadUnaligned(fromByteOffset: offset, as: UInt16.self).littleEndian
          if change >> 2 > minute { break }
          state = change & 3
        }
        return matches[Int(state)]
      }
      for (number, timetable) in dated() + (isHoliday ? withHolidays() : []) {
        wanted[number] = open.matches(timetable.state(at: open.time))
      }
      // a damaged file may contain any number
      let none = wanted.count
      wanted.append(unknown)
      return wanted.withUnsafeBufferPointer { wanted in
        BitSet(capacity: codes.count) { wanted[min(Int(codes[$0]), none)] && closed[$0] == 0 }
      }
    }
  }

  func fault() -> String? {
    texts.fault("hours") ?? weeks.fault("the weeks of hours")
  }
}

extension CodeColumnBuilder {
  /// Writes the sections of an `HoursColumn`.
  func writeHours(to file: inout SectionFileWriter) throws(SnapshotError) {
    let known = try writeTexts(to: &file)
    let weeks = Parallel.mapParts(of: known.indices, threads: 8) { part in
      part.map { Timetable(String(decoding: known[$0], as: UTF8.self))?.packedWeek ?? [] }
    }
    try file.write(weeks.lazy.flatMap { $0 }, as: ("hours.w", "hours.x"))
  }
}

extension Timetable {
  /// The week as `HoursColumn` has it.
  fileprivate var packedWeek: [UInt8] {
    var bytes: [UInt8] = [(hasHolidays ? 1 : 0) | (isDated ? 2 : 0)]
    if isDated { return bytes }
    // a Monday in June, far from the holidays
    let monday = CalendarDay.number(2026, 6, 1)
    var last: State?
    for day in 0..<7 {
      for change in changes(on: monday + day) where change.state != last {
        let word = UInt16(day * 1_440 + change.minute) << 2 | UInt16(change.state.rawValue)
        bytes += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
        last = change.state
      }
    }
    return bytes
  }
}
