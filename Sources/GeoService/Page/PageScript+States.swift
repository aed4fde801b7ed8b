extension PageScript {
  /// The part of the script that loads pages, and shows that it is waiting, that the service does
  /// not respond, or that there is newer data.
  ///
  /// Elements that change with newer data have an id and the attribute `data-live`. After they have
  /// been replaced, the document receives the event `shown`.
  static let states = #"""
    // states: loading, service not responding, newer data; shown below the tabs, over the content

    let state = '';

    function tell(kind, text, ...actions) {
      if (state === kind) return;
      state = kind;
      for (const button of $$('button', say('#state', text, actions))) {
        button.addEventListener('click', () => { state = ''; });
      }
    }

    function calm(kind) {
      if (state !== kind) return;
      state = '';
      $('#state').replaceChildren();
    }

    async function load(address, stop = new AbortController()) {
      const wait = setTimeout(() => tell('loading', 'Loading …', 'Stop', () => stop.abort()), 400);
      const late = setTimeout(() => stop.abort(new Error('late')), 10000);
      try {
        const options = { signal: stop.signal, headers: { Accept: 'text/html' } };
        const answer = await fetch(withKept(address), options);
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        if (!answer.ok) throw new Error($('main p', page)?.textContent ?? '', { cause: answer.status });
        calm('away');
        return page;
      } finally {
        clearTimeout(wait);
        clearTimeout(late);
        calm('loading');
      }
    }

    function failed(error, again) {
      if (error.name === 'AbortError') return;
      const why = error.cause ? `The service says: ${error.message}.` : 'The service does not answer.';
      tell('away', `${why} What is shown may be out of date.`, 'Try again', again);
    }

    async function look() {
      if (document.hidden) return;
      try {
        const answer = await fetch(told.health, { cache: 'no-store', signal: AbortSignal.timeout(8000) });
        const { generation } = await answer.json();
        calm('away');
        if (generation === Number(told.generation)) calm('newer');
        else tell('newer', 'There is newer data.', 'Update', update);
      } catch (error) { failed(error, look); }
    }

    setInterval(look, 20000);
    for (const moment of ['visibilitychange', 'online']) addEventListener(moment, look);
    addEventListener('pageshow', (event) => { if (event.persisted) update(); });

    // the name by which a part of the page is found in its next version
    const nameOf = (part) => `${part.tagName} ${part.id || part.dataset.id || part.getAttribute('href')
      || part.closest('[data-section]')?.dataset.section}`;
    const named = (name) => $$('[data-live] *').find((part) => nameOf(part) === name);

    // a card under the pointer is raised a little, which is not counted
    const topOf = (part) => (part.closest('.card') ?? part).offsetTop - scrollY;

    function put(page) {
      const fresh = $('.map', page)?.dataset;
      for (const part of $$('[data-live]')) {
        const next = part.id && page.getElementById(part.id);
        if (!next) continue;
        // a map that is drawn already stays
        const map = $('.map', part);
        if (map) $('.map', next)?.replaceWith(map);
        part.replaceWith(document.adoptNode(next));
      }
      // the form stays, because its user may be typing
      if (search) search.hidden = $('#search', page)?.hidden ?? false;
      told.generation = page.body.dataset.generation;
      calm('newer');
      enliven();
      document.dispatchEvent(new CustomEvent('results', { detail: fresh }));
    }

    // the element that had the focus before a notice's button
    let focused = document.body;
    document.addEventListener('focusin', ({ target }) => {
      if (!target.closest('.notice')) focused = target;
    });

    // loads the same page again: what the visitor looks at stays in place, with its focus
    async function update() {
      if (!$('[data-live]')) return location.reload();
      try {
        const page = await load(location.href);
        const pages = [];
        let next = page;
        for (let left = $$('#cards .card').length; (left -= $$('.card', next).length) > 0;) {
          if (!$('#more', next)) break;
          pages.push(next = await load($('#more', next).href));
        }
        const isLost = document.activeElement === document.body;
        const focus = focused.closest('[data-live]') && nameOf(focused);
        const place = $$('#cards .card').indexOf(focused.closest('.card'));
        const isSeen = (part) => part.getBoundingClientRect().bottom > $('.top').offsetHeight;
        const own = focus && isSeen(focused) && focused.getBoundingClientRect().top < innerHeight;
        const seen = [...own ? [focused] : [], ...$$('[data-live] :is(.card .cover, summary)').filter(isSeen)]
          .map((part) => [nameOf(part), topOf(part)]);
        put(page);
        for (const other of pages) append(other);
        const [name, top] = seen.find(([name]) => named(name)) ?? [];
        if (name) scrollBy({ top: topOf(named(name)) - top, behavior: 'instant' });
        if (!focus) return isLost && focused.focus({ preventScroll: true });
        const card = $$('#cards .card').slice(0, place + 1).at(-1) ?? $('[data-live]');
        (named(focus) ?? $('a, button', card))?.focus({ preventScroll: true });
      } catch (error) { failed(error, update); }
    }

    """#
}
