import GeoIndex
import GeoQuery
import Testing

@testable import GeoService

/// The plan that travels in the address of every page.
struct PlanStateTests {
  private func pairs(_ view: PageState) -> [String] { view.pairs.map { "\($0.name)=\($0.value)" } }

  private func text(_ random: inout SplitMix) -> String {
    let pieces = [
      "a", "Thai", " ", "&", "=", "+", "%", "#", "?", "/", "ü", "\u{202E}", "\"", "'", "<b>", "☕",
      ",", "text:", "offer:", "category:", "rating >= 4", "e\u{301}",
    ]
    return (0...Int(random.next() % 4)).map { _ in pieces[Int(random.next() % 22)] }.joined()
  }

  private func view(_ random: inout SplitMix) -> PageState {
    let id = text(&random).replacing("/", with: "-")
    let pages: [(Endpoint, String?)] = [
      (.wantsPage, nil), (.offersPage, nil), (.offerPage, id), (.meetPage, nil),
      (.shortListPage, nil), (.lunch, nil), (.restaurantPage, id), (.favoritesPage, nil),
    ]
    let page = pages[Int(random.next() % 8)]
    var view = PageState(page.0, id: page.1)
    for _ in 0..<(random.next() % 5) { try? view.plan.add(want: text(&random)) }
    view.plan.places = [nil, 1, 2, 4, 5][Int(random.next() % 5)]
    view.plan.cost = [nil, .walk, .spread][Int(random.next() % 3)]
    view.plan.maximum = ["", "500m", "1.5 mi", "0"][Int(random.next() % 4)]
    for _ in 0..<(random.next() % 3) { view.plan.others.append(text(&random)) }
    view.plan.meetCost = [nil, .max][Int(random.next() % 2)]
    for _ in 0..<(random.next() % 7) {
      view.plan = view.plan.picking(text(&random)) ?? view.plan
    }
    view.plan.seed = random.next() % 2 == 0 ? nil : UInt32(truncatingIfNeeded: random.next())
    view.at = random.next() % 2 == 0 ? "" : text(&random)
    return view
  }

  @Test func `a plan read, printed and read again is the same, on every page that it leads to`()
    throws
  {
    var random = SplitMix(state: 181)
    for _ in 0..<3_000 {
      let view = view(&random)
      #expect(view.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      let read = try #require(PageState(target: view.target), "\(view.target)")
      #expect(read.faults.isEmpty, "\(read.faults)")
      #expect(
        pairs(read).joined(separator: "\n").isUTF8Equal(to: pairs(view).joined(separator: "\n"))
      )
      #expect(read.path.isUTF8Equal(to: view.path))
      #expect(read.plan.maximumDistance == view.plan.maximumDistance)
      #expect(read.plan.chosen.map { UTF8Key($0) } == view.plan.chosen.map { UTF8Key($0) })
      let other = try #require(PageState(target: read.leading(to: .lunch).target))
      #expect(other.plan == view.plan)
    }
  }

  @Test(
    arguments: [
      ("want=Thai&want=%20Thai%20&want=thai", ["want=Thai", "want=thai"], 0),
      ("words=craft+beer", ["want=text:craft beer"], 0),
      ("words=rating+%3E%3D+4", ["want=rating >= 4"], 0),
      ("words=category:Thai&words=offer:7", ["want=category:Thai", "want=offer:7"], 0),
      ("want=ratng+%3E%3D+4&want=text:", [], 2), ("places=0", [], 1), ("places=6", [], 1),
      ("places=3&by=farthest&by=sum&max=&seed=", [], 0),
      ("by=walk&by=max", ["by=walk", "by=max"], 0),
      ("by=sideways", [], 1), ("max=far", [], 1), ("max=-1", [], 1), ("max=2km", ["max=2km"], 0),
      ("seed=x", [], 1), ("seed=4294967296", [], 1), ("seed=7", ["seed=7"], 0),
      (
        "pick=a&pick=b&pick=a&pick=c&pick=d&pick=e&pick=f",
        ["pick=a", "pick=b", "pick=c", "pick=d", "pick=e"], 1
      ),
    ]
  )
  func `what an address says is read leniently, and what is wrong is said`(
    query: String,
    expected: [String],
    faults: Int
  ) throws {
    let view = try #require(PageState(target: "/app/wants?\(query)"))
    #expect(pairs(view) == expected && view.faults.count == faults, "\(view.faults)")
  }

  @Test func `lists have an end, and say so`() throws {
    let wants = (0..<66).map { "want=w\($0)" }.joined(separator: "&")
    let view = try #require(PageState(target: "/app/wants?\(wants)"))
    #expect(view.plan.wants.count == 64 && view.faults.count == 2)
    let people = (0..<65).map { "with=\($0),1" }.joined(separator: "&")
    let meet = try #require(PageState(target: "/app/meet?\(people)"))
    #expect(meet.plan.others.count == 63 && meet.faults.count == 2)
    #expect(
      PageState(.wantsPage, id: nil, [("want", String(repeating: "a", count: 257))]).faults.count
        == 1
    )
  }

  @Test func `a want of a category or an offer is read as that, whatever its name is`() throws {
    for name in ["Thai", "a > b", "text:x", "offer:7", "category:", "rating >= 4", "Bar & Grill"] {
      let want = try #require(PlanState.want(ofCategory: name))
      #expect(try Want(parsing: want).category == name)
    }
    #expect(PlanState.want(ofCategory: " Thai") == nil && PlanState.want(ofCategory: "") == nil)
    #expect(PlanState.want(ofCategory: String(repeating: "a", count: 257)) == nil)
    #expect(PlanState.want(ofOffer: "a b") == "offer:a b" && PlanState.want(ofOffer: "") == nil)
  }

  @Test func `the pick depends on the seed and on which restaurants there are, not on their order`()
  {
    var counts: [String: Int] = [:]
    for seed in UInt32(1)...1_000 {
      var plan = PlanState()
      plan.picks = ["a", "b", "c", "d"]
      #expect(plan.chosen == nil)
      plan.seed = seed
      var other = plan
      other.picks.reverse()
      #expect(plan.chosen == other.chosen)
      other.picks.removeAll { $0 != plan.chosen && $0 != "a" }
      #expect(plan.chosen == other.chosen)
      counts[plan.chosen ?? "", default: 0] += 1
    }
    #expect(counts.count == 4 && counts.values.allSatisfy { $0 > 180 }, "\(counts)")
  }

  @Test func `another short list has no seed`() {
    var plan = PlanState()
    plan.seed = 3
    #expect(plan.picking("a")?.seed == nil && plan.picking("a")?.picks == ["a"])
    plan.picks = ["a", "b", "c", "d", "e"]
    #expect(plan.picking("f") == nil && plan.picking("c")?.picks == ["a", "b", "d", "e"])
  }
}
