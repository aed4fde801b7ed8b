/// The stylesheet of the page.
enum PageStyle {
  static let text = #"""
    :root {
      color-scheme: light dark;
      --back: #faf7f2; --paper: #fff; --ink: #26211c; --quiet: #655c52; --line: #e2d9cc;
      --accent: #b3371f; --on-accent: #fff; --chip: #f0e8dc; --heart: #c8302c;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #171513; --paper: #221f1c; --ink: #f3ece3; --quiet: #b8aea2; --line: #3b3530;
        --accent: #ff9a7b; --on-accent: #2a0f07; --chip: #332d28; --heart: #ff6b66;
      }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; }
    /* what gets the focus far down or up is not under the tabs or a notice */
    summary, .ol-zoom button { scroll-margin: 4.5rem 0 6.5rem; }
    body {
      margin: 0; background: var(--back); color: var(--ink);
      font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
      overflow-wrap: anywhere;
    }
    a { color: var(--accent); }
    h1, h2, p { margin: 0; }
    [hidden] { display: none !important; }
    .hidden, .skip:not(:focus) {
      position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
      white-space: nowrap;
    }
    .sprite { position: absolute; width: 0; height: 0; }
    .quiet, .count, footer { color: var(--quiet); font-size: .9rem; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

    .top {
      position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center;
      gap: 0 1rem; padding: 0 max(1rem, calc((100vw - 76rem) / 2 + 1rem)); background: var(--paper);
      border-bottom: 1px solid var(--line);
    }
    .brand { font-weight: 800; text-decoration: none; letter-spacing: -.03em; font-size: 1.2rem; }
    .top nav { display: flex; flex-wrap: wrap; min-width: 0; gap: .25rem; }
    .top nav a {
      padding: .8rem .6rem; color: var(--ink); text-decoration: none;
      border-bottom: 3px solid transparent;
    }
    .top nav a[aria-current] { border-color: var(--accent); font-weight: 650; }
    main, footer { max-width: 76rem; margin: 0 auto; padding: 1rem; }
    footer { display: flex; flex-wrap: wrap; gap: .25rem 2rem; border-top: 1px solid var(--line); }

    button, .button, input, select {
      font: inherit; color: inherit; min-height: 2.75rem; border-radius: .6rem; max-width: 100%;
    }
    input, select {
      width: 100%; padding: .5rem .75rem; background: var(--paper); border: 1px solid var(--quiet);
    }
    button, .button {
      display: inline-flex; align-items: center; justify-content: center; padding: .5rem 1rem;
      background: var(--chip); border: 1px solid var(--line); text-decoration: none; cursor: pointer;
      color: var(--ink);
    }
    button:disabled { opacity: .45; cursor: default; }
    #search > .buttons > button:first-child, #more {
      background: var(--accent); color: var(--on-accent); border-color: var(--accent);
    }
    #search { display: grid; gap: .6rem; grid-template-columns: 1fr 1fr; align-items: end; }
    #search label > span { display: block; font-size: .8rem; color: var(--quiet); }
    #search .words, #search .buttons { grid-column: 1 / -1; }
    #search .buttons { display: flex; gap: .6rem; }
    @media (min-width: 640px) {
      #search { grid-template-columns: 3fr 2fr 3fr; }
      #search .words { grid-column: auto; }
    }
    @media (min-width: 1000px) {
      #search { grid-template-columns: 3fr 2fr 3fr auto; }
      #search .buttons { grid-column: auto; }
    }

    .chips {
      display: flex; flex-wrap: wrap; gap: .4rem; list-style: none; margin: .9rem 0 0; padding: 0;
    }
    .chip {
      display: inline-flex; align-items: center; gap: .35rem; min-height: 2.75rem;
      padding: .2rem .85rem; border-radius: 2rem; background: var(--chip); color: var(--ink);
      text-decoration: none; border: 1px solid transparent; font-size: .92rem;
    }
    .chip small { color: var(--quiet); }
    .chip[aria-current] { background: var(--accent); color: var(--on-accent); }
    .chip[aria-current] small { color: inherit; }
    @media (max-width: 639px) {
      .chips { flex-wrap: nowrap; overflow-x: auto; margin-inline: -1rem; padding: .2rem 1rem; }
      .chip { white-space: nowrap; }
      .chip bdi { max-width: 60vw; overflow: hidden; text-overflow: ellipsis; }
    }
    .count { margin: .9rem 0 .6rem; }
    .count a { display: inline-block; padding: .2rem 0; }

    .cards {
      list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem;
      grid-template-columns: minmax(0, 1fr);
    }
    @media (min-width: 640px) { .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
    @media (min-width: 1000px) { .cards { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
    @media (min-width: 1300px) { .cards { grid-template-columns: repeat(4, minmax(0, 1fr)); } }
    .card, .detail {
      background: var(--paper); border: 1px solid var(--line); border-radius: 1rem;
      overflow: hidden; display: flex; flex-direction: column;
    }
    .cover {
      position: relative; display: flex; flex-direction: column; justify-content: flex-end;
      aspect-ratio: 16 / 9; padding: 1rem; color: #fff; text-decoration: none; overflow: hidden;
      --a: #6b5d50; --b: #453a31; background: linear-gradient(160deg, var(--a), var(--b));
    }
    .cover:focus-visible { outline-offset: -6px; outline-color: #fff; }
    .cover h1, .cover h2 {
      font-size: 1.25rem; line-height: 1.2; position: relative; text-shadow: 0 1px 3px #0008;
      display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
      flex: none;
    }
    .cover p {
      position: relative; text-shadow: 0 1px 3px #0008; white-space: nowrap; overflow: hidden;
      text-overflow: ellipsis; flex: none;
    }
    .drawing { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round;
      stroke-linecap: round; }
    .cover .drawing {
      position: absolute; right: -.5rem; top: -.5rem; height: 78%; opacity: .38; stroke-width: 1.6;
    }
    .cover.bowl { --a: #3d7a4a; --b: #23482c; }
    .cover.burger { --a: #b0642a; --b: #6a3512; }
    .cover.cup { --a: #8a6246; --b: #4e3424; }
    .cover.drumstick { --a: #b8492d; --b: #6d2414; }
    .cover.fish { --a: #2f6f8f; --b: #173e53; }
    .cover.glass { --a: #94702a; --b: #543d10; }
    .cover.ice { --a: #a04f7a; --b: #5c2744; }
    .cover.pizza { --a: #a83f3f; --b: #611d1d; }
    .cover.taco { --a: #7a7a22; --b: #44440d; }
    .facts {
      display: flex; justify-content: space-between; align-items: flex-start; gap: .5rem;
      padding: .75rem 1rem; flex: 1;
    }
    .facts > div, .facts > p { min-width: 0; }
    .facts div > p:empty { display: none; }
    .facts strong { font-size: 1.05rem; }
    .address span {
      display: block; color: var(--quiet); font-size: .92rem; white-space: nowrap;
      overflow: hidden; text-overflow: ellipsis;
    }
    .rating, .price { white-space: nowrap; }
    .heart {
      background: none; border: 0; padding: .6rem; min-width: 2.75rem; flex: none; margin: -.4rem;
    }
    .heart svg {
      width: 1.6rem; height: 1.6rem; fill: none; stroke: var(--heart); stroke-width: 1.8;
    }
    .heart[aria-pressed=true] svg { fill: var(--heart); }
    .heart:active svg { transform: scale(1.2); }
    .more { text-align: center; margin: 1.2rem 0; }

    @media (max-width: 359px) { .brand { display: none; } }
    #notices > .notice:not(.fault) {
      position: fixed; z-index: 3; left: 50%; bottom: 1rem; transform: translateX(-50%);
      width: min(34rem, 100vw - 2rem); margin: 0; box-shadow: 0 4px 20px #0006;
    }
    #state { position: absolute; top: 100%; left: 0; right: 0; padding: 0 1rem; }
    #state > .notice {
      width: min(34rem, 100%); margin: .5rem auto; box-shadow: 0 4px 20px #0006;
    }
    .favorites .card { touch-action: pan-y; }
    .notice {
      display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between;
      gap: .5rem; padding: .5rem .5rem .5rem 1rem; margin: 0 0 1rem; border-radius: .7rem;
      background: var(--chip); border-left: 4px solid var(--accent);
    }
    p.notice { padding: .7rem 1rem; }
    .empty { text-align: center; padding: 3rem 1rem; }
    .empty .drawing { width: 7rem; color: var(--quiet); }
    .empty .button { margin-top: 1rem; }

    .back { margin-bottom: .6rem; }
    .back a { display: inline-block; padding: .6rem .6rem .6rem 0; }
    .detail { max-width: 46rem; margin: 0 auto; }
    .detail > .cover { aspect-ratio: 5 / 2; min-height: 9rem; }
    .detail .cover h1 { font-size: clamp(1.4rem, 5vw, 2rem); }
    .detail > .facts { flex: none; align-items: center; font-size: 1.1rem; }
    .actions { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0 1rem 1rem; }
    .detail details { border-top: 1px solid var(--line); }
    summary { cursor: pointer; padding: .8rem 1rem; }
    .detail summary { display: flex; align-items: center; gap: .6rem; list-style: none; }
    .detail summary::-webkit-details-marker { display: none; }
    .detail summary::before { content: "›"; font-size: 1.4rem; line-height: 1; color: var(--quiet); }
    .detail details[open] summary::before { transform: rotate(90deg); }
    .detail summary h2 { font-size: 1rem; flex: none; }
    .detail summary span {
      margin-left: auto; color: var(--quiet); min-width: 0; overflow: hidden; white-space: nowrap;
      text-overflow: ellipsis; max-width: 60%;
    }
    .detail details > div { padding: 0 1rem 1rem 2.1rem; }
    address { font-style: normal; }
    .rows { list-style: none; margin: 0; padding: 0; }
    .rows li { padding: .45rem 0; border-top: 1px solid var(--line); }
    .rows li:first-child { border: 0; }
    dl { display: grid; grid-template-columns: minmax(5rem, auto) minmax(0, 1fr); gap: .4rem 1rem;
      margin: 0 0 .6rem; }
    dt { color: var(--quiet); max-width: 9rem; }
    dd { margin: 0; }
    .device { margin: .8rem 0; background: var(--chip); border-radius: .7rem; }
    .device p, .device form { padding: 0 1rem 1rem; }
    .token { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
    .token label { flex: 1 1 12rem; }
    .out { margin: 1.5rem 0; }

    .browser { display: flex; flex-direction: column; gap: .6rem; }
    .bar { display: flex; flex-wrap: wrap; gap: .5rem; }
    .browser .chips { margin-top: 0; }
    iframe { width: 100%; height: max(24rem, 100vh - 16rem); border: 1px solid var(--line);
      border-radius: .7rem; background: #fff; color-scheme: light; }
    @media (prefers-reduced-motion: no-preference) {
      .card { transition: transform .15s, box-shadow .15s; }
      .card:hover { transform: translateY(-2px); box-shadow: 0 6px 18px #0002; }
      .heart svg, .detail summary::before { transition: transform .15s; }
    }

    """#
}
