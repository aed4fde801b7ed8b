/// The script of the page.
///
/// Without it everything works except favorites in the browser, the position and the frame's
/// buttons.
enum PageScript {
  /// The whole script.
  static let whole = text + states + pictures + keeping + plan + rest

  static let text = #"""
    const $ = (selector, root = document) => root.querySelector(selector);
    const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
    const told = document.body.dataset;
    const serviceKeeps = told.keeping === 'service';
    const onFavorites = location.pathname === new URL(told.favorites).pathname;

    // notices: a sentence, and buttons as pairs of label and action

    function say(place, text, actions) {
      const box = document.createElement('div');
      box.className = 'notice';
      const words = document.createElement('span');
      words.textContent = text;
      box.append(words);
      for (let index = 0; index < actions.length; index += 2) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = actions[index];
        button.addEventListener('click', () => { box.remove(); actions[index + 1](); });
        box.append(button);
      }
      // notices about the address stay
      for (const old of $$(place + ' > :not(.fault)')) old.remove();
      $(place).append(box);
      return box;
    }

    const notice = (text, ...actions) => fade(say('#notices', text, actions));

    // a notice disappears after a while, but not while the pointer or the focus is on it
    function fade(box) {
      setTimeout(() => {
        if (box.matches(':hover, :focus-within')) fade(box); else box.remove();
      }, 12000);
    }

    // the list: search while typing, show more

    const search = $('#search');
    let running = new AbortController();
    let timer = 0;
    const here = () => location.href.split('#')[0];
    let shown = here();

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
        const page = await load(address, running);
        put(page);
        $('#notices').replaceChildren(...$('#notices', page).childNodes);
        history[isNew ? 'pushState' : 'replaceState'](null, '', address);
        shown = here();
      } catch (error) { failed(error, () => show(address, isNew)); }
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
      // not for a change of the fragment, such as the link to the content
      addEventListener('popstate', () => { if (here() !== shown) location.reload(); });
    }

    async function showMore() {
      try {
        const cards = append(await load($('#more').href));
        $('a, button', cards[0])?.focus();
      } catch (error) { failed(error, showMore); }
    }

    // adds the cards of the next page below the present ones
    function append(page) {
      const cards = $$('.card', page).map((card) => document.adoptNode(card));
      const [more, next, count] = [$('#more'), $('#more', page), $('#count').firstChild];
      $('#cards').append(...cards);
      if (next) more.href = next.href; else more.remove();
      count.textContent = count.textContent
        .replace(/^[\d,]+/, $$('#cards .card').length.toLocaleString('en'));
      enliven();
      return cards;
    }

    document.addEventListener('click', (event) => {
      if (!event.target.closest?.('#more') || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      showMore();
    });

    // the visitor's position

    const refusals = {
      1: 'The browser may not say where you are.',
      2: 'The browser does not know where you are.',
      3: 'Finding your position took too long.',
    };

    // without a position, shows the other ways to enter one
    function noPosition(why, field) {
      const places = $$('#places option').slice(0, 2).flatMap(({ value }) => [value, () => {
        field.value = value;
        field.form.requestSubmit();
      }]);
      notice(`${why} Type latitude,longitude instead${places.length ? ', or pick a place' : ''}.`,
        ...places, 'Type a place', () => field.focus());
    }

    function whereAmI(locate, field) {
      locate.hidden = false;
      locate.addEventListener('click', () => {
        if (!isSecureContext || !navigator.geolocation) {
          return noPosition('Browsers tell positions to secure pages only (https, or this machine).', field);
        }
        locate.disabled = true;
        navigator.geolocation.getCurrentPosition(({ coords }) => {
          field.value = `${coords.latitude.toFixed(5)},${coords.longitude.toFixed(5)}`;
          field.form.elements.near?.remove();
          field.form.requestSubmit();
        }, (error) => {
          locate.disabled = false;
          noPosition(refusals[error.code] ?? refusals[2], field);
        }, { timeout: 8000, maximumAge: 60000 });
      });
    }
    if ($('#locate')) whereAmI($('#locate'), search.elements.at);

    """#
}
