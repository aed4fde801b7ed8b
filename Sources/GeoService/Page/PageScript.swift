/// The script of the page: what makes it lively.
///
/// Everything works without it but favorites on the device, the position and the frame's buttons.
enum PageScript {
  static let text = #"""
    const $ = (selector, root = document) => root.querySelector(selector);
    const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
    const serviceKeeps = document.body.dataset.keeping === 'service';
    const favoritesAddress = document.body.dataset.favorites;

    // notices

    function notice(text, label, act) {
      const box = document.createElement('div');
      box.className = 'notice';
      const words = document.createElement('span');
      words.textContent = text;
      box.append(words);
      if (label) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = label;
        button.addEventListener('click', () => { box.remove(); act(); });
        box.append(button);
      }
      $('#notices').replaceChildren(box);
      fade(box);
    }

    // a notice goes after a while, but never from under a pointer or a focus
    function fade(box) {
      setTimeout(() => {
        if (box.matches(':hover, :focus-within')) fade(box); else box.remove();
      }, 12000);
    }

    const away = () =>
      notice('The service does not answer. What is shown may be out of date.');

    async function load(address, signal) {
      const answer = await fetch(address, { signal, headers: { Accept: 'text/html' } });
      if (!answer.ok) throw new Error(answer.status);
      return new DOMParser().parseFromString(await answer.text(), 'text/html');
    }

    // the list: search as one types, show more

    const search = $('#search');
    let running = new AbortController();
    let timer = 0;

    function searchAddress() {
      const query = new URLSearchParams();
      for (const [name, value] of new FormData(search)) if (value) query.append(name, value);
      const text = query.toString();
      return search.action + (text ? '?' + text : '');
    }

    async function show(address, isNew) {
      running.abort();
      running = new AbortController();
      try {
        const page = await load(address, running.signal);
        $('#results').replaceWith(document.adoptNode($('#results', page)));
        const told = $('#notices', page);
        $('#notices').replaceChildren(...told.childNodes);
        history[isNew ? 'pushState' : 'replaceState']({ searched: true }, '', address);
        enliven();
      } catch (error) {
        if (error.name !== 'AbortError') away();
      }
    }

    if (search) {
      let isTyping = false;
      const words = $('input[type=search]', search);
      words.addEventListener('input', () => {
        clearTimeout(timer);
        timer = setTimeout(() => { show(searchAddress(), !isTyping); isTyping = true; }, 120);
      });
      words.addEventListener('blur', () => { isTyping = false; });
      $('select', search).addEventListener('change', () => show(searchAddress(), true));
      search.addEventListener('submit', (event) => {
        event.preventDefault();
        clearTimeout(timer);
        location.assign(searchAddress());
      });
      addEventListener('popstate', () => location.reload());
    }

    document.addEventListener('click', async (event) => {
      const more = event.target.closest?.('#more');
      if (!more || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      try {
        const page = await load(more.href);
        const cards = $$('.card', page).map((card) => document.adoptNode(card));
        const next = $('#more', page);
        $('#cards').append(...cards);
        if (next) more.href = next.href; else more.remove();
        const count = $('#count');
        count.firstChild.data = count.firstChild.data.replace(/^\d+/, $$('#cards .card').length);
        $('a', cards[0])?.focus();
        enliven();
      } catch { away(); }
    });

    // where am I

    const locate = $('#locate');
    const refusals = {
      1: 'The browser may not say where you are. Type latitude,longitude instead, or pick a place.',
      2: 'The browser does not know where you are. Type latitude,longitude instead.',
      3: 'Finding your position took too long. Try again, or type latitude,longitude.',
    };
    if (locate) {
      locate.hidden = false;
      locate.addEventListener('click', () => {
        if (!isSecureContext || !navigator.geolocation) {
          notice('Browsers tell positions to secure pages only (https, or this machine). '
            + 'Type latitude,longitude instead, or pick a place.');
          return;
        }
        locate.disabled = true;
        navigator.geolocation.getCurrentPosition(({ coords }) => {
          search.elements.at.value = `${coords.latitude.toFixed(5)},${coords.longitude.toFixed(5)}`;
          search.elements.near?.remove();
          location.assign(searchAddress());
        }, (error) => {
          locate.disabled = false;
          notice(refusals[error.code] ?? refusals[2]);
        }, { timeout: 8000, maximumAge: 60000 });
      });
    }

    """#
}
