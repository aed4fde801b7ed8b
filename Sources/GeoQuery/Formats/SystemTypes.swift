public import Foundation
public import GeoIndex

#if canImport(CoreLocation)
public import CoreLocation

extension Coordinate {
  /// Makes a position of one of Core Location; nil if that is not valid.
  public init?(_ coordinate: CLLocationCoordinate2D) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}

extension CLLocationCoordinate2D {
  /// Makes Core Location's form of a position, bit for bit.
  public init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }
}
#endif

extension AreaError: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

extension SnapshotError: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

extension QueryError: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

extension QueryTimeout: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}

extension UnknownRestaurant: LocalizedError {
  /// The error as one sentence.
  public var errorDescription: String? { description }
}
