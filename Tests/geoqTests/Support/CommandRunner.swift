import Foundation
import Testing

@testable import geoq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The tool, run in a fresh folder as its user would run it.
struct CommandRunner {
  /// The working folder of every run.
  let folder = ScratchFolder()

  /// Runs a command in this process, or `serve`, which has to be awaited, in its own.
  ///
  /// The environment has `PATH` and `HOME` and what is given, so that no setting of the user who runs the
  /// tests has a part in it.
  @discardableResult
  func geoq(
    _ arguments: String...,
    environment: [String: String] = [:],
    input: [UInt8] = []
  ) -> CommandResult {
    geoq(arguments, environment: environment, input: input)
  }

  /// The same with an array of arguments.
  @discardableResult
  func geoq(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: [UInt8] = []
  ) -> CommandResult {
    guard OwnFolder.isPossible else {
      return process(arguments, environment: environment, input: input)
    }
    let files = [input, [], []].map(Self.file)
    defer { for file in files { close(file) } }
    let context = CommandContext(
      input: files[0],
      output: files[1],
      error: files[2],
      environment: environment.merging(Self.environment) { given, _ in given }
    )
    let ending = OwnFolder.run(in: folder.path, atMost: Self.timeLimit) {
      CommandContext.$current.withValue(context) { Self.ending(of: CommandLineRun(arguments)) }
    }
    switch ending {
    case .status(let status):
      let (output, error) = (Self.bytes(in: files[1]), Self.bytes(in: files[2]))
      return CommandResult(status: status, output: output, error: error)
    case .toAwait: return process(arguments, environment: environment, input: input)
    case nil:
      Issue.record("not finished after \(Self.timeLimit) s: \(arguments)")
      return CommandResult(status: -1, output: [], error: [])
    }
  }

  private enum Ending {
    case status(Int32)
    case toAwait
  }

  private static func ending(of run: CommandLineRun) -> Ending {
    var run = run
    do {
      return try run.start() == nil ? .status(0) : .toAwait
    } catch {
      return .status(run.report(error))
    }
  }

  /// Runs the built tool as a process: for what a process has but once.
  @discardableResult
  func process(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: [UInt8] = []
  ) -> CommandResult {
    run(Self.tool, arguments, environment: environment, input: input)
  }

  /// Runs a shell script, in which `$GEOQ` is the tool.
  func shell(_ script: String, environment: [String: String] = [:]) -> CommandResult {
    let environment = environment.merging(["GEOQ": Self.tool]) { given, _ in given }
    return run("/bin/sh", ["-c", script], environment: environment)
  }

  /// Runs any program.
  func run(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = [:],
    input: [UInt8] = []
  ) -> CommandResult {
    let launch = ChildProcess.Launch(
      program: program,
      arguments: arguments,
      environment: environment.merging(Self.environment) { given, _ in given },
      folder: folder.path
    )
    let stdin = Self.file(with: input)
    let (outEnd, stdout) = makePipe()
    let (errorEnd, stderr) = makePipe()
    let child = ChildProcess(launch, input: stdin, output: stdout, error: stderr)
    for descriptor in [stdin, stdout, stderr] { close(descriptor) }
    guard let child else {
      Issue.record("\(program) cannot be started")
      return CommandResult(status: -1, output: [], error: [])
    }
    var streams = [outEnd, errorEnd].map { Stream(descriptor: $0) }
    if !Self.drain(&streams) {
      Issue.record("not finished after \(Self.timeLimit) s: \(program) \(arguments)")
      kill(child.id, SIGKILL)
    }
    let status = child.wait()
    for stream in streams { close(stream.descriptor) }
    return CommandResult(status: status, output: streams[0].bytes, error: streams[1].bytes)
  }

  /// In seconds; ends what hangs, also on a slow machine.
  private static let timeLimit = 180

  private struct Stream {
    let descriptor: Int32
    var bytes: [UInt8] = []
    var isOpen = true
  }

  /// Reads both streams as they come, so that neither can fill up and block the child.
  ///
  /// - Returns: False if the time is over.
  private static func drain(_ streams: inout [Stream]) -> Bool {
    let deadline = ContinuousClock.now + .seconds(timeLimit)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while streams.contains(where: \.isOpen) {
      guard ContinuousClock.now < deadline else { return false }
      var polls = streams.map {
        pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
      }
      poll(&polls, nfds_t(polls.count), 100)
      for position in polls.indices where polls[position].revents != 0 {
        let count = read(polls[position].fd, &chunk, chunk.count)
        streams[position].isOpen = count > 0
        streams[position].bytes += chunk[..<max(0, count)]
      }
    }
    return true
  }

  /// A nameless file at its beginning, as a standard stream.
  private static func file(with bytes: [UInt8]) -> Int32 {
    var template = Array("/tmp/geoq-stream-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    unlink(template)
    _ = write(descriptor, bytes, bytes.count)
    lseek(descriptor, 0, SEEK_SET)
    return descriptor
  }

  /// What has been written to a nameless file.
  private static func bytes(in descriptor: Int32) -> [UInt8] {
    lseek(descriptor, 0, SEEK_SET)
    return readToEnd(of: descriptor)
  }

  private static let environment = ProcessInfo.processInfo.environment
    .filter { ["PATH", "HOME"].contains($0.key) }

  /// The tool lies next to the tests that were built with it, in debug and in release.
  static let tool: String = {
    let bundles = Bundle.allBundles.map(\.bundlePath).filter { $0.hasSuffix(".xctest") }
    let beside = bundles.first ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: beside).deletingLastPathComponent().path + "/geoq"
  }()

  /// The sample feed of 15 restaurants.
  static let sampleFeed = repository + "/Data/restaurants.json"

  private static let repository = String(
    #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
  )
}
