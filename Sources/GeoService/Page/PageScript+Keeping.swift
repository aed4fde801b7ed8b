extension PageScript {
  /// The part of the script for favorites, kept by the service or in this browser.
  static let keeping = #"""
    // favorites: kept by the service, or in this browser

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

    // adds to an address the favorites that this browser keeps, up to the maximum length
    function withKept(address) {
      const url = new URL(address);
      const isTheirs = url.pathname === new URL(told.favorites).pathname;
      if (serviceKeeps || !isTheirs || url.searchParams.has('ids')) return url;
      let ids = '';
      for (const id of kept.ids.slice(0, 100).map(encodeURIComponent)) {
        if (ids.length + id.length < 2000) ids += (ids && ',') + id;
      }
      if (ids) url.searchParams.set('ids', ids);
      return url;
    }

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
        if (heart.ariaBusy) return;
        heart.ariaBusy = 'true';
        try {
          const answer = await fetch(heart.form.dataset.change, { method: adds ? 'PUT' : 'DELETE' });
          if (answer.status === 401) {
            return notice('The session is over.', 'Enter the token again', () => location.assign(told.favorites));
          }
          if (!answer.ok) throw new Error((await answer.json()).detail);
        } catch (error) {
          const why = error instanceof TypeError ? 'it does not answer' : error.message;
          return notice(`The service has not taken that: ${why}.`, 'Try again', () => keep(heart, adds));
        } finally {
          heart.ariaBusy = null;
        }
      } else {
        const others = kept.ids.filter((other) => other !== id);
        kept.ids = adds ? [...others, id] : others;
      }
      mark(id, adds);
      const where = serviceKeeps ? '' : ' on this device';
      const isGone = 'gone' in heart.dataset;
      notice(adds ? `${name} is a favorite now${where}.` : `${name} is no longer a favorite.`,
        ...isGone ? [] : ['Undo', () => keep(heart, !adds)]);
      if (onFavorites) update();
    }

    document.addEventListener('click', (event) => {
      const heart = event.target.closest?.('.heart');
      if (!heart) return;
      event.preventDefault();
      keep(heart, heart.getAttribute('aria-pressed') !== 'true');
    });

    // on the page of favorites, swiping left and the key Delete remove one, too
    let swipe = null;

    function slide(event) {
      const by = Math.min(0, event.clientX - swipe.x);
      swipe.card.style.transform = by ? `translateX(${by}px)` : '';
      return -by > swipe.card.offsetWidth / 3;
    }

    if (onFavorites) {
      document.addEventListener('pointerdown', (event) => {
        const card = event.pointerType === 'touch' && event.target.closest('.card');
        if (card) swipe = { card, x: event.clientX };
      });
      document.addEventListener('pointermove', (event) => { if (swipe) slide(event); });
      for (const end of ['pointerup', 'pointercancel']) {
        document.addEventListener(end, (event) => {
          if (!swipe) return;
          const { card } = swipe;
          const isFar = end === 'pointerup' && slide(event);
          swipe = null;
          card.style.transform = '';
          if (isFar) keep($('.heart', card), false);
        });
      }
      document.addEventListener('keydown', (event) => {
        const card = event.key === 'Delete' && event.target.closest('.card');
        if (card) keep($('.heart', card), false);
      });
    }

    // offers to move what this browser kept before it had the token
    function offerKept() {
      const ids = kept.ids;
      if (!onFavorites || !serviceKeeps || !ids.length) return;
      const many = ids.length === 1 ? '1 favorite is' : `${ids.length} favorites are`;
      say('#notices', `${many} kept on this device.`, ['Hand them to the service', async () => {
        const left = [];
        let unknown = 0;
        for (const id of ids) {
          const address = told.favorites.replace(/app\/favorites$/, 'favorites/') + encodeURIComponent(id);
          const answer = await fetch(address, { method: 'PUT' }).catch(() => null);
          if (answer?.status === 404) unknown += 1;
          else if (!answer?.ok) left.push(id);
        }
        kept.ids = left;
        await update();
        if (left.length) notice(`The service has not taken ${left.length} of them.`, 'Try again', offerKept);
        else notice(`The service keeps them now${unknown ? `, but ${unknown} that it does not know` : ''}.`);
      }, 'Forget them', () => { kept.ids = []; }]);
    }

    """#
}
