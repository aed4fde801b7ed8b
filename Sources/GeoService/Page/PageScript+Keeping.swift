extension PageScript {
  /// The rest of the script: favorites, sections, the frame.
  static let keeping = #"""
    // favorites: by the service, or in this browser

    const kept = {
      get ids() {
        try { return JSON.parse(localStorage.getItem('favorites')) ?? []; } catch { return []; }
      },
      set ids(ids) {
        try {
          localStorage.setItem('favorites', JSON.stringify(ids));
        } catch {
          notice('This browser keeps nothing for this page; the heart is gone when you leave.');
        }
      },
    };

    const idOf = (heart) => decodeURIComponent(heart.dataset.id);

    function mark(id, isFavorite) {
      for (const heart of $$('.heart')) {
        if (idOf(heart) !== id) continue;
        heart.setAttribute('aria-pressed', isFavorite);
        const change = heart.form?.elements.change;
        if (change) change.value = isFavorite ? 'remove' : 'add';
      }
    }

    async function keep(heart, adds) {
      const id = idOf(heart);
      const name = $('bdi', heart)?.textContent ?? id;
      if (serviceKeeps) {
        heart.disabled = true;
        try {
          const answer = await fetch(heart.form.dataset.change, { method: adds ? 'PUT' : 'DELETE' });
          if (answer.status === 401) return notice('The session is over: enter the token again.');
          if (!answer.ok) throw new Error(answer.status);
        } catch {
          return notice('The service has not taken that. Try again.');
        } finally {
          heart.disabled = false;
        }
      } else {
        const others = kept.ids.filter((other) => other !== id);
        kept.ids = adds ? [...others, id] : others;
      }
      mark(id, adds);
      const where = serviceKeeps ? '' : ' on this device';
      notice(adds ? `${name} is a favorite now${where}.` : `${name} is no longer a favorite.`,
        'Undo', () => keep(heart, !adds));
    }

    document.addEventListener('click', (event) => {
      const heart = event.target.closest?.('.heart');
      if (!heart) return;
      event.preventDefault();
      keep(heart, heart.getAttribute('aria-pressed') !== 'true');
    });

    async function listKept() {
      const ids = kept.ids.slice(0, 100);
      const query = new URLSearchParams(location.search);
      if (serviceKeeps || location.pathname !== new URL(favoritesAddress).pathname) return;
      if (query.has('ids') || !ids.length) return;
      query.set('ids', ids.join(','));
      try {
        const page = await load(favoritesAddress + '?' + query);
        $('#results').replaceWith(document.adoptNode($('#results', page)));
        enliven();
      } catch { away(); }
    }

    // what this browser kept before it had the token
    function offerKept() {
      if (!serviceKeeps || !kept.ids.length) return;
      const ids = kept.ids;
      notice(`${ids.length} favorites are kept on this device.`, 'Hand them to the service',
        async () => {
          const base = favoritesAddress.replace(/app\/favorites$/, 'favorites/');
          const left = [];
          for (const id of ids) {
            const answer = await fetch(base + encodeURIComponent(id), { method: 'PUT' })
              .catch(() => null);
            if (!answer?.ok && answer?.status !== 404) left.push(id);
          }
          kept.ids = left;
          if (left.length) notice(`The service has not taken ${left.length} of them. Try again.`);
          else location.reload();
        });
    }

    function enliven() {
      for (const heart of $$('.heart[hidden]')) heart.hidden = false;
      if (!serviceKeeps) for (const id of kept.ids) mark(id, true);
    }

    // sections stay as they were left

    for (const section of $$('details[data-section]')) {
      const key = 'section ' + section.dataset.section;
      try {
        const was = localStorage.getItem(key);
        if (was !== null) section.open = was === 'open';
      } catch {}
      section.addEventListener('toggle', () => {
        try { localStorage.setItem(key, section.open ? 'open' : 'closed'); } catch {}
      });
    }

    const share = $('#share');
    if (share && isSecureContext && navigator.clipboard) {
      share.hidden = false;
      share.addEventListener('click', () => navigator.clipboard.writeText(location.href)
        .then(() => notice('The link is copied.'), () => notice('Copy the address of this page.')));
    }

    // the frame

    const frame = $('#frame');
    if (frame) {
      const [back, next, refresh, out] =
        ['back', 'next', 'refresh', 'out'].map((name) => $('#frame-' + name));
      const inside = () => frame.contentWindow;
      const step = (direction) => inside().navigation
        ? inside().navigation[direction]() : inside().history[direction]();
      for (const button of [back, next, refresh]) button.hidden = false;
      back.addEventListener('click', () => step('back'));
      next.addEventListener('click', () => step('forward'));
      refresh.addEventListener('click', () => inside().location.reload());
      const settle = () => {
        try {
          out.href = inside().location.href;
          back.disabled = inside().navigation ? !inside().navigation.canGoBack : false;
          next.disabled = inside().navigation ? !inside().navigation.canGoForward : false;
          for (const link of $$('a[href]', frame.contentDocument)) {
            if (link.origin !== location.origin) { link.target = '_blank'; link.rel = 'noopener'; }
          }
        } catch { back.disabled = next.disabled = true; }
      };
      frame.addEventListener('load', settle);
      settle();
    }

    // a notice that the address asked for is not repeated by a reload
    const address = new URL(location);
    if (address.searchParams.has('added') || address.searchParams.has('removed')) {
      address.searchParams.delete('added');
      address.searchParams.delete('removed');
      history.replaceState(null, '', address);
    }

    for (const box of $$('#notices > form')) fade(box);
    enliven();
    listKept();
    if (location.pathname === new URL(favoritesAddress).pathname) offerKept();

    """#
}
