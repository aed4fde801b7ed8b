extension PageStyle {
  /// The part of the stylesheet for the pages of the API.
  static let documents = #"""
    .document main { max-width: 64rem; }
    .document h1 { font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; margin: .4rem 0 1rem; }
    .document h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
    .document .top { padding-inline: max(.5rem, calc((100vw - 64rem) / 2 + .5rem)); }
    .document .top nav { flex-wrap: wrap; gap: 0; }
    .document .top nav a { padding-inline: .45rem; font-size: .95rem; }
    .document .count { margin: 0 0 .6rem; }
    .document table + p { margin-top: .5rem; }
    .document p { margin: 0 0 .8rem; }
    .document code { font-size: .92em; background: var(--chip); padding: .1em .3em; border-radius: .3em; }
    .document pre { white-space: pre-wrap; }
    .document ul { margin: 0; padding-left: 1.1rem; }
    .document dl { font-size: .92rem; }
    .document article {
      background: var(--paper); border: 1px solid var(--line); border-radius: .8rem;
      padding: .8rem 1rem; margin: 0 0 1rem;
    }
    .document article h2 { margin-top: 0; }
    .document table { border-collapse: collapse; width: 100%; }
    .document th, .document td {
      text-align: left; vertical-align: top; padding: .45rem .7rem .45rem 0;
      border-bottom: 1px solid var(--line);
    }
    .document th { color: var(--quiet); font-weight: 500; }
    .document .members > tbody > tr > th { width: 11rem; }
    .document .members .members > tbody > tr > th { width: 9rem; }
    .document td > .members { margin: -.45rem 0; }
    .document tr:last-child > :is(th, td) { border-bottom: 0; }
    .document .list { background: var(--paper); border-radius: .8rem; margin: .4rem 0 1rem; }
    .document .list :is(th, td) { padding-left: .9rem; }
    .document .list th { overflow-wrap: normal; }
    .document .list td[data-name] { min-width: 7rem; }
    .document .list tbody + tbody { border-top: 1px solid var(--line); }
    .document .list h2 { margin: 0; font-size: 1rem; }
    .document .numbered tbody { counter-increment: row; }
    .document .numbered h2::before { content: counter(row) " "; color: var(--quiet); }
    .document .list tbody[id] { scroll-margin-top: 7rem; }
    .document .list tbody:target { background: var(--chip); }
    .document .points {
      display: block; width: 100%; max-width: 40rem; margin: 0 auto 1rem; background: var(--paper);
      border: 1px solid var(--line); border-radius: .8rem;
    }
    .points circle { fill: var(--accent); stroke: var(--paper); }
    .points a { text-decoration: none; outline-offset: 0; }
    .points text {
      fill: var(--on-accent); font-size: 9px; font-weight: 650; text-anchor: middle;
      dominant-baseline: central;
    }
    .points .scale path { fill: none; stroke: var(--quiet); }
    .points .scale text { fill: var(--quiet); font-weight: 400; text-anchor: start; }
    .document .list [colspan] { padding-top: 0; }
    .document .list > tbody > tr:has(+ tr > [colspan]) > td { border-bottom: 0; }
    .document summary { padding: .3rem 0; color: var(--accent); }
    .document .links > summary { font-weight: 650; color: var(--ink); margin-top: 1.5rem; }
    .document [colspan] > details > summary { font-size: .9rem; }
    .document .steps { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
    .document .links td + td { color: var(--quiet); font-size: .9rem; }
    @media (max-width: 639px) {
      .document .members, .document .list, .document table:not([class]) { display: block; }
      .document table :is(tbody, tr, th, td) { display: block; width: auto; }
      .document table thead, .document table tr:has(> th + th) { display: none; }
      .document table :is(th, td) { border: 0; padding-block: .1rem; width: auto !important; }
      .document table tr { border-bottom: 1px solid var(--line); padding: .35rem 0; }
      .document td td { padding-left: 0; }
      .document td > .members { padding-left: .8rem; border-left: 3px solid var(--line); margin: 0; }
      .document .list tr:has(+ tr > [colspan]) { border: 0; padding-bottom: 0; }
      .document .list td:empty { display: none; }
      .document .links td + td { display: inline-block; }
      .document .list td[data-name]::before {
        content: attr(data-name) " "; color: var(--quiet); font-size: .9rem;
      }
    }

    """#
}
