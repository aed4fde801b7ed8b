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
// pictures

document.addEventListener('error', (event) => {
  if (event.target.matches?.('img.picture')) event.target.remove();
}, true);
// pictures that failed before the script ran are loaded again, so that it notices
for (const picture of $$('img.picture')) {
  if (picture.complete && !picture.naturalWidth) picture.src = picture.src;
}
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
for (const form of $$('.options')) {
  for (const choice of $$('select', form)) {
    choice.addEventListener('change', () => form.requestSubmit());
  }
  const locate = $('.locate', form);
  if (locate) whereAmI(locate, form.elements.at);
}

// empty fields are omitted, which keeps addresses short
for (const form of $$('.options, .add')) {
  form.addEventListener('submit', () => {
    const empty = [...form.elements].filter((field) => field.name && !field.value);
    for (const field of empty) field.disabled = true;
    setTimeout(() => { for (const field of empty) field.disabled = false; });
  });
}
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
