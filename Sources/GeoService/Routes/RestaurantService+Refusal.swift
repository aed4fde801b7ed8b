extension RestaurantService {
  /// The answer to a request that is rejected before its contents are looked at.
  func refusal(of request: ServiceRequest, _ problem: Problem) -> ServiceResponse {
    let target = try? RequestTarget(request.target)
    let found = target.flatMap { try? Route.find($0.path) }
    return ResponseWriting(request: request, service: self, generation: live.current)
      .failure(problem, route: found?.route)
  }
}
