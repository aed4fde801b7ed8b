import ArgumentParser

/// `--explain`.
struct ExplainOptions: ParsableArguments {
  @Flag(
    help: "Report index statistics, in the document of -f json or on standard error."
  )
  var explain = false
}
