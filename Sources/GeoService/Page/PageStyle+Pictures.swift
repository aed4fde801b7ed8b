extension PageStyle {
  /// The part of the stylesheet for pictures.
  static let pictures = #"""
    .picture {
      position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover;
      color: transparent;
    }
    .card .cover:has(.picture)::after {
      content: ""; position: absolute; inset: 0;
      background: linear-gradient(transparent 20%, #0009 62%, #000c);
    }
    .card .cover:has(.picture) :is(h2, p) { z-index: 1; }
    .strip { position: relative; }
    .strip ul {
      display: flex; gap: 2px; margin: 0; padding: 0; list-style: none; overflow-x: auto;
      scroll-snap-type: x mandatory; height: max(12rem, 35vh); scrollbar-width: thin;
    }
    .strip ul:focus-visible { outline-offset: -4px; }
    .strip li {
      flex: none; height: 100%; aspect-ratio: 4 / 3; max-width: 100%; scroll-snap-align: start;
    }
    .strip li:only-child { width: 100%; aspect-ratio: auto; }
    .badge {
      position: absolute; left: .75rem; bottom: .9rem; padding: .2rem .7rem; border-radius: 2rem;
      background: #000b; color: #fff; font-weight: 650; pointer-events: none;
    }
    .title { padding: .8rem 1rem 0; }
    .title h1 { font-size: clamp(1.4rem, 5vw, 2rem); line-height: 1.2; }
    .title p { color: var(--quiet); }
    .pictured .title { padding-right: 4.2rem; }
    .pictured + .facts:has(> p:empty) { margin-top: -2.8rem; pointer-events: none; }
    .pictured + .facts > * { pointer-events: auto; }

    """#
}
