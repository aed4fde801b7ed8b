extension PageStyle {
  /// The part of the stylesheet for plans: wants, receipts, offers, the short list.
  static let plan = #"""
    @media (max-width: 479px) {
      .top { padding-inline: .5rem; }
      .top nav { gap: 0; flex: 1; justify-content: space-between; }
      .top nav a { padding-inline: .45rem; }
    }
    @media (max-width: 419px) { .brand { display: none; } }
    .top nav a { white-space: nowrap; }
    @media (max-width: 359px) { .top nav a { font-size: .9rem; padding-inline: .3rem; } }
    .plan { display: grid; gap: 1rem 2.5rem; grid-template-columns: minmax(0, 1fr); }
    @media (min-width: 900px) {
      .plan { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); align-items: start; }
    }
    .plan h2 { margin-top: 1rem; font-size: 1.2rem; }
    .plan h3 { margin: 1.4rem 0 .5rem; font-size: 1rem; }
    .chips.wrap { flex-wrap: wrap; overflow: visible; margin-inline: 0; padding-inline: 0;
      margin-top: .5rem; }
    .chips + .cards, .chips + p, nav + p { margin-top: 1rem; }
    .plan .chips { margin-top: .5rem; }
    .below { margin: .6rem 0; }
    @media (min-width: 900px) { .below { display: none; } }
    #answer-title { scroll-margin-top: 4rem; }
    .offering, .options + p, .chips + .notice { margin-top: 1rem; }
    .people { max-width: 34rem; }
    .card .total { margin-top: .4rem; }
    .plan .map { margin-top: 1rem; }
    .empty.small { padding: 1.2rem 0; }
    .empty.small .drawing { width: 4.5rem; }

    .wants, .offers, .lines, .receipts, .tags { list-style: none; margin: 0; padding: 0; }
    .wants { margin: .6rem 0; border-top: 1px solid var(--line); }
    .wants li, .offers li {
      display: flex; align-items: center; gap: .7rem; padding: .45rem 0;
      border-bottom: 1px solid var(--line);
    }
    .wants div, .offers div, .people p { flex: 1; min-width: 0; }
    .mark {
      flex: none; display: inline-grid; place-items: center; width: 1.6rem; height: 1.6rem;
      border-radius: 50%; background: var(--chip); font-weight: 700; font-size: .9rem;
    }
    .mark.met { background: #2f7d3b; color: #fff; }
    .remove {
      flex: none; display: inline-grid; place-items: center; width: 2.75rem; height: 2.75rem;
      border-radius: 50%; color: var(--quiet); text-decoration: none; font-size: 1.4rem;
    }
    .remove:hover { background: var(--chip); }
    .add { display: flex; gap: .6rem; align-items: end; margin-top: 1rem; }
    .add label { flex: 1; min-width: 0; }
    .add label > span, .options label > span {
      display: block; font-size: .8rem; color: var(--quiet);
    }
    .options {
      display: grid; gap: .6rem; grid-template-columns: 1fr 1fr; align-items: end; margin-top: .8rem;
    }
    .options .wide, .options .buttons { grid-column: 1 / -1; }
    .options .buttons { display: flex; gap: .6rem; }
    @media (min-width: 560px) {
      .options { grid-template-columns: repeat(3, minmax(0, 1fr)); }
      .options.meet .wide { grid-column: auto; }
    }
    .add > button, .options .buttons > button:first-child, #try, #pick-one {
      background: var(--accent); color: var(--on-accent); border-color: var(--accent);
    }
    .others { margin-top: .3rem; }
    .others > summary { padding: .7rem 0; color: var(--accent); }

    .receipt {
      background: var(--paper); border: 1px solid var(--line); border-radius: .8rem;
      margin-top: 1rem; box-shadow: 0 1px 6px #0001;
    }
    .receipt > header {
      position: sticky; top: 3.1rem; z-index: 1; display: flex; flex-wrap: wrap; gap: 0 1rem;
      align-items: baseline; justify-content: space-between; padding: .7rem 1rem;
      background: var(--paper); border-bottom: 2px dashed var(--line); border-radius: .8rem .8rem 0 0;
    }
    .plan .receipt h3 { margin: 0; font-size: 1.05rem; min-width: 0; }
    .receipt .total { font-weight: 800; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .receipt .body { padding: .4rem 1rem .2rem; }
    .receipt .body:empty { display: none; }
    .receipt .actions { padding: .6rem 0; }
    .stops { margin: 0; padding: .2rem 0 .2rem 1.4rem; }
    .stops li { padding: .35rem 0; }
    .stops li::marker { font-weight: 700; color: var(--accent); }
    .tags { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .2rem; }
    .tags li {
      padding: .05rem .6rem; border-radius: 1rem; background: var(--chip); font-size: .85rem;
    }
    .receipt details { border-top: 1px dashed var(--line); }
    .receipt header + details { border-top: 0; }
    .receipt summary { padding: .65rem 1rem; font-weight: 600; }
    .lines { padding: 0 1rem .8rem; }
    .lines li { display: flex; gap: .6rem; padding: .25rem 0; }
    .lines .mark { width: 1.4rem; height: 1.4rem; font-size: .8rem; }
    .receipts { display: grid; gap: .8rem; }
    @media (min-width: 640px) {
      .receipts { grid-template-columns: repeat(2, minmax(0, 1fr)); align-items: start; }
    }
    .receipts .receipt { margin: 0; }
    .receipts .receipt > header { position: static; }

    .offers { border-top: 1px solid var(--line); }
    .offers li { padding: .7rem 0; }
    .offers p a { font-weight: 600; }
    .worth { white-space: nowrap; }
    .button.want { flex: none; }
    .button.want.on { border-color: var(--accent); }
    .offer dl { margin: .8rem 0; }
    .offer h2 { margin-top: 1.2rem; font-size: 1.2rem; }
    .offer .actions { padding: 0; }

    .pick {
      display: inline-block; padding: .55rem .6rem .35rem 0; font-size: .9rem; color: var(--quiet);
      text-decoration: none;
    }
    .pick:hover { text-decoration: underline; }
    .pick-on { color: var(--accent); font-weight: 650; }
    .picks {
      margin: 0 0 .8rem; padding: .3rem 1rem; border-radius: .7rem; background: var(--chip);
      display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: center;
    }
    .picks a { font-weight: 650; padding: .4rem 0; white-space: nowrap; }
    .chosen {
      display: flex; align-items: center; gap: 1rem; margin: 1rem 0; padding: 1rem 1.2rem;
      border-radius: 1rem; background: var(--chip); font-size: 1.25rem; font-weight: 650;
    }
    .chosen .drawing { width: 3.5rem; flex: none; color: var(--accent); }
    main > .actions { padding: .6rem 0 1rem; }

    """#
}
