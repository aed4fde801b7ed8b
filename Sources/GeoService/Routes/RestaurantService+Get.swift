import HTTPTypes

extension RestaurantService {
  /// Answers one GET without a network.
  ///
  /// - Parameters:
  ///   - target: The request target: `/nearest?lat=…`.
  ///   - host: The host that links point to; it must be one that the service answers for.
  ///   - port: The port of that host.
  /// - Returns: The status and the body.
  package func get(_ target: String, host: String, port: Int?) -> (status: Int, body: [UInt8]) {
    let response = answer(ServiceRequest(.get, target, host: host, port: port, id: "get"))
    return (response.status.code, response.body)
  }
}
