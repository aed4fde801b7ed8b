import Foundation
import Testing

@testable import GeoService

/// Images in a folder of the operator's.
struct ImageFolderTests {
  private let folder: ImageTestFolder

  init() throws {
    folder = try ImageTestFolder()
  }

  @Test(
    arguments: [
      ("a.png", "a", 0), ("a+1.PNG", "a", 1), ("a.b.jpeg", "a.b", 0), ("a%2Fb.gif", "a/b", 0),
      ("a%2B1.webp", "a+1", 0), ("a+11.svg", "a", 11), ("%2e%2e%2Fx.jpg", "../x", 0),
      ("Café.png", "Café", 0), ("a%2525.png", "a%25", 0),
    ]
  )
  func `a name says whose image it is`(name: String, id: String, number: Int) throws {
    let meaning = try #require(ImageFolder.meaning(of: name))
    #expect(meaning.id == id && meaning.number == number)
  }

  @Test(
    arguments: [
      "a", ".png", "a.txt", "a.png.bak", "a+0.png", "a+12.png", "a+x.png", "a+.png", "+1.png",
      "a%zz.png", "a%00.png", "a%FF.png", "a+-1.png", "a+1 .png",
    ]
  )
  func `other names have no meaning`(name: String) {
    #expect(ImageFolder.meaning(of: name) == nil)
  }

  @Test func `images come by number, and a new one is seen`() throws {
    folder.write(SampleImages.png(1, 1), to: "a%2Fb.png")
    folder.write(SampleImages.png(3, 1), to: "a%2Fb+2.png")
    let images = try #require(ImageFolder(folder.path))
    #expect(images.numbers(of: "a/b") == [0, 2])
    #expect(images.image(2, of: "a/b")?.header.width == 3)
    #expect(images.image(1, of: "a/b") == nil)
    #expect(images.numbers(of: "a").isEmpty)
    folder.write(SampleImages.png(2, 1), to: "a%2Fb+1.jpg")
    #expect(images.numbers(of: "a/b") == [0, 1, 2])
    // by its bytes, whatever it is called
    #expect(images.image(1, of: "a/b")?.header.format == .png)
  }

  @Test func `nothing leads out of the folder`() throws {
    let other = try ImageTestFolder()
    other.write(SampleImages.png(), to: "secret.png")
    let manager = FileManager.default
    for (name, target) in [
      ("link.png", other.path + "/secret.png"), ("folder.png", other.path),
      ("relative.png", "../" + (other.path as NSString).lastPathComponent + "/secret.png"),
    ] {
      try manager.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
    }
    mkfifo(folder.path + "/pipe.png", 0o600)
    try manager.createDirectory(atPath: folder.path + "/sub.png", withIntermediateDirectories: true)
    folder.write([UInt8](repeating: 0, count: 20), to: "zeros.png")
    let images = try #require(ImageFolder(folder.path))
    for id in [
      "link", "folder", "relative", "pipe", "sub", "zeros", "../secret", "secret", "", ".", "..",
      other.path + "/secret", "link.png", "\u{0}",
    ] {
      #expect(images.image(0, of: id) == nil, "\(id)")
    }
    #expect(ImageFolder(folder.path + "/none") == nil)
  }
}
