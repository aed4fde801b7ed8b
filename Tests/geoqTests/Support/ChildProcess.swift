import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program started by a test.
///
/// Not Foundation's `Process`: tests run side by side, and a descriptor that one child inherits from
/// another's pipe would keep that pipe open.
struct ChildProcess {
  /// Its process id.
  let id: pid_t

  /// What a program is started with.
  struct Launch {
    /// The path of the program.
    var program: String
    var arguments: [String] = []
    var environment: [String: String] = [:]
    /// The folder it starts in.
    var folder: String
  }

  /// Starts a program; nil if the system refuses.
  init?(_ launch: Launch, input: Int32, output: Int32, error: Int32) {
    #if canImport(Glibc)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #else
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in [input, output, error].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    // these signals end a program unless it says otherwise, whatever this process does about them
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    // posix_spawn has no standard way to change the folder, the shell has
    let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, launch.folder, launch.program]
    let arguments = CStrings(shell + launch.arguments)
    let environment = CStrings(launch.environment.map { "\($0)=\($1)" })
    var id: pid_t = 0
    let status = descriptorLock.withLock {
      posix_spawn(
        &id,
        shell[0],
        &actions,
        &attributes,
        arguments.pointers,
        environment.pointers
      )
    }
    guard status == 0 else { return nil }
    self.id = id
  }

  /// Waits for its end; afterwards the id is free for others.
  ///
  /// - Returns: The exit code, or 128 + n where signal n ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}

/// Texts as C has them, ended by a null pointer.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ texts: [String]) {
    pointers = texts.map { strdup($0) } + [nil]
  }

  deinit {
    for pointer in pointers { free(pointer) }
  }
}

/// The two ends of a new pipe, which no child has but the one that is given them.
func makePipe() -> (reading: Int32, writing: Int32) {
  descriptorLock.withLock {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}

/// Held while a child starts and while a pipe is not yet closed to children.
private let descriptorLock = NSLock()
