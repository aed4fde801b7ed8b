import Foundation
import GeoIndex

/// What a screen shows, whichever it is.
enum ScreenState<Content: Equatable & Sendable>: Equatable, Sendable {
  /// Nothing is there yet.
  case loading
  /// There is nothing to show, and this is why.
  case empty(Message)
  /// Nothing could be loaded, and nothing was saved.
  case failed(Message)
  /// The feed as it is now.
  case current(Content)
  /// The feed as saved: the new one could not be loaded.
  case offline(Content, since: Date)

  /// The content, current or saved.
  var content: Content? {
    switch self {
    case .current(let content), .offline(let content, _): content
    case .loading, .empty, .failed: nil
    }
  }

  /// The same state of another content; an empty one has a message instead.
  func map<Other>(_ body: (Content) -> Other, empty: (Content) -> Message?) -> ScreenState<Other> {
    if let content, let message = empty(content) { return .empty(message) }
    return switch self {
    case .loading: .loading
    case .empty(let message): .empty(message)
    case .failed(let message): .failed(message)
    case .current(let content): .current(body(content))
    case .offline(let content, let date): .offline(body(content), since: date)
    }
  }
}

/// What a screen without content says.
struct Message: Equatable, Sendable {
  /// What a person can do about it.
  enum Action: Equatable, Sendable {
    case retry, clearSearch, browse
  }

  let title: String
  let detail: String
  let action: Action?
}

/// A cell of the list and of the favorites: picture, name and category over it, a heart.
struct CellProperties: Identifiable, Equatable, Sendable {
  let id: String
  let name: String
  let category: String
  /// `350 m`, if the position of the device is known.
  let distance: String?
  let image: URL?
  let isFavorite: Bool
  /// `closed for good`, or that the feed no longer has it.
  let note: String?
}

/// A pin of the map.
struct PinProperties: Identifiable, Equatable, Sendable {
  let id: String
  let title: String
  let coordinate: Coordinate
  let isFavorite: Bool
}

/// The map: its pins, and the box around them.
struct MapProperties: Equatable, Sendable {
  let pins: [PinProperties]
  let box: BoundingBox
}

/// Items that open and close.
struct Expandable<Item: Equatable & Sendable>: Equatable, Sendable {
  let items: [Item]
  let isExpanded: Bool

  /// The items that are seen.
  var shown: [Item] { isExpanded ? items : [] }
}

/// A way to contact a restaurant: what to show, and the address to open.
struct ContactProperties: Identifiable, Equatable, Sendable {
  let title: String
  let link: URL?
  var id: String { title }
}

/// A section of the detail; those without contents are not there.
enum DetailSection: Identifiable, Equatable, Sendable {
  case map(PinProperties)
  case title(CellProperties)
  case address([String])
  case contact([ContactProperties])
  case hours(Expandable<String>)
  case about(Expandable<String>)

  enum Kind: String, Sendable {
    case map, title, address, contact, hours, about
  }

  var id: Kind {
    switch self {
    case .map: .map
    case .title: .title
    case .address: .address
    case .contact: .contact
    case .hours: .hours
    case .about: .about
    }
  }
}

/// A place of the plan, with the wants that it meets.
struct PlanItem: Identifiable, Equatable, Sendable {
  let cell: CellProperties
  let meets: [String]
  var id: String { cell.id }
}

/// A want and its outcome: `at Yard House`, `nearest: Yard House, 350 m`, or that no place has it.
struct WantItem: Identifiable, Equatable, Sendable {
  let id: String
  let outcome: String
}

/// A section of the wants: the places to go to, then what they meet and what not.
enum WantsSection: Identifiable, Equatable, Sendable {
  case plan([PlanItem])
  case met(Expandable<WantItem>)
  case unmet(Expandable<WantItem>)

  enum Kind: String, Sendable {
    case plan, met, unmet
  }

  var id: Kind {
    switch self {
    case .plan: .plan
    case .met: .met
    case .unmet: .unmet
    }
  }

  /// The heading, such as `met (2)`.
  var title: String {
    switch self {
    case .plan(let items): "places (\(items.count))"
    case .met(let wants): "met (\(wants.items.count))"
    case .unmet(let wants): "not met (\(wants.items.count))"
    }
  }
}
