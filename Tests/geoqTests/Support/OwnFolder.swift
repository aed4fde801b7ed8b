import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A thread with a working folder of its own, so that commands with relative paths run side by side in one
/// process.
enum OwnFolder {
  /// Whether the system lets a thread have one; a container may forbid it.
  static let isPossible = run(in: processFolder, atMost: 60) { true } == true

  /// Runs a body on such a thread.
  ///
  /// - Returns: Its result; `nil` if it has not finished after some seconds.
  static func run<Result: Sendable>(
    in folder: String,
    atMost seconds: Int,
    _ body: @escaping @Sendable () -> Result
  ) -> Result? {
    let (done, box) = (DispatchSemaphore(value: 0), Box<Result>())
    let home = processFolder
    let thread = Thread {
      if enter(folder) { box.value = body() }
      leave(for: home)
      done.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    return done.wait(timeout: .now() + .seconds(seconds)) == .success ? box.value : nil
  }

  private static let processFolder = FileManager.default.currentDirectoryPath

  #if os(Linux)
  private static func enter(_ folder: String) -> Bool {
    // Swift's Glibc has neither the function nor the flag CLONE_FS
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let unshare = dlsym(nil, "unshare") else { return false }
    return unsafeBitCast(unshare, to: Unshare.self)(0x200) == 0 && chdir(folder) == 0
  }

  /// Threads that Dispatch has started from this one share its folder, and go on.
  private static func leave(for home: String) { chdir(home) }
  #else
  private static func enter(_ folder: String) -> Bool {
    typealias Change = @convention(c) (UnsafePointer<CChar>) -> Int32
    guard let change = dlsym(dlopen(nil, RTLD_NOW), "pthread_chdir_np") else { return false }
    return unsafeBitCast(change, to: Change.self)(folder) == 0
  }

  private static func leave(for home: String) {}
  #endif

  /// `@unchecked Sendable`: read after the semaphore only.
  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }
}
