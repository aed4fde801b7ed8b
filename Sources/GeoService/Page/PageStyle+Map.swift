extension PageStyle {
  /// The part of the stylesheet for maps; `map.js` reads its colors from it.
  static let map = #"""
    :root {
      --map-sea: #cfe3ec; --map-land: #f3eee3; --map-grid: #b9d0da66; --map-ink: #26211c;
      --map-halo: #fff; --map-pin: #b3371f; --map-lit: #1d5fa8; --map-cluster: #a8472f;
      --map-on-cluster: #fff; --map-here: #1d5fa8; --map-way: #b9ad9b; --map-area: #e4dccb;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --map-sea: #14222b; --map-land: #2b2723; --map-grid: #ffffff14; --map-ink: #f6efe6;
        --map-halo: #171513; --map-pin: #ff8a66; --map-lit: #7fc0ff; --map-cluster: #e8775a;
        --map-on-cluster: #1c0d08; --map-here: #7fc0ff; --map-way: #5d544b; --map-area: #37312b;
      }
    }
    .map {
      position: relative; height: 20rem; overflow: hidden; background: var(--map-sea);
      border: 1px solid var(--line); border-radius: 1rem; isolation: isolate;
      --ol-background-color: var(--paper); --ol-foreground-color: var(--ink);
      --ol-subtle-foreground-color: var(--ink); --ol-subtle-background-color: var(--chip);
      --ol-partial-background-color: var(--paper); --ol-accent-background-color: var(--chip);
    }
    .map.small { height: 14rem; border: 0; border-radius: 0; border-bottom: 1px solid var(--line); }
    .map:focus-visible { outline-offset: -4px; }
    .map:focus-visible::after {
      content: ""; position: absolute; inset: calc(50% - .75rem); border-radius: 50%;
      border: 2px solid var(--accent); pointer-events: none; z-index: 1;
    }
    .map.points canvas { cursor: pointer; }
    .map noscript p { padding: 1rem; }
    .map .ol-zoom { inset: auto .75rem 2.4rem auto; padding: 0; border-radius: .6rem; box-shadow: 0 1px 5px #0004; }
    .map .ol-zoom button {
      width: 2.75rem; height: 2.75rem; margin: 0; padding: 0; font-size: 1.3rem; border: 0;
      background: var(--paper); color: var(--ink); outline-offset: -3px;
    }
    .map .ol-zoom .ol-zoom-in { border-radius: .6rem .6rem 0 0; border-bottom: 1px solid var(--line); }
    .map .ol-zoom .ol-zoom-out { border-radius: 0 0 .6rem .6rem; }
    .map .ol-zoom button:focus-visible { outline: 3px solid var(--accent); }
    .map .ol-scale-line { left: .6rem; bottom: .4rem; background: none; padding: 0; }
    .map .ol-scale-line-inner {
      color: var(--map-ink); border-color: var(--map-ink); text-shadow: 0 0 3px var(--map-halo);
      font-size: .72rem;
    }
    .map-credit {
      position: absolute; right: .4rem; bottom: .35rem; padding: 0 .35rem; font-size: .7rem;
      color: var(--map-ink); background: color-mix(in srgb, var(--paper) 75%, transparent);
      border-radius: .3rem; max-width: 65%;
    }
    .map-note, .map-area {
      position: absolute; left: 50%; top: .75rem; transform: translateX(-50%);
      background: var(--paper); border-radius: 2rem; box-shadow: 0 1px 6px #0005; pointer-events: auto;
    }
    .map-note {
      padding: .5rem 1rem; width: max-content; max-width: calc(100% - 1.5rem); font-size: .88rem;
      text-align: center;
    }
    .map-area { border: 1px solid var(--line); font-weight: 600; white-space: nowrap; }
    .map-note:not([hidden]) ~ .map-area { top: 3.9rem; }
    .map .callout {
      position: relative; width: max-content; max-width: min(17rem, 78vw); padding: .2rem;
      background: var(--paper); color: var(--ink); border-radius: .8rem; box-shadow: 0 3px 16px #0006;
    }
    .callout::after {
      content: ""; position: absolute; left: calc(50% - .4rem); bottom: -.4rem; width: .8rem; height: .8rem;
      background: var(--paper); transform: rotate(45deg); z-index: -1;
    }
    .callout p { padding: .4rem .8rem; font-size: .92rem; }
    .callout .place {
      display: block; padding: .55rem 2.6rem .55rem .8rem; color: var(--ink); text-decoration: none;
      border-radius: .6rem; min-height: 2.75rem;
    }
    .callout .place:hover { background: var(--chip); }
    .callout .place span { display: block; color: var(--quiet); font-size: .88rem; }
    .callout .places { max-height: 12rem; overflow-y: auto; }
    .callout .nearest:not(:has(.place)) { padding: .7rem 2.6rem .3rem .8rem; color: var(--quiet); }
    .callout .rings { border-top: 1px solid var(--line); }
    .callout .rings a { display: inline-block; padding: .45rem .4rem; white-space: nowrap; }
    .callout .from { display: inline-block; padding: .25rem 0; }
    .callout .close {
      position: absolute; right: 0; top: 0; min-height: 0; width: 2.5rem; height: 2.5rem; padding: 0;
      background: none; border: 0; font-size: 1.3rem; color: var(--quiet); z-index: 1;
    }
    .card.lit { border-color: var(--map-lit); box-shadow: 0 0 0 3px var(--map-lit); }
    .terms pre { white-space: pre-wrap; font-size: .8rem; padding: 0 1rem; }
    .terms > * { padding: .4rem 1rem; }

    #to-map { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
    @media (max-width: 639px) {
      .lunch #search { position: relative; }
      .lunch #search .words { padding-right: 5.4rem; }
      #to-map { position: absolute; right: 0; top: 1.15rem; width: 4.8rem; }
    }
    @media (min-width: 640px) and (max-width: 999px) {
      .lunch #search .buttons { grid-column: 1 / span 2; }
      #to-map { order: 1; justify-self: end; }
    }
    @media (max-width: 999px) {
      .lunch:not(.on-map) .aside { display: none; }
      .on-map #search, .on-map #results > :not(.chips, .count), main:has(.on-map) + footer { display: none; }
      main:has(.on-map) { padding: 0; display: flex; flex-direction: column; height: calc(100dvh - 3.2rem); }
      .on-map { display: flex; flex-direction: column; flex: 1; min-height: 0; }
      .on-map .chips { flex-wrap: nowrap; overflow-x: auto; margin: 0; padding: .4rem .75rem; }
      .on-map .chip { white-space: nowrap; }
      .on-map .count { margin: 0; padding: .2rem 6rem .4rem .75rem; min-height: 3.3rem; }
      .on-map .shown { display: none; }
      .on-map .total::after { content: " restaurants"; }
      .on-map .aside { position: relative; flex: 1; min-height: 14rem; }
      .on-map .map { height: 100%; border-width: 1px 0 0; border-radius: 0; }
      #to-list {
        position: absolute; right: .75rem; top: -3.1rem; background: var(--accent); color: var(--on-accent);
      }
    }
    @media (min-width: 1000px) {
      #to-map, #to-list { display: none; }
      main:has(.aside) { max-width: 110rem; }
      .top:has(~ main .aside) { padding-inline: max(1rem, calc((100vw - 110rem) / 2 + 1rem)); }
      .lunch { display: grid; grid-template-columns: minmax(0, 1fr) minmax(24rem, 42%); gap: 1.2rem; }
      .lunch #search { grid-template-columns: 3fr 2fr; }
      .lunch .cards { grid-template-columns: repeat(auto-fill, minmax(15.5rem, 1fr)); }
      .lunch .map { position: sticky; top: 4.2rem; height: calc(100vh - 5.4rem); min-height: 22rem; }
    }
    @media (prefers-reduced-motion: reduce) {
      .map .ol-scale-line-inner { transition: none; }
    }

    """#
}
