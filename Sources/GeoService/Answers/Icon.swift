import Foundation

/// The icon that browsers show next to a page's title: a pin.
enum Icon {
  /// An ICO file with one PNG of 32 × 32 pixels.
  static let bytes = Array(Data(base64Encoded: text) ?? Data())

  private static let text = """
    AAABAAEAICAAAAEAIAAOAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAQDAAAAgVRnxwAAABhQTFRFAAAAyDAsyDAs\
    yDAsyDAs////yDAs1mRhGJBWcAAAAAV0Uk5TADNmmcxe/lmkAAAAoElEQVR42mNgwA4YlZQEkPlMbmlpKQpI8kA+UAShRi0N\
    DJLgCtKgAKaEBSbggKQjvQxJD9DI9NBQoEgKwojS0NBwuCFMQFYoEAApBZhAOkigDJ8AqhYMQzGsxXQYhtMxPMdgBuEnw8OD\
    DSKQgAhBiABSGEKCECmQxUACicihjqYDrCcFJaLEUHUwMDCnpRmgxqVbClrkiiWiCTAb4EgGDADsO05/TTjYLAAAAABJRU5E\
    rkJggg==
    """
}
