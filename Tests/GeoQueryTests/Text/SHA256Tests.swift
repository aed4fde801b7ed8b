import Testing

@testable import GeoFeed
@testable import GeoQuery

/// SHA-256 against the examples of FIPS 180-4 and of NIST's test vectors (CAVP), and every padding.
struct SHA256Tests {
  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          + "lmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
  )
  func `the examples of the standard come out`(text: String, digest: String) {
    #expect(SHA256.hexDigest(of: Array(text.utf8)) == digest)
  }

  /// The hash of the hashes of 0, 1, … 199 bytes, by Python's hashlib.
  @Test func `every length of the last block is padded rightly`() {
    let all = (0..<200).flatMap { count in
      SHA256.digest(of: (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
    }
    #expect(
      SHA256.hexDigest(of: all)
        == "0a716dcd52ebb45d547cf893c2616d1641ae3c122398e759ddeb1d0698a65c1a"
    )
  }
}
