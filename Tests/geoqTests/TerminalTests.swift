import Testing

@testable import geoq

struct TerminalTests {
  /// One row of the table: the flag, the environment, whether it is a terminal, and the answer.
  struct ColorCase: Sendable {
    let choice: ColorChoice
    let environment: [String: String]
    let isTTY: Bool
    let isOn: Bool

    init(_ choice: ColorChoice, _ environment: [String: String], tty: Bool, _ isOn: Bool) {
      self.choice = choice
      self.environment = environment
      isTTY = tty
      self.isOn = isOn
    }
  }

  @Test(arguments: [
    ColorCase(.always, [:], tty: false, true),
    ColorCase(.always, ["NO_COLOR": "1", "TERM": "dumb"], tty: false, true),
    ColorCase(.never, [:], tty: true, false),
    ColorCase(.never, ["CLICOLOR_FORCE": "1"], tty: true, false),
    ColorCase(.auto, [:], tty: true, true),
    ColorCase(.auto, [:], tty: false, false),
    ColorCase(.auto, ["TERM": "xterm"], tty: true, true),
    ColorCase(.auto, ["TERM": "dumb"], tty: true, false),
    ColorCase(.auto, ["NO_COLOR": "1"], tty: true, false),
    ColorCase(.auto, ["NO_COLOR": "0"], tty: true, false),
    ColorCase(.auto, ["NO_COLOR": ""], tty: true, true),
    ColorCase(.auto, ["CLICOLOR_FORCE": "1"], tty: false, true),
    ColorCase(.auto, ["CLICOLOR_FORCE": "1", "TERM": "dumb"], tty: false, true),
    ColorCase(.auto, ["CLICOLOR_FORCE": "0"], tty: false, false),
    ColorCase(.auto, ["CLICOLOR_FORCE": ""], tty: false, false),
    ColorCase(.auto, ["CLICOLOR_FORCE": "0"], tty: true, true),
    ColorCase(.auto, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], tty: true, false),
  ])
  func `color goes by flag, NO_COLOR, CLICOLOR_FORCE, then the terminal`(_ row: ColorCase) {
    #expect(row.choice.isOn(isTTY: row.isTTY) { row.environment[$0] } == row.isOn)
  }

  @Test(
    arguments: [
      (132, "100", 132), (nil, "100", 100), (0, "100", 100), (nil, nil, 80), (0, nil, 80),
      (nil, "", 80), (nil, "wide", 80), (nil, "0", 80), (nil, "-5", 80),
    ] as [(Int?, String?, Int)]
  )
  func `width is the window's, then COLUMNS, then 80`(
    window: Int?,
    columns: String?,
    expected: Int
  ) {
    let environment = columns.map { ["COLUMNS": $0] } ?? [:]
    #expect(Terminal.width(window: window) { environment[$0] } == expected)
  }

  @Test
  func `a pipe is not a terminal`() {
    let terminal = Terminal(descriptor: makePipe().writing, color: .never)
    #expect(!terminal.isTTY)
    #expect(!terminal.style.isOn)
    #expect(terminal.width > 0)
  }

  @Test
  func `style adds nothing if color is off`() {
    #expect(Style(isOn: false).bold("name") == "name")
    #expect(Style(isOn: true).bold("name") == "\u{1B}[1mname\u{1B}[0m")
    #expect(Style(isOn: true).dim("name") == "\u{1B}[2mname\u{1B}[0m")
    #expect(Style(isOn: true).bold("") == "")
  }

  @Test
  func `color choices are the words of the flag`() {
    #expect(ColorChoice.allCases.map(\.rawValue) == ["auto", "always", "never"])
  }
}
