import Foundation
import GeoQuery

/// A library that is loaded when it is first needed, and stays until the process ends.
package struct SharedLibrary {
  let handle: UnsafeMutableRawPointer
  private let title: String
  private let packages: String

  /// Loads the first of some files that is there; errors name the library and the packages that have it.
  package init(_ title: String, of packages: String, names: [String]) throws(MissingLibrary) {
    self.title = title
    self.packages = packages
    let handle = names.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
    guard let handle else {
      let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
      throw MissingLibrary(title: title, packages: packages, reason: reason)
    }
    self.handle = handle
  }

  /// The address of a function.
  package func symbol(_ name: String) throws(MissingLibrary) -> UnsafeMutableRawPointer {
    guard let symbol = dlsym(handle, name) else { throw missing("it has no \(name)") }
    return symbol
  }

  /// A function, of the type that its caller knows.
  package func function<Function>(_ name: String) throws(MissingLibrary) -> Function {
    unsafeBitCast(try symbol(name), to: Function.self)
  }

  /// The error for a library that does not do what it should.
  package func missing(_ reason: String) -> MissingLibrary {
    MissingLibrary(title: title, packages: packages, reason: reason)
  }
}

/// A library is not installed, or not in a version that has all functions.
package struct MissingLibrary: Error, CustomStringConvertible {
  let title: String
  let packages: String
  let reason: String

  /// What is missing, why, and what to do.
  package var description: String {
    "\(title) cannot be loaded (\(shortened(reason, to: 200))); install it: \(packages)"
  }
}
