#if canImport(SwiftUI)
import CoreLocation
import GeoIndex
import GeoQuery
import MapKit
public import SwiftUI

/// The app: tabs for list, favorites and wants over one presenter.
///
/// An app target needs only `@main struct Main: App { var body: some Scene { WindowGroup { LunchView(…) } } }`.
public struct LunchView: View {
  @State private var presenter: LunchPresenter
  private let images: ImageLoader

  /// Makes the view of an app.
  public init(_ presenter: LunchPresenter, images: ImageLoader) {
    _presenter = State(initialValue: presenter)
    self.images = images
  }

  /// The tabs.
  public var body: some View {
    TabView {
      NavigationStack { ListScreen(presenter: presenter) }
        .tabItem { Label("lunch", systemImage: "fork.knife") }
      NavigationStack { FavoritesScreen(presenter: presenter) }
        .tabItem { Label("favorites", systemImage: "heart") }
      NavigationStack { WantsScreen(presenter: presenter) }
        .tabItem { Label("wants", systemImage: "checklist") }
    }
    .environment(\.imageLoader, images)
    .task { await presenter.load() }
  }
}

/// What stands around a screen's content: progress, messages, the date of saved data.
private struct StateView<Content: Equatable & Sendable, Inner: View>: View {
  let state: ScreenState<Content>
  let presenter: LunchPresenter
  @ViewBuilder let inner: (Content) -> Inner

  var body: some View {
    switch state {
    case .loading: ProgressView()
    case .empty(let message), .failed(let message):
      ContentUnavailableView {
        Text(message.title)
      } description: {
        Text(message.detail)
      } actions: {
        switch message.action {
        case .retry: Button("Try again") { Task { await presenter.load() } }
        case .clearSearch: Button("Clear search") { presenter.search = "" }
        case .browse, nil: EmptyView()
        }
      }
    case .current(let content): inner(content)
    case .offline(let content, let date):
      VStack(spacing: 0) {
        Text("Offline: as of \(date.formatted())").font(.footnote).padding(4)
        inner(content)
      }
    }
  }
}

private struct ListScreen: View {
  @Bindable var presenter: LunchPresenter
  @State private var showsMap = false

  var body: some View {
    Group {
      if showsMap {
        StateView(state: presenter.map, presenter: presenter) { MapScreen(properties: $0) }
      } else {
        StateView(state: presenter.list, presenter: presenter) {
          Grid(cells: $0, presenter: presenter)
        }
      }
    }
    .navigationTitle("Lunch")
    .searchable(text: $presenter.search)
    .toolbar {
      Picker("Order", selection: $presenter.order) {
        ForEach(LunchPresenter.SortOrder.allCases, id: \.self) { Text($0.rawValue).tag($0) }
      }
      Button("Map", systemImage: showsMap ? "list.bullet" : "map") { showsMap.toggle() }
    }
  }
}

private struct FavoritesScreen: View {
  let presenter: LunchPresenter

  var body: some View {
    StateView(state: presenter.favorites, presenter: presenter) {
      Grid(cells: $0, presenter: presenter)
    }
    .navigationTitle("Favorites")
  }
}

/// Cells edge to edge, 180 points high; one column on phones, two or more on tablets.
private struct Grid: View {
  let cells: [CellProperties]
  let presenter: LunchPresenter

  var body: some View {
    ScrollView {
      LazyVGrid(columns: [GridItem(.adaptive(minimum: 320), spacing: 0)], spacing: 0) {
        ForEach(cells) { cell in
          NavigationLink {
            DetailScreen(id: cell.id, presenter: presenter)
          } label: {
            CellView(cell: cell)
          }
        }
      }
    }
  }
}

private struct CellView: View {
  let cell: CellProperties

  var body: some View {
    Picture(address: cell.image)
      .frame(height: 180)
      .clipped()
      .overlay {
        LinearGradient(
          colors: [.clear, .black.opacity(0.7)],
          startPoint: .center,
          endPoint: .bottom
        )
      }
      .overlay(alignment: .bottomLeading) {
        VStack(alignment: .leading) {
          Text(cell.name).font(.headline)
          Text(
            [cell.category, cell.distance, cell.note].compactMap(\.self).joined(separator: " · ")
          )
          .font(.subheadline)
        }
        .foregroundStyle(.white)
        .padding(12)
      }
      .overlay(alignment: .topTrailing) {
        if cell.isFavorite { Image(systemName: "heart.fill").padding(12) }
      }
  }
}

private struct MapScreen: View {
  let properties: MapProperties

  var body: some View {
    Map {
      ForEach(properties.pins) { pin in
        Marker(pin.title, coordinate: CLLocationCoordinate2D(pin.coordinate))
      }
    }
  }
}

private struct DetailScreen: View {
  let id: String
  let presenter: LunchPresenter

  var body: some View {
    StateView(state: presenter.detail(id), presenter: presenter) { sections in
      List(sections) { section in
        switch section {
        case .map(let pin):
          MapScreen(properties: MapProperties(pins: [pin], box: .world)).frame(height: 180)
        case .title(let cell):
          HStack {
            VStack(alignment: .leading) {
              Text(cell.name).font(.title2)
              Text(cell.category)
            }
            Spacer()
            Button("Favorite", systemImage: cell.isFavorite ? "heart.fill" : "heart") {
              presenter.toggleFavorite(cell.id)
            }
            .labelStyle(.iconOnly)
          }
        case .address(let lines): Text(lines.joined(separator: "\n"))
        case .contact(let items):
          ForEach(items) { item in
            if let link = item.link {
              Link(item.title, destination: link)
            } else {
              Text(item.title)
            }
          }
        case .hours(let lines): Lines("Hours", lines) { presenter.toggle(DetailSection.Kind.hours) }
        case .about(let lines): Lines("About", lines) { presenter.toggle(DetailSection.Kind.about) }
        }
      }
    }
  }
}

/// A heading that opens and closes its lines.
private struct Lines: View {
  let title: String
  let lines: Expandable<String>
  let toggle: () -> Void

  init(_ title: String, _ lines: Expandable<String>, toggle: @escaping () -> Void) {
    (self.title, self.lines, self.toggle) = (title, lines, toggle)
  }

  var body: some View {
    Button(title) { withAnimation { toggle() } }
    ForEach(lines.shown, id: \.self) { Text($0) }
  }
}

private struct WantsScreen: View {
  let presenter: LunchPresenter
  @State private var text = ""

  var body: some View {
    VStack {
      HStack {
        TextField("Burgers, Thai, rating >= 4", text: $text)
        Button("Add") { if presenter.addWant(text) { text = "" } }
      }
      .padding()
      StateView(state: presenter.plan, presenter: presenter) { sections in
        List(sections) { section in
          Section(section.title) { WantsRows(section: section, presenter: presenter) }
        }
      }
    }
    .navigationTitle("Wants")
  }
}

private struct WantsRows: View {
  let section: WantsSection
  let presenter: LunchPresenter

  var body: some View {
    switch section {
    case .plan(let items):
      ForEach(items) { item in
        NavigationLink {
          DetailScreen(id: item.id, presenter: presenter)
        } label: {
          Text("\(item.cell.name): \(item.meets.joined(separator: ", "))")
        }
      }
    case .met(let wants), .unmet(let wants):
      Button(wants.isExpanded ? "Hide" : "Show") {
        withAnimation { presenter.toggle(section.id) }
      }
      ForEach(wants.shown) { want in
        Text("\(want.id) \(want.outcome)")
          .swipeActions { Button("Remove", role: .destructive) { presenter.removeWant(want.id) } }
      }
    }
  }
}

/// A picture, or gray until there is one.
private struct Picture: View {
  let address: URL?
  @Environment(\.imageLoader) private var loader
  @State private var data: Data?

  var body: some View {
    Group {
      if let data, let image = Self.image(data) {
        image.resizable().scaledToFill()
      } else {
        Color.gray
      }
    }
    .task(id: address) {
      guard let address else { return }
      data = try? await loader?.image(at: address)
    }
  }

  private static func image(_ data: Data) -> Image? {
    #if canImport(UIKit)
    return UIImage(data: data).map(Image.init(uiImage:))
    #else
    return NSImage(data: data).map(Image.init(nsImage:))
    #endif
  }
}

extension EnvironmentValues {
  @Entry fileprivate var imageLoader: ImageLoader?
}
#endif
