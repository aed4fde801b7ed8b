/// What whoever runs the service decides.
package struct ServiceSettings: Sendable {
  /// Which hosts are answered for.
  package var hosts = HostRule()

  /// Which pages of other origins may read.
  package var crossOrigin = CrossOriginRule()

  /// Whether a proxy in front says by `X-Forwarded-…` where clients see the service.
  package var isBehindProxy = false

  /// Who may change favorites, and who may read them.
  package var access = AccessRule(token: AccessRule.randomToken(), protectsReading: false)

  /// Places that the lunch page offers to measure from.
  package var places: [NamedPlace] = []

  /// The program's version: another one may write the same answer otherwise, so tags depend on it.
  package var version = ""

  /// How long a query may take, waiting included; tests shorten it.
  var queryTime = Duration.seconds(ServiceLimits.querySeconds)

  /// Settings for a service on this machine alone.
  package init() {}
}
