extension StringProtocol {
  /// Whether this text has the same UTF-8 bytes as another.
  ///
  /// `==` compares canonical equivalents, and normalizing a run of combining marks takes time that
  /// grows with the square of its length, so texts from outside are never compared that way.
  func isUTF8Equal(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
