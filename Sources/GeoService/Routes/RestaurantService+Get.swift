import HTTPTypes

extension RestaurantService {
  /// Answers one GET without a network.
  ///
  /// - Parameters:
  ///   - target: The request target: `/nearest?lat=…`.
  ///   - host: The host in links; the service must answer for it.
  ///   - port: The port of that host.
  ///   - token: The service's token, for resources that need it.
  /// - Returns: The status and the body.
  package func get(
    _ target: String,
    host: String,
    port: Int?,
    token: [UInt8]
  ) -> (status: Int, body: [UInt8]) {
    var request = ServiceRequest(.get, target, host: host, port: port, id: "get")
    request.fields[.authorization] = "Bearer " + String(decoding: token, as: UTF8.self)
    let response = answer(request)
    return (response.status.code, response.body)
  }
}
