extension PageScript {
  /// The last part of the script: sections, the frame, and what runs at the start.
  static let rest = #"""
    // sections stay open or closed, as the visitor left them

    const sectionKey = (section) => 'section ' + section.dataset.section;

    document.addEventListener('toggle', ({ target }) => {
      if (!target.dataset.section) return;
      try { localStorage.setItem(sectionKey(target), target.open ? 'open' : 'closed'); } catch {}
    }, true);

    function enliven() {
      for (const part of $$('.heart[hidden], .hint[hidden]')) part.hidden = false;
      if (!serviceKeeps) for (const id of kept.ids) mark(id, true);
      for (const section of $$('details[data-section]')) {
        try {
          const was = localStorage.getItem(sectionKey(section));
          if (was !== null) section.open = was === 'open';
        } catch {}
      }
      const share = $('#share');
      if (share && isSecureContext && navigator.clipboard) share.hidden = false;
      document.dispatchEvent(new Event('shown'));
    }

    document.addEventListener('click', (event) => {
      if (!event.target.closest?.('#share')) return;
      navigator.clipboard.writeText(location.href)
        .then(() => notice('The link is copied.'), () => notice('Copy the address of this page.'));
    });

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
      const start = frame.src;
      refresh.addEventListener('click', () => {
        // another site can only be loaded again from its start
        try { inside().location.reload(); } catch { frame.src = start; }
      });
      const settle = () => {
        try {
          out.href = inside().location.href;
          back.disabled = inside().navigation ? !inside().navigation.canGoBack : false;
          next.disabled = inside().navigation ? !inside().navigation.canGoForward : false;
          // without the links of drawings, whose target cannot be set
          for (const link of frame.contentDocument.links) {
            if (link.origin !== location.origin) { link.target = '_blank'; link.rel = 'noopener'; }
          }
        } catch {
          out.href = start;
          back.disabled = next.disabled = true;
        }
      };
      frame.addEventListener('load', settle);
      settle();
    }

    // a notice that came with the address is not repeated by a reload
    const address = new URL(location);
    if (address.searchParams.has('added') || address.searchParams.has('removed')) {
      address.searchParams.delete('added');
      address.searchParams.delete('removed');
      history.replaceState(null, '', address);
      shown = here();
    }

    for (const box of $$('#notices > form')) fade(box);
    enliven();
    if (onFavorites && !serviceKeeps && kept.ids.length) update();
    offerKept();

    """#
}
