/// The decisions of the service's operator.
package struct ServiceSettings: Sendable {
  /// The hosts that the service answers for.
  package var hosts = HostRule()

  /// The origins whose pages may read answers.
  package var crossOrigin = CrossOriginRule()

  /// Whether a proxy in front sends `X-Forwarded-…` fields with the address that clients see.
  package var isBehindProxy = false

  /// Who may change favorites, and who may read them.
  package var access = AccessRule(token: AccessRule.randomToken(), protectsReading: false)

  /// Places that the lunch page offers as starting points.
  package var places: [NamedPlace] = []

  /// The settings of the maps on pages.
  package var maps = MapSettings()

  /// Images of restaurants; nil for drawings only.
  package var images: RestaurantImages?

  /// Another site that the page's frame starts at; nil for the service's own pages.
  package var webHome: WebAddress?

  /// The origins of pages that may show the lunch page in a frame, in addition to its own.
  ///
  /// Browsers send no session's cookie from a frame of another site, so its favorites are the
  /// browser's own there.
  package var frameAncestors: [String] = []

  /// The basemap that the restaurants can be shown on.
  package var basemap: Basemap?

  /// How long the store may be away before the service is not ready; nil for no limit.
  package var maximumStaleness: Duration? = .zero

  /// The program's version.
  ///
  /// Tags depend on it, because another version may write the same answer differently.
  package var version = ""

  /// How long a query may take, including waiting; tests shorten it.
  var queryTime = Duration.seconds(ServiceLimits.querySeconds)

  /// The resources; tests have others.
  var endpoints = Endpoint.all

  /// Settings for a service that only this machine can reach.
  package init() {}
}
