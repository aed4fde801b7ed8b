import ArgumentParser

/// `--explain`.
struct ExplainOptions: ParsableArguments {
  @Flag(
    help: "Say what the index did: in the document of -f json, else on standard error."
  )
  var explain = false
}
