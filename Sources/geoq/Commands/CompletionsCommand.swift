import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a shell completion script.",
    discussion: """
        geoq completions bash > ~/.local/share/bash-completion/completions/geoq
        geoq completions zsh > ~/.zfunc/_geoq
        geoq completions fish > ~/.config/fish/completions/geoq.fish
      """
  )

  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash
    case zsh
    case fish
  }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() throws {
    guard let shell = CompletionShell(rawValue: shell.rawValue) else { return }
    try StandardStreams.print(Geoq.completionScript(for: shell) + "\n")
  }
}
