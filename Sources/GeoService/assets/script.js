// The script of the lunch page. Without it everything works except favorites in the browser, the position and the
// frame's buttons.

/** @type {FindOne} */
const $ = (/** @type {string} */ selector, /** @type {ParentNode} */ root = document) =>
  /** @type {any} */ (root.querySelector(selector));
/** @type {FindAll} */
const $$ = (/** @type {string} */ selector, /** @type {ParentNode} */ root = document) =>
  /** @type {any[]} */ ([...root.querySelectorAll(selector)]);
const told = /** @type {PageData} */ (document.body.dataset);
const serviceKeeps = told.keeping === 'service';
const onFavorites = location.pathname === new URL(told.favorites).pathname;

// the innermost element around an event that a selector finds
/** @param {Event} event @param {string} selector */
const around = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);

// notices: a sentence, and buttons

/** @param {string} place @param {string} text @param {Action[]} actions */
function say(place, text, actions) {
  const box = document.createElement('div');
  box.className = 'notice';
  box.append(Object.assign(document.createElement('span'), { textContent: text }));
  for (const [label, act] of actions) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label });
    button.addEventListener('click', () => { box.remove(); act(); });
    box.append(button);
  }
  // notices about the address stay
  for (const old of $$(place + ' > :not(.fault)')) old.remove();
  $(place)?.append(box);
  return box;
}

/** @param {string} text @param {Action[]} actions */
const notice = (text, ...actions) => fade(say('#notices', text, actions));

// a notice disappears after a while, but not while the pointer or the focus is on it
/** @param {HTMLElement} box */
function fade(box) {
  setTimeout(() => {
    if (box.matches(':hover, :focus-within')) fade(box); else box.remove();
  }, 12000);
}

// the list: search while typing, show more

const search = $('#search');
let running = new AbortController();
const here = () => location.href.split('#')[0];
let shown = here();

/** @param {HTMLFormElement} form */
function searchAddress(form) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) query.append(name, String(value));
  const text = query.toString();
  return form.action + (text ? '?' + text : '');
}

/** @param {string} address @param {boolean} isNew */
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
  let timer = 0;
  const words = $('input[type=search]', search);
  words.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { show(searchAddress(search), !isTyping); isTyping = true; }, 120);
  });
  words.addEventListener('blur', () => { isTyping = false; });
  search.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) show(searchAddress(search), true);
    // a place changes the whole page
    else if (target !== words) search.requestSubmit();
  });
  // what is chosen shows at once
  $('#show').hidden = true;
  $('#done').hidden = false;
  search.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    location.assign(searchAddress(search));
  });
  // not for a change of the fragment, such as the link to the content
  addEventListener('popstate', () => { if (here() !== shown) location.reload(); });
}

async function showMore() {
  const more = $('#more');
  if (!more) return;
  try {
    const cards = append(await load(more.href));
    $('a, button', cards[0])?.focus();
  } catch (error) { failed(error, showMore); }
}

// adds the cards of the next page below the present ones
/** @param {Document} page */
function append(page) {
  const cards = $$('.card', page).map((card) => document.adoptNode(card));
  const [more, next, count] = [$('#more'), $('#more', page), $('#count').firstChild];
  $('#cards').append(...cards);
  if (more && next) more.href = next.href; else more?.remove();
  if (count) {
    count.textContent = (count.textContent ?? '')
      .replace(/^[\d,]+/, $$('#cards .card').length.toLocaleString('en'));
  }
  enliven();
  return cards;
}

document.addEventListener('click', (event) => {
  if (!around(event, '#more') || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showMore();
});

// the visitor's position

/** @type {Record<number, string>} */
const refusals = {
  1: 'The browser may not say where you are.',
  2: 'The browser does not know where you are.',
  3: 'Finding your position took too long.',
};

// without a position, shows the other ways to enter one
/** @param {string} why @param {HTMLInputElement} field */
function noPosition(why, field) {
  const places = $$('#places option').slice(0, 2).map(({ value }) => /** @type {Action} */ ([value, () => {
    field.value = value;
    field.form?.requestSubmit();
  }]));
  const sheet = /** @type {HTMLElement} */ (field.parentElement?.parentElement);
  if (sheet.matches(':popover-open')) sheet.hidePopover();
  notice(`${why} Type latitude,longitude instead${places.length ? ', or pick a place' : ''}.`,
    ...places, ['Type a place', () => {
      if (!field.checkVisibility()) sheet.showPopover();
      field.focus();
    }]);
}

/** @param {HTMLButtonElement} locate @param {HTMLFormElement} form */
function whereAmI(locate, form) {
  const field = form.elements.at;
  locate.hidden = false;
  locate.addEventListener('click', () => {
    if (!isSecureContext || !navigator.geolocation) {
      return noPosition('Browsers tell positions to secure pages only (https, or this machine).', field);
    }
    locate.disabled = true;
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      field.value = `${coords.latitude.toFixed(5)},${coords.longitude.toFixed(5)}`;
      form.elements.near?.remove();
      form.requestSubmit();
    }, (error) => {
      locate.disabled = false;
      noPosition(refusals[error.code] ?? refusals[2], field);
    }, { timeout: 8000, maximumAge: 60000 });
  });
}
const locateMe = $('#locate');
if (locateMe && search) whereAmI(locateMe, search);

// states: loading, service not responding, newer data; shown below the tabs, over the content

let [state, partShown] = ['', ''];

/** @param {string} kind @param {string} text @param {Action[]} actions */
function tell(kind, text, ...actions) {
  if (state === kind) return;
  state = kind;
  for (const button of $$('button', say('#state', text, actions))) {
    button.addEventListener('click', () => { state = ''; });
  }
}

/** @param {string} kind */
function calm(kind) {
  if (state !== kind) return;
  state = '';
  $('#state').replaceChildren();
}

/** @param {string} address */
async function load(address, stop = new AbortController()) {
  const wait = setTimeout(() => tell('loading', 'Loading …', ['Stop', () => stop.abort()]), 400);
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

/** @param {Error} error @param {() => unknown} again */
function failed(error, again) {
  if (error.name === 'AbortError') return;
  const why = error.cause ? `The service says: ${error.message}` : 'The service does not answer.';
  tell('away', `${why} What is shown may be out of date.`, ['Try again', again]);
}

async function look() {
  if (document.hidden) return;
  try {
    const signal = /** @type {any} */ (AbortSignal).timeout(8000);
    const answer = await fetch(told.health, { cache: 'no-store', signal });
    const { generation } = await answer.json();
    calm('away');
    if (generation === Number(told.generation)) calm('newer');
    else tell('newer', 'There is newer data.', ['Update', update]);
  } catch (error) { failed(error, look); }
}

setInterval(look, 20000);
for (const moment of ['visibilitychange', 'online']) addEventListener(moment, look);
// a page that Back shows again may be older than its hearts
addEventListener('pageshow', (event) => {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  if (event.persisted || visit?.type === 'back_forward') update();
});

// Elements that change with newer data have an id and the attribute `data-live`. After they have been replaced, the
// document receives the event `shown`.

// the name by which a part of the page is found in its next version
/** @param {HTMLElement} part */
const nameOf = (part) => `${part.tagName} ${part.id || part.dataset.id || part.getAttribute('href')
  || part.closest('[data-section]')?.dataset.section}`;
/** @param {string} name */
const named = (name) => $$('[data-live] *').find((part) => nameOf(part) === name);

// a card under the pointer is raised a little, which is not counted
/** @param {HTMLElement} part */
const topOf = (part) => (part.closest('.card') ?? part).offsetTop - scrollY;

/** @param {Document} page */
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
  told.generation = page.body.dataset.generation ?? '';
  calm('newer');
  calm('part');
  if (partShown) tell('part', partShown);
  enliven();
  document.dispatchEvent(new CustomEvent('results', { detail: fresh }));
}

// the element that had the focus before a notice's button
let focused = document.body;
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest('.notice')) focused = target;
});

// loads the same page again: what the visitor looks at stays in place, with its focus
async function update() {
  if (!$('[data-live]')) return location.reload();
  try {
    const page = await load(location.href);
    const others = [];
    const count = $$('#cards .card').length;
    let loaded = $$('.card', page).length;
    let more = $('#more', page);
    while (more && loaded < count) {
      const next = await load(more.href);
      others.push(next);
      loaded += $$('.card', next).length;
      more = $('#more', next);
    }
    const isLost = document.activeElement === document.body;
    const focus = focused.closest('[data-live]') && nameOf(focused);
    const card = focused.closest('.card');
    const place = card ? $$('#cards .card').indexOf(card) : -1;
    /** @param {HTMLElement} part */
    const isSeen = (part) => part.getBoundingClientRect().bottom > $('.top').offsetHeight;
    const own = focus && isSeen(focused) && focused.getBoundingClientRect().top < innerHeight;
    const seen = [...own ? [focused] : [], ...$$('[data-live] :is(.card .cover, summary)').filter(isSeen)]
      .map((part) => ({ name: nameOf(part), top: topOf(part) }));
    put(page);
    for (const other of others) append(other);
    const stayed = seen.find(({ name }) => named(name));
    const part = stayed && named(stayed.name);
    if (part) scrollBy(0, topOf(part) - stayed.top);
    if (!focus) return isLost && focused.focus({ preventScroll: true });
    const near = $$('#cards .card').slice(0, place + 1).at(-1) ?? $('[data-live]');
    (named(focus) ?? (near && $('a, button', near)))?.focus({ preventScroll: true });
  } catch (error) { failed(error, update); }
}

// pictures: if one does not load, the drawing stays

document.addEventListener('error', ({ target }) => {
  if (target instanceof Element && target.matches('img.picture')) target.remove();
}, true);
// pictures that failed before the script ran are loaded again, so that it notices
for (const picture of $$('img.picture')) {
  if (picture.complete && !picture.naturalWidth) picture.setAttribute('src', picture.src);
}

// favorites: kept by the service, or in this browser

const kept = {
  /** @returns {string[]} */
  get ids() {
    try { return JSON.parse(localStorage.getItem('favorites') ?? '[]') ?? []; } catch { return []; }
  },
  set ids(ids) {
    try {
      localStorage.setItem('favorites', JSON.stringify(ids));
    } catch {
      notice('This browser keeps nothing for this page; the heart is gone when you leave.');
    }
  },
};

// adds to an address the newest favorites that this browser keeps, as many as fit
/** @param {string} address */
function withKept(address) {
  const url = new URL(address);
  if (serviceKeeps || url.pathname !== new URL(told.favorites).pathname || url.searchParams.has('ids')) return url;
  const ids = kept.ids.slice(-100).map(encodeURIComponent);
  while (ids.join().length > 5000) ids.shift();
  partShown = ids.length < kept.ids.length ? `The last ${ids.length} of ${kept.ids.length} favorites.` : '';
  if (ids.length) url.searchParams.set('ids', ids.join());
  return url;
}

/** @param {Heart} heart */
const idOf = (heart) => decodeURIComponent(heart.dataset.id);

/** @param {string} id @param {boolean} isFavorite */
function mark(id, isFavorite) {
  for (const heart of $$('.heart')) {
    if (idOf(heart) !== id) continue;
    heart.setAttribute('aria-pressed', String(isFavorite));
    const change = heart.form?.elements.change;
    if (change) change.value = isFavorite ? 'remove' : 'add';
  }
}

// other windows learn of a change at once
const windows = new BroadcastChannel('geoq favorites');
windows.addEventListener('message', (/** @type {MessageEvent<{ id: string, adds: boolean }>} */ { data }) => {
  mark(data.id, data.adds);
  if (onFavorites) update();
});

/** @param {Heart} heart @param {boolean} adds @returns {Promise<void>} */
async function keep(heart, adds) {
  const id = idOf(heart);
  const name = $('bdi', heart)?.textContent ?? id;
  if (serviceKeeps) {
    if (heart.ariaBusy) return;
    heart.ariaBusy = 'true';
    try {
      const answer = await fetch(heart.form.dataset.change, { method: adds ? 'PUT' : 'DELETE' });
      if (answer.status === 401) {
        return notice('The session is over.', ['Enter the token again', () => location.assign(told.favorites)]);
      }
      if (!answer.ok) throw new Error((await answer.json()).detail);
    } catch (error) {
      const why = error instanceof TypeError ? 'it does not answer' : error.message;
      return notice(`The service has not taken that: ${why}.`, ['Try again', () => keep(heart, adds)]);
    } finally {
      heart.ariaBusy = null;
    }
  } else {
    const others = kept.ids.filter((other) => other !== id);
    kept.ids = adds ? [...others, id] : others;
  }
  mark(id, adds);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels have no target
  windows.postMessage({ id, adds });
  const where = serviceKeeps ? '' : ' on this device';
  /** @type {Action[]} */
  const undo = 'gone' in heart.dataset ? [] : [['Undo', () => keep(heart, !adds)]];
  notice(adds ? `${name} is a favorite now${where}.` : `${name} is no longer a favorite.`, ...undo);
  if (onFavorites) update();
}

document.addEventListener('click', (event) => {
  const heart = /** @type {Heart | null} */ (around(event, '.heart'));
  if (!heart) return;
  event.preventDefault();
  keep(heart, heart.getAttribute('aria-pressed') !== 'true');
});

// on the page of favorites, swiping left and the key Delete remove one, too

/** @typedef {{ card: HTMLElement, x: number }} Swipe */

/** @param {Swipe} swipe @param {PointerEvent} event */
function slide({ card, x }, event) {
  const by = Math.min(0, event.clientX - x);
  card.style.transform = by ? `translateX(${by}px)` : '';
  return -by > card.offsetWidth / 3;
}

if (onFavorites) {
  /** @type {Swipe | null} */
  let swipe = null;
  document.addEventListener('pointerdown', (event) => {
    const card = event.pointerType === 'touch' && around(event, '.card');
    if (card) swipe = { card, x: event.clientX };
  });
  document.addEventListener('pointermove', (event) => { if (swipe) slide(swipe, event); });
  for (const end of /** @type {const} */ (['pointerup', 'pointercancel'])) {
    document.addEventListener(end, (event) => {
      if (!swipe) return;
      const isFar = end === 'pointerup' && slide(swipe, event);
      const { card } = swipe;
      swipe = null;
      card.style.transform = '';
      if (isFar) keep($('.heart', card), false);
    });
  }
  document.addEventListener('keydown', (event) => {
    const card = event.key === 'Delete' && around(event, '.card');
    if (card) keep($('.heart', card), false);
  });
}

// offers to move what this browser kept before it had the token
function offerKept() {
  const { ids } = kept;
  if (!onFavorites || !serviceKeeps || !ids.length) return;
  const many = ids.length === 1 ? '1 favorite is' : `${ids.length} favorites are`;
  say('#notices', `${many} kept on this device.`, [['Hand them to the service', async () => {
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
    if (left.length) notice(`The service has not taken ${left.length} of them.`, ['Try again', offerKept]);
    else notice(`The service keeps them now${unknown ? `, but ${unknown} that it does not know` : ''}.`);
  }], ['Forget them', () => { kept.ids = []; }]]);
}

// the forms of a plan, which also work without the script

for (const form of $$('.options')) {
  for (const choice of $$('select', form)) choice.addEventListener('change', () => form.requestSubmit());
  const locate = $('.locate', form);
  if (locate) whereAmI(locate, form);
}

// empty fields are omitted, which keeps addresses short
for (const form of $$('.options, .add')) {
  form.addEventListener('submit', () => {
    const fields = /** @type {HTMLInputElement[]} */ ([...form.elements]);
    const empty = fields.filter((field) => field.name && !field.value);
    for (const field of empty) field.disabled = true;
    setTimeout(() => { for (const field of empty) field.disabled = false; });
  });
}

// sections stay open or closed, as the visitor left them

/** @param {string} name */
const sectionKey = (name) => 'section ' + name;

document.addEventListener('toggle', ({ target }) => {
  if (!(target instanceof HTMLDetailsElement) || !target.dataset.section) return;
  const now = target.open ? 'open' : 'closed';
  try { localStorage.setItem(sectionKey(target.dataset.section), now); } catch {}
}, true);

function enliven() {
  for (const part of $$('.heart[hidden], .hint[hidden]')) part.hidden = false;
  if (!serviceKeeps) for (const id of kept.ids) mark(id, true);
  for (const section of $$('details[data-section]')) {
    try {
      const was = localStorage.getItem(sectionKey(section.dataset.section));
      if (was !== null) section.open = was === 'open';
    } catch {}
  }
  if (isSecureContext && navigator.clipboard) for (const copy of $$('[data-copy]')) copy.hidden = false;
  document.dispatchEvent(new Event('shown'));
}

// copies the text of an element, or the address of the page
document.addEventListener('click', (event) => {
  const id = /** @type {HTMLElement | null} */ (around(event, '[data-copy]'))?.dataset.copy;
  if (id === undefined) return;
  navigator.clipboard.writeText((id && $('#' + id)?.textContent) || location.href)
    .then(() => notice(id ? 'Copied.' : 'The link is copied.'), () => notice('Select and copy it yourself.'));
});

// the frame of another site, whose steps are part of this page's history

const frame = $('#frame');
if (frame) {
  const [back, next, refresh] = [$('#frame-back'), $('#frame-next'), $('#frame-refresh')];
  const { src, title } = frame;
  // where the frame is among its steps; what a button is doing
  let [at, end, step, again, { length }] = [0, 0, 0, 0, history];
  /** @param {number} by */
  const go = (by) => { step = by; history.go(by); };
  const settle = () => {
    back.disabled = at === 0;
    next.disabled = at === end;
    for (const button of [back, next, refresh]) button.hidden = false;
  };
  back.addEventListener('click', () => go(-1));
  next.addEventListener('click', () => go(1));
  // another site tells no address: a later page is left and shown again
  refresh.addEventListener('click', () => {
    again = at ? 1 : 0;
    if (at) go(-1); else /** @type {Window} */ (frame.contentWindow).location.replace(src);
  });
  frame.addEventListener('load', () => {
    const grown = history.length - length;
    if (step) at += step;
    else if (grown > 0) end = at += grown;
    // a link after Back; the browser's own buttons come without a click here
    else if (at < end && navigator.userActivation?.isActive) end = at += 1;
    [step, length] = [0, history.length];
    settle();
    if (again) go(again);
    again = 0;
  });
  settle();
  /** @param {string} text @param {string} there */
  const tellOf = (text, there) => say('#notices', text, [['Open it in a new tab', () => window.open(there, '_blank', 'noopener,noreferrer')]]);
  document.addEventListener('securitypolicyviolation', ({ blockedURI }) => {
    tellOf(`The frame shows ${title} only; this is another site.`, blockedURI);
  });
  // the frame does not say whether its site has answered
  fetch(src, { mode: 'no-cors', credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' })
    .catch(() => tellOf(`${title} does not answer.`, src));
}

// a notice that came with the address is not repeated by a reload
const address = new URL(location.href);
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
