// The maps of the lunch page: fills each <div class="map"> with what its data attributes say (MapFrame.swift).
//
// OpenLayers is fetched when the first map is seen. Texts of feeds become nodes by `textContent` and letters on a canvas,
// nothing else. Tests read `html[data-map-state]` (busy, idle, failed) and a map's `data-count`.

const root = document.documentElement;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const dark = matchMedia('(prefers-color-scheme: dark)');

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]> & { data?: Record<string, string> }} properties
 * @param {(Node | string | null | undefined | false)[]} children
 */
function make(name, { data, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  Object.assign(element.dataset, data);
  for (const child of children) if (child) element.append(child);
  return element;
}

// long work is done in separate tasks, so that typing stays responsive
const later = () => new Promise((resolve) => { setTimeout(resolve); });

/** @param {string | undefined} text */
const list = (text) => (text ? text.split(' ') : []);
/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
/** @param {URL} url */
const tidy = (url) => url.href.replaceAll('%2C', ',');

// an address of this page with other parameters; the list begins anew
/** @param {Record<string, string>} changes */
function addressWith(changes) {
  const url = new URL(location.href);
  for (const name of ['cursor', 'view', 'added', 'removed']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
  }
  return tidy(url);
}

/** @param {number} number */
const short = (number) => (number < 9.95 ? Math.round(number * 10) / 10 : Math.round(number));

/** @param {number} meters @param {string} units */
function distanceText(meters, units) {
  if (units === 'mi') {
    return meters < 160 ? `${Math.round(meters / 3.048) * 10} ft` : `${short(meters / 1609.344)} mi`;
  }
  return meters < 999.5 ? `${Math.round(meters)} m` : `${short(meters / 1000)} km`;
}

/** @param {number} count */
function countText(count) {
  for (const { size, letter } of [{ size: 1e6, letter: 'M' }, { size: 1e3, letter: 'k' }]) {
    if (count >= size) return `${(count / size).toFixed(count < 10 * size ? 1 : 0).replace('.0', '')}${letter}`;
  }
  return `${count}`;
}

// places on the map: texts and boxes have degrees, the map has meters

/** @param {number} longitude */
const wrapped = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/** @param {string} text @returns {Point} */
function pointOf(text) {
  const [latitude, longitude] = text.split(',').map(Number);
  // the map ends at these latitudes
  return ol.proj.fromLonLat([longitude, Math.min(85.05, Math.max(-85.05, latitude))]);
}

/** @param {Point} coordinate */
function pointText(coordinate) {
  const [longitude, latitude] = ol.proj.toLonLat(coordinate);
  return `${latitude.toFixed(5)},${wrapped(longitude).toFixed(5)}`;
}

/** @param {Extent} degrees @returns {Extent} */
function extentOf([west, south, east, north]) {
  return ol.proj.transformExtent([west, south, east < west ? east + 360 : east, north], 'EPSG:4326', 'EPSG:3857');
}

/** @param {Extent} extent */
function boxText(extent) {
  const [west, south, east, north] = ol.proj.transformExtent(extent, 'EPSG:3857', 'EPSG:4326');
  const sides = east - west >= 360 ? [-180, south, 180, north] : [wrapped(west), south, wrapped(east), north];
  return sides.map((side) => side.toFixed(5)).join(',');
}

// a circle's edge; around a pole it spans all longitudes
/** @param {Point} center @param {number} radius */
function circleOf(center, radius) {
  /** @type {Point[]} */
  const ring = ol.geom.Polygon.circular(ol.proj.toLonLat(center), radius, 96).getCoordinates()[0];
  for (let index = 1; index < ring.length; index += 1) {
    ring[index][0] -= 360 * Math.round((ring[index][0] - ring[index - 1][0]) / 360);
  }
  return new ol.geom.LineString(ring).transform('EPSG:4326', 'EPSG:3857');
}

// the smallest length of 1, 2 or 5 times a power of ten that is not below `least`
/** @param {number} least */
function roundLength(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * /** @type {number} */ ([1, 2, 5, 10].find((digit) => digit * power >= least));
}

// the west end of the narrowest window of longitudes that contains all places
/** @param {number[]} longitudes */
function westOf(longitudes) {
  const sorted = [...longitudes].sort((one, other) => one - other);
  let west = sorted[0];
  let widest = sorted[0] + 360 - sorted[sorted.length - 1];
  for (let index = 1; index < sorted.length; index += 1) {
    const gap = sorted[index] - sorted[index - 1];
    if (gap > widest) [widest, west] = [gap, sorted[index]];
  }
  return west;
}

// what a map shows: restaurants one by one, or the visible tiles, which group several into one point

/** @param {Feature} feature */
const idOf = (feature) => feature.getId() ?? feature.get('id');
/** @param {Feature} feature */
const nameOf = (feature) => String(feature.get('name') ?? idOf(feature));
/** @param {Feature} feature @returns {number} */
const weightOf = (feature) => feature.get('point_count') ?? 1;
/** @param {Feature} cluster @returns {Feature[]} */
const membersOf = (cluster) => cluster.get('features') ?? [cluster];

/** @param {string} address @param {AbortSignal} [signal] */
async function get(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer;
}

/** @param {string[]} addresses @param {AbortSignal} signal */
async function readFeatures(addresses, signal) {
  const format = new ol.format.GeoJSON();
  /** @type {Feature[]} */
  const features = [];
  for (const first of addresses) {
    /** @type {string | undefined} */
    let address = first;
    while (address) {
      /** @type {FeaturePage} */
      const page = await (await get(address, signal)).json();
      features.push(...format.readFeatures(page));
      address = page.links?.find((link) => link.rel === 'next')?.href;
    }
  }
  const west = westOf(features.map((feature) => feature.getGeometry().getCoordinates()[0]));
  for (const feature of features) {
    const [longitude, latitude] = feature.getGeometry().getCoordinates();
    const place = [longitude < west ? longitude + 360 : longitude, latitude];
    feature.setGeometry(new ol.geom.Point(ol.proj.fromLonLat(place)));
  }
  return features;
}

/** @param {string} template @param {number[]} tile @param {AbortSignal} signal @returns {Promise<Feature[]>} */
async function readTile(template, [z, x, y], signal) {
  const address = template.replace('{z}', `${z}`).replace('{x}', `${x}`).replace('{y}', `${y}`);
  const answer = await get(address, signal);
  if (answer.status === 204) return [];
  const extent = ol.tilegrid.createXYZ().getTileCoordExtent([z, x, y]);
  const format = new ol.format.MVT({ featureClass: ol.Feature, idProperty: 'id' });
  const features = format.readFeatures(await answer.arrayBuffer(), { extent, featureProjection: 'EPSG:3857' });
  await later(); // a tile may have 2,000
  return features;
}

// what is drawn: colors are those of the stylesheet, which differ by theme

/** @param {MapElement} frame */
function painter(frame) {
  const names = ['sea', 'land', 'grid', 'ring', 'ink', 'halo', 'pin', 'lit', 'cluster', 'on-cluster', 'here', 'way', 'area'];
  /** @type {Record<string, string>} */
  let colors = {};
  /** @type {Map<string, any>} of pins and clusters, by what they show */
  let styles = new Map();
  /** @param {string} color */
  const fill = (color) => new ol.style.Fill({ color: colors[color] });
  /** @param {string} color @param {number} width @param {object} [more] */
  const stroke = (color, width, more) => new ol.style.Stroke({ color: colors[color], width, ...more });
  /** @param {string} text @param {number} size @param {string} color @param {object} [more] */
  const letters = (text, size, color, more) => new ol.style.Text({
    text, font: `600 ${size}px system-ui, "DejaVu Sans", sans-serif`, fill: fill(color), ...more,
  });
  /** @param {number} radius @param {string} color @param {object} [more] */
  const disc = (radius, color, more) => new ol.style.Circle({ radius, fill: fill(color), ...more });

  function restyle() {
    const style = getComputedStyle(frame);
    colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()]));
    styles = new Map();
  }
  restyle();

  /** @param {string} key @param {() => any} makeStyle */
  function once(key, makeStyle) {
    if (styles.size > 500) styles.clear(); // each pin has its own name
    if (!styles.has(key)) styles.set(key, makeStyle());
    return styles.get(key);
  }

  /** @param {boolean} isLit */
  function pinImage(isLit) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="38" viewBox="0 0 30 38"><path d="M15 `
      + `1.5C7.5 1.5 2 7.2 2 14.3 2 23.6 15 36.5 15 36.5S28 23.6 28 14.3C28 7.2 22.5 1.5 15 1.5z" `
      + `fill="${colors[isLit ? 'lit' : 'pin']}" stroke="${colors.halo}" stroke-width="2"/>`
      + `<circle cx="15" cy="14.3" r="5" fill="${colors.halo}"/></svg>`;
    return new ol.style.Icon({
      src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
      anchor: [0.5, 0.96], scale: isLit ? 1.2 : 0.9, declutterMode: 'obstacle',
    });
  }

  // number and name are optional
  /** @param {number} number @param {string} name @param {boolean} isLit */
  const pin = (number, name, isLit) => once(`${number}|${isLit}|${name}`, () => {
    const parts = [new ol.style.Style({ image: pinImage(isLit) })];
    if (number) {
      const up = isLit ? 26 : 20;
      parts.push(new ol.style.Style({
        image: disc(8, 'halo', { declutterMode: 'none', displacement: [0, up] }),
        text: letters(`${number}`, 12, 'ink', { offsetY: -up, declutterMode: 'none' }),
      }));
    }
    if (name) {
      const text = name.length > 26 ? `${name.slice(0, 25)}…` : name;
      const place = { offsetY: 11, stroke: stroke('halo', 3), declutterMode: isLit ? 'obstacle' : 'declutter' };
      parts.push(new ol.style.Style({ text: letters(text, 12, 'ink', place) }));
    }
    for (const part of parts) part.setZIndex(isLit ? 3 : 1);
    return parts;
  });

  /** @param {number} count @param {boolean} isLit */
  const cluster = (count, isLit) => once(`${countText(count)}|${isLit}`, () => new ol.style.Style({
    zIndex: isLit ? 3 : 2,
    image: disc(13 + 3 * Math.log10(count), isLit ? 'lit' : 'cluster', { stroke: stroke('halo', 2.5), declutterMode: 'obstacle' }),
    text: letters(countText(count), 12, 'on-cluster', { declutterMode: 'none' }),
  }));

  // the visitor's place; circles, boxes and ways
  /** @param {Feature} feature */
  const mark = (feature) => new ol.style.Style(feature.getGeometry().getType() === 'Point'
    ? { image: disc(7, 'here', { stroke: stroke('halo', 3) }) }
    : { stroke: stroke('here', 2, { lineDash: [6, 6] }) });

  // a third-party vector basemap: water, roads, areas and places, recognized by common layer names
  /** @param {Feature} feature */
  function street(feature) {
    const kind = feature.getType();
    if (kind.includes('Point')) return spot(feature);
    const isWater = /water|ocean|sea|lake|river/i.test(feature.get('layer'));
    return new ol.style.Style(kind.includes('Line')
      ? { stroke: stroke(isWater ? 'sea' : 'way', 1.2) }
      : { fill: fill(isWater ? 'sea' : 'area') });
  }

  // labels for towns; dots for restaurants (in tile files written by geoq)
  /** @param {Feature} feature */
  function spot(feature) {
    const layer = feature.get('layer');
    if (/place/i.test(layer) && feature.get('name')) {
      return new ol.style.Style({ text: letters(String(feature.get('name')), 11, 'ink', { stroke: stroke('halo', 2) }) });
    }
    if (!['restaurants', 'clusters'].includes(layer)) return undefined;
    const radius = 2.5 + Math.log2(weightOf(feature)) / 2;
    return new ol.style.Style({ image: disc(radius, 'way', { stroke: stroke('halo', 1), declutterMode: 'none' }) });
  }

  // a round distance from the start: its circle, and its length at the top
  /** @param {Feature} feature */
  const ring = (feature) => new ol.style.Style(feature.get('name')
    ? { text: letters(feature.get('name'), 11, 'ink', { stroke: stroke('halo', 3) }) }
    : { stroke: stroke('ring', 1) });

  const land = () => new ol.style.Style({ fill: fill('land') });
  const grid = () => stroke('grid', 1);
  return { restyle, pin, cluster, mark, ring, street, land, grid };
}

/** @param {MapData} data @param {ReturnType<typeof painter>} paint */
function basemapLayer(data, paint) {
  const address = { url: data.basemap, maxZoom: Number(data.basemapZoom ?? 19) };
  if (data.basemapKind === 'vector') {
    const source = new ol.source.VectorTile({ ...address, format: new ol.format.MVT() });
    return new ol.layer.VectorTile({ source, style: paint.street, zIndex: 0, declutter: true });
  }
  const source = new ol.source.XYZ({
    ...address,
    // servers of tiles want to know which page asks
    tileLoadFunction: (/** @type {any} */ tile, /** @type {string} */ src) => { Object.assign(tile.getImage(), { referrerPolicy: 'origin', src }); },
  });
  return new ol.layer.Tile({ source, zIndex: 0 });
}

// the callout of a map: a restaurant, several on one spot, or a point between them

const widestZoom = 19;
const coincident = 2; // meters on the map: no zoom separates pins closer than this

/** @param {{ map: any, frame: MapElement, marks: any, light: (id: string | null, comesIntoView?: boolean) => void }} parts */
function calloutOf({ map, frame, marks, light }) {
  const data = frame.dataset;
  const view = map.getView();
  const box = make('div', { className: 'callout' });
  const overlay = new ol.Overlay({
    element: box, positioning: 'bottom-center', stopEvent: true, insertFirst: false, // above the buttons
    autoPan: { margin: 12, animation: { duration: calm.matches ? 0 : 200 } },
  });
  map.addOverlay(overlay);

  function close() {
    overlay.setPosition(undefined);
    light(null);
    for (const mark of marks.getFeatures()) if (mark.get('isClick')) marks.removeFeature(mark);
  }

  /** @param {Point} coordinate @param {number} lift @param {(HTMLElement | false)[]} content */
  function open(coordinate, lift, ...content) {
    const shut = make('button', { className: 'close', type: 'button', textContent: '×', ariaLabel: 'Close', onclick: () => {
      close();
      frame.focus();
    } });
    box.replaceChildren(shut);
    for (const part of content) if (part) box.append(part);
    overlay.setOffset([0, -lift]);
    overlay.setPosition(coordinate);
    if (root.dataset.keys) box.querySelector('a')?.focus();
  }

  /** @param {Feature} feature @param {number | undefined} distance */
  function linkTo(feature, distance = feature.get('distance')) {
    const id = idOf(feature);
    const facts = [feature.get('category'), distance != null && distanceText(distance, data.units)];
    return make('a', { className: 'place', href: data.detail.replace('{id}', encodeURIComponent(id)), data: { id } },
      make('strong', { textContent: nameOf(feature) }),
      make('span', { textContent: facts.filter(Boolean).join(' · ') }));
  }

  /** @param {Feature} cluster */
  function openCluster(cluster) {
    const members = membersOf(cluster);
    const coordinate = cluster.getGeometry().getCoordinates();
    if (members.length === 1 && weightOf(members[0]) === 1) {
      light(idOf(members[0]), true);
      return open(members[0].getGeometry().getCoordinates(), 42, linkTo(members[0]));
    }
    const extent = ol.extent.boundingExtent(members.map((member) => member.getGeometry().getCoordinates()));
    const expansion = members.length === 1 ? members[0].get('expansion_zoom') + 2 : 0;
    const isApart = expansion ? expansion <= widestZoom : Math.max(...ol.extent.getSize(extent)) > coincident;
    if (isApart && view.getZoom() < widestZoom - 0.5) {
      const duration = calm.matches ? 0 : 300;
      if (expansion) return view.animate({ center: coordinate, zoom: Math.max(expansion, view.getZoom() + 1), duration });
      return view.fit(extent, { padding: [70, 60, 60, 60], maxZoom: widestZoom, duration });
    }
    const singles = members.filter((member) => weightOf(member) === 1);
    const count = sum(members.map(weightOf));
    open(coordinate, 24,
      make('p', { textContent: `${count.toLocaleString()} restaurants here` }),
      make('div', { className: 'places' }, ...singles.slice(0, 30).map((member) => linkTo(member))),
      singles.length < count && make('p', { textContent: 'The list has them all: search this area.' }));
  }

  // a click outside the pins: the nearest one, and the list from here
  /** @param {Point} coordinate */
  async function openPoint(coordinate) {
    const at = pointText(coordinate);
    const here = new ol.Feature({ geometry: new ol.geom.Point(coordinate), isClick: true });
    marks.addFeature(here);
    const nearest = make('div', { className: 'nearest', textContent: 'Looking for the nearest …' });
    const rings = data.units === 'mi' ? ['0.5mi', '1mi', '3mi'] : ['500m', '1km', '3km'];
    open(coordinate, 16, nearest,
      make('p', {}, make('a', { className: 'from', href: addressWith({ at, near: '', radius: '', bbox: '' }),
        textContent: 'Start here' })),
      make('p', { className: 'rings' }, 'Only within ', ...rings.map((radius) => make('a', {
        href: addressWith({ at, near: '', radius, bbox: '' }), textContent: radius.replace(/[a-z]/, ' $&'),
      }))));
    try {
      const [longitude, latitude] = ol.proj.toLonLat(coordinate);
      const point = `&lat=${latitude}&lon=${wrapped(longitude)}`;
      const answers = await Promise.all(list(data.nearest).map(async (route) =>
        (await get(route + point)).json()));
      const [found] = answers.flatMap((answer) => new ol.format.GeoJSON().readFeatures(answer))
        .sort((one, other) => one.get('distance') - other.get('distance'));
      if (!marks.hasFeature(here)) return;
      nearest.replaceChildren(found ? linkTo(found) : 'No restaurant matches.');
      if (!found) return;
      light(idOf(found));
      const place = ol.proj.fromLonLat(found.getGeometry().getCoordinates());
      marks.addFeature(new ol.Feature({ geometry: new ol.geom.LineString([coordinate, place]), isClick: true }));
      overlay.panIntoView({ margin: 12 });
    } catch {
      nearest.textContent = 'The service does not answer.';
    }
  }

  return { close, openCluster, openPoint, isOpen: () => Boolean(overlay.getPosition()) };
}

// the cards of the list, whose restaurants may be on the map

const cards = () => /** @type {Card[]} */ ([...document.querySelectorAll('.card[data-id]')]);
/** @param {EventTarget | null} target */
const cardOf = (target) =>
  /** @type {Card | null} */ (target instanceof Element ? target.closest('.card[data-id]') : null);

// a tile file's attribution may contain links: only its text is shown
/** @param {string} text */
const words = (text) => new DOMParser().parseFromString(text, 'text/html').body.textContent;

// one map

/** @param {MapElement} frame */
function draw(frame) {
  const data = frame.dataset;
  const paint = painter(frame);
  let running = new AbortController();
  let pending = 0;
  /** @type {string | null} the view that counts as not moved; '' if none does; null before loading */
  let home = null;
  /** @type {string | null} */
  let lit = null;
  /** @type {Map<string, Promise<Feature[]>>} */
  let tiles = new Map();
  /** @type {Feature[]} */
  let walk = [];

  const points = new ol.source.Vector();
  const clusters = new ol.source.Cluster({ source: points, distance: data.walk ? 0 : data.chosen ? 22 : 42, minDistance: 20 });
  const places = new ol.layer.Vector({ source: clusters, declutter: true, style: placeStyle, zIndex: 3 });
  const picks = new ol.source.Vector(); // the chosen one, never part of a cluster
  const marks = new ol.source.Vector();
  const rings = new ol.source.Vector();
  const land = new ol.source.Vector();
  // unnamed: the page has its name, and a label would cover its neighbors
  const picked = new ol.layer.Vector({ source: picks, style: () => paint.pin(0, '', true), declutter: true, zIndex: 4 });
  const layers = [new ol.layer.Vector({ source: marks, style: paint.mark, zIndex: 2 }), places, picked];
  const graticule = new ol.layer.Graticule({ strokeStyle: paint.grid(), showLabels: false, wrapX: true, zIndex: 1 });
  // a tile file may cover only part of the world, so land is drawn under it
  const hasLand = !data.basemap || data.basemapZoom;
  if (hasLand) layers.push(new ol.layer.Vector({ source: land, style: paint.land, zIndex: -1 }), graticule);
  // without streets, circles show how far things are
  if (!data.basemap) layers.push(new ol.layer.Vector({ source: rings, style: paint.ring, zIndex: 1 }));
  if (data.basemap) layers.push(basemapLayer(data, paint));
  const view = new ol.View({ center: [0, 0], zoom: 1, maxZoom: widestZoom, enableRotation: false, multiWorld: true });
  const map = new ol.Map({
    target: frame, layers, view,
    controls: ol.control.defaults.defaults({ attribution: false, rotate: false })
      .extend([new ol.control.ScaleLine({ units: data.units === 'mi' ? 'imperial' : 'metric' })]),
    interactions: ol.interaction.defaults.defaults({
      altShiftDragRotate: false, pinchRotate: false, onFocusOnly: frame.classList.contains('small'),
    }),
  });
  frame.map = map; // for tests and consoles
  const note = make('p', { className: 'map-note', role: 'status', hidden: true });
  const area = make('button', { className: 'map-area', type: 'button', textContent: 'Search this area', hidden: true });
  const credit = data.attribution ? words(data.attribution) : 'Made with Natural Earth';
  map.getOverlayContainerStopEvent().append(note, area,
    make('p', { className: 'map-credit', textContent: [data.credit, credit, 'OpenLayers'].filter(Boolean).join(' · ') }));
  const callout = calloutOf({ map, frame, marks, light });

  const chosen = data.chosen && decodeURIComponent(data.chosen);
  /** @param {Feature} feature */
  const isLit = (feature) => idOf(feature) != null && (idOf(feature) === lit || idOf(feature) === chosen);

  /** @param {Feature} cluster @param {number} resolution */
  function placeStyle(cluster, resolution) {
    const members = membersOf(cluster);
    const count = sum(members.map(weightOf));
    if (count > 1) return paint.cluster(count, members.some(isLit));
    const number = data.walk ? walk.indexOf(members[0]) + 1 : 0;
    const isNamed = resolution < 40 || points.getFeatures().length <= 40;
    return paint.pin(number, isNamed ? nameOf(members[0]) : '', isLit(members[0]));
  }

  // the visitor's place, the circle and the part of the map that was searched
  function drawMarks() {
    marks.clear();
    /** @param {any} geometry */
    const add = (geometry) => marks.addFeature(new ol.Feature(geometry));
    if (data.bbox) add(ol.geom.Polygon.fromExtent(extentOf(data.bbox.split(',').map(Number))));
    if (data.at) {
      const here = pointOf(data.at);
      if (data.radius) add(circleOf(here, Number(data.radius)));
      add(new ol.geom.Point(here));
    }
    const way = walk.map((feature) => feature.getGeometry().getCoordinates());
    if (data.walk && way.length) add(new ol.geom.LineString(data.at ? [pointOf(data.at), ...way] : way));
  }

  // a hundred pixels apart, at round distances
  function drawRings() {
    const here = data.at && pointOf(data.at);
    const scale = here && ol.proj.getPointResolution('EPSG:3857', view.getResolution(), here);
    const unit = data.units !== 'mi' ? 1 : scale * 100 < 160 ? 0.3048 : 1609.344;
    const step = scale ? roundLength(scale * 100 / unit) * unit : 0;
    if (data.rings === `${data.at} ${step}`) return;
    data.rings = `${data.at} ${step}`;
    rings.clear();
    // on a map of a continent circles are none
    if (!here || step > 1e6) return;
    for (let radius = step; radius < step * 6; radius += step) {
      const circle = circleOf(here, radius);
      /** @type {Point[]} */
      const ends = circle.getCoordinates();
      const top = ends.reduce((best, next) => (next[1] > best[1] ? next : best));
      const name = distanceText(radius, data.units);
      rings.addFeatures([new ol.Feature(circle), new ol.Feature({ geometry: new ol.geom.Point(top), name })]);
    }
  }

  // tiles ignore the circle: at its edge, counts are for whole cells
  /** @param {Feature} feature */
  function isWithin(feature) {
    if (!data.at || !data.radius) return true;
    const ends = [pointOf(data.at), feature.getGeometry().getCoordinates()].map((end) => ol.proj.toLonLat(end));
    return ol.sphere.getDistance(...ends) <= Number(data.radius);
  }

  // getting the restaurants

  /** @param {() => Promise<void>} task */
  async function working(task) {
    pending += 1;
    root.dataset.mapState = 'busy';
    try {
      await task();
      note.hidden = !note.dataset.keeps;
    } catch (error) {
      if (error.name === 'AbortError') return;
      note.hidden = false;
      const again = make('button', { type: 'button', textContent: 'Try again', onclick: load });
      note.replaceChildren('The restaurants could not be fetched. ', again);
      root.dataset.mapState = 'failed';
    } finally {
      pending -= 1;
      map.render();
    }
  }

  /** @param {string} text @param {string} [label] @param {() => void} [onclick] */
  function tell(text, label, onclick) {
    note.replaceChildren(text);
    if (label) note.append(' ', make('button', { type: 'button', textContent: label, onclick }));
    note.dataset.keeps = text;
    note.hidden = !text;
  }

  function load() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    callout.close();
    tell('');
    return working(async () => {
      tiles = new Map();
      if (data.tiles) {
        walk = [];
        points.clear();
        drawMarks();
        const described = await Promise.all(list(data.bounds).map(async (address) =>
          (await get(address, signal)).json()));
        const extent = ol.extent.createEmpty();
        for (const { bounds } of described) if (bounds) ol.extent.extend(extent, extentOf(bounds));
        tell(`${Number(data.total).toLocaleString()} restaurants. Circles count them; they open with a click.`);
        settle(extent);
        await loadTiles();
      } else {
        const features = await readFeatures(list(data.places), signal);
        walk = data.walk ? features : [];
        /** @param {Feature} feature */
        const isPick = (feature) => chosen != null && idOf(feature) === chosen;
        points.clear();
        points.addFeatures(features.filter((feature) => !isPick(feature)));
        picks.clear();
        picks.addFeatures(features.filter(isPick));
        data.count = `${features.length}`;
        drawMarks();
        settle(ol.extent.extend(points.getExtent(), picks.getExtent()), features);
      }
    });
  }

  // loads the visible tiles, two zoom levels coarser: cells are then about as large as a thumb
  async function loadTiles() {
    const z = Math.max(0, Math.floor(view.getZoom() + 0.01) - 2);
    /** @type {Map<string, [template: string, tile: number[]]>} each tile once, however often the world is repeated */
    const wanted = new Map();
    ol.tilegrid.createXYZ().forEachTileCoord(view.calculateExtent(map.getSize()), z, (/** @type {number[]} */ [, x, y]) => {
      if (y < 0 || y >= 2 ** z) return;
      const tile = [z, x & (2 ** z - 1), y];
      for (const template of list(data.tiles)) wanted.set(`${template} ${tile}`, [template, tile]);
    });
    const { signal } = running;
    const found = await Promise.all([...wanted].map(([key, [template, tile]]) => {
      const features = tiles.get(key) ?? readTile(template, tile, signal);
      tiles.set(key, features);
      return features;
    })).catch((error) => {
      for (const key of wanted.keys()) tiles.delete(key);
      throw error;
    });
    if (signal.aborted || z !== Math.max(0, Math.floor(view.getZoom() + 0.01) - 2)) return;
    points.clear();
    points.addFeatures(found.flat().filter(isWithin));
    data.count = `${sum(points.getFeatures().map(weightOf))}`;
    for (const key of tiles.keys()) if (tiles.size > 64 && !wanted.has(key)) tiles.delete(key);
  }

  // which part of the world is shown

  const viewText = () => `${pointText(view.getCenter())},${view.getZoom().toFixed(2)}`;

  /** @param {Extent} extent */
  function fit(extent) {
    const [width, height] = map.getSize();
    const edge = Math.min(64, width / 6, height / 5); // names are wider than pins
    const isNone = ol.extent.isEmpty(extent) && !Number.isFinite(extent[0]);
    const some = isNone ? extentOf(data.extent?.split(',').map(Number) ?? [-150, -50, 150, 70]) : extent;
    // a note is at the top, the buttons are on the right
    const [top, right] = data.explores ? [24, 24] : [0, 0];
    view.fit(some, { padding: [edge + top, edge + right, edge, edge], maxZoom: data.at || chosen ? 15 : 16 });
  }

  // what most places have around them: nine tenths, those nearest to the start, or else to their middle
  /** @param {Point[]} spots */
  function mostOf(spots) {
    /** @param {0 | 1} axis */
    const middle = (axis) => spots.map((spot) => spot[axis]).sort((one, other) => one - other)[spots.length >> 1];
    const center = data.at ? pointOf(data.at) : [middle(0), middle(1)];
    /** @param {Point} point */
    const far = ([x, y]) => Math.hypot(x - center[0], y - center[1]);
    return [...spots].sort((one, other) => far(one) - far(other)).slice(0, Math.ceil(spots.length * 0.9));
  }

  /** @type {Extent | undefined} the extent that is shown at first */
  let all;
  /** @param {Extent} extent @param {Feature[]} [features] */
  function settle(extent, features = []) {
    // the circle sets the extent, not the tiles' bounds
    all = data.tiles && (data.radius || data.reach) ? ol.extent.createEmpty() : ol.extent.clone(extent);
    for (const mark of marks.getFeatures()) ol.extent.extend(all, mark.getGeometry().getExtent());
    if (data.tiles && data.at && data.reach) ol.extent.extend(all, circleOf(pointOf(data.at), Number(data.reach)).getExtent());
    /** @type {Point[]} */
    const spots = features.map((feature) => feature.getGeometry().getCoordinates());
    const whole = all;
    if (data.explores && !data.radius && spots.length > 2) {
      const most = ol.extent.boundingExtent([...mostOf(spots), ...(data.at ? [pointOf(data.at)] : [])]);
      const [small, large] = [most, all].map((sides) => Math.max(...ol.extent.getSize(sides)));
      // with a start, the near ones matter; without one, only if few stretch the map
      if (large > small * (data.at ? 1.2 : 3)) all = most;
    }
    if (data.bbox) all = extentOf(data.bbox.split(',').map(Number));
    const shown = (data.explores && new URLSearchParams(location.search).get('view')) || '';
    const [latitude = NaN, longitude = NaN, zoom = NaN] = shown.split(',').map(Number);
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && zoom >= 0) {
      view.setCenter(pointOf(shown));
      view.setZoom(zoom);
      home = data.bbox ? viewText() : '';
    } else {
      showAll();
      const seen = view.calculateExtent(map.getSize());
      const far = all === whole || data.bbox ? [] : spots.filter((spot) => !ol.extent.containsCoordinate(seen, spot));
      if (far.length) tell(`${far.length} farther away`, 'Show', () => { tell(''); all = whole; showAll(); });
    }
  }

  function showAll() {
    if (!all) return;
    fit(all);
    const [pick] = picks.getFeatures();
    if (pick) {
      view.setCenter(pick.getGeometry().getCoordinates());
      // zoomed out to distant neighbors, it would be lost
      view.setZoom(Math.max(12, view.getZoom()));
    }
    home = viewText();
  }

  map.on('moveend', () => {
    if (home === null) return;
    drawRings();
    const now = viewText();
    const isMoved = now !== home;
    if (data.explores) {
      const address = new URL(location.href);
      if (isMoved) address.searchParams.set('view', now);
      else if (!data.bbox) address.searchParams.delete('view');
      if (address.href !== location.href) history.replaceState(history.state, '', tidy(address));
      area.hidden = !isMoved;
      const toList = document.getElementById('to-list');
      if (toList instanceof HTMLAnchorElement && isMoved) {
        const there = new URL(toList.href);
        there.searchParams.set('view', now);
        toList.href = tidy(there);
      }
    }
    if (data.tiles) working(loadTiles);
  });

  map.on('movestart', () => { root.dataset.mapState = 'busy'; });
  map.on('rendercomplete', () => {
    if (pending || view.getAnimating() || home === null || root.dataset.mapState === 'failed') return;
    root.dataset.mapState = 'idle';
  });

  area.addEventListener('click', () => {
    const bbox = boxText(view.calculateExtent(map.getSize()));
    location.assign(addressWith({ bbox, radius: '', view: viewText() }));
  });

  // clicks

  /** @param {Point} pixel */
  const placeAt = (pixel) => map.forEachFeatureAtPixel(pixel, (/** @type {Feature} */ feature) => feature,
    { layerFilter: (/** @type {any} */ layer) => [places, picked].includes(layer), hitTolerance: 5 });

  /** @param {Point} pixel */
  function act(pixel) {
    root.dataset.mapState = 'busy';
    callout.close();
    const found = placeAt(pixel);
    if (found) callout.openCluster(found);
    else if (data.explores) callout.openPoint(map.getCoordinateFromPixel(pixel));
    map.render();
  }

  map.on('click', (/** @type {MapClick} */ { pixel }) => act(pixel));
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') callout.close();
    if (event.key === 'Enter' && event.target === frame) act(map.getSize().map((/** @type {number} */ side) => side / 2));
  });

  // cards and pins light each other


  /** @param {string | null} id @param {boolean} [comesIntoView] */
  function light(id, comesIntoView) {
    if (lit === id) return;
    lit = id;
    data.lit = id ?? '';
    places.changed();
    for (const card of cards()) {
      const isIts = id !== null && decodeURIComponent(card.dataset.id) === id;
      card.classList.toggle('lit', isIts);
      if (isIts && comesIntoView && card.offsetParent) {
        card.scrollIntoView({ block: 'nearest', behavior: calm.matches ? 'auto' : 'smooth' });
      }
    }
  }

  map.on('pointermove', (/** @type {MapClick} */ { pixel, dragging, originalEvent }) => {
    if (dragging || callout.isOpen() || originalEvent.target.closest('.callout, button')) return;
    const found = placeAt(pixel);
    frame.classList.toggle('points', Boolean(found));
    const members = found ? membersOf(found) : [];
    light(members.length === 1 && weightOf(members[0]) === 1 ? idOf(members[0]) : null);
  });
  for (const [begin, end] of [['pointerover', 'pointerout'], ['focusin', 'focusout']]) {
    document.addEventListener(begin, ({ target }) => {
      const card = cardOf(target);
      if (card) light(decodeURIComponent(card.dataset.id));
    });
    document.addEventListener(end, ({ target }) => { if (cardOf(target) && !callout.isOpen()) light(null); });
  }

  // what comes from outside: another search, another theme, another size

  document.addEventListener('results', ({ detail }) => {
    const fresh = detail ?? {};
    for (const name of ['places', 'tiles', 'bounds', 'nearest', 'total', 'at', 'radius', 'reach', 'bbox']) {
      if (name in fresh) data[name] = fresh[name]; else delete data[name];
    }
    load();
  });
  dark.addEventListener('change', () => {
    paint.restyle();
    graticule.setStyle?.(new ol.style.Style({ stroke: paint.grid() }));
    for (const layer of layers) layer.changed();
  });
  new ResizeObserver(() => {
    const isHome = home !== null && viewText() === home;
    const size = String(map.getSize());
    map.updateSize();
    // the first call may come late, when the map has its view already
    if (isHome && frame.offsetWidth && String(map.getSize()) !== size) showAll();
  }).observe(frame);

  async function drawLand() {
    pending += 1;
    try {
      const outlines = await (await get(data.land)).json();
      const features = new ol.format.GeoJSON({ featureProjection: 'EPSG:3857' }).readFeatures(outlines);
      await later();
      land.addFeatures(features);
    } catch {} // a sea without land is still a map
    pending -= 1;
    map.render();
  }

  if (hasLand) drawLand();
  load();
}

// a map is made when it is first seen (phones hide it beside the list), and after the page's own content is shown

/** @type {Promise<void>} */
const painted = new Promise((resolve) => {
  new PerformanceObserver((entries, observer) => {
    if (!entries.getEntriesByName('first-contentful-paint').length) return;
    observer.disconnect();
    resolve();
  }).observe({ type: 'paint', buffered: true });
});

/** @type {Promise<void> | undefined} */
let arriving;
/** @param {MapData} data @returns {Promise<void>} */
function library({ library: script, libraryStyle }) {
  arriving ??= new Promise((resolve, reject) => {
    document.head.prepend(make('link', { rel: 'stylesheet', href: libraryStyle }));
    const onload = () => { if (window.ol) resolve(); };
    document.head.append(make('script', { src: script, onload, onerror: reject }));
  });
  return arriving;
}

for (const type of ['keydown', 'pointerdown']) {
  addEventListener(type, () => { root.dataset.keys = type === 'keydown' ? 'true' : ''; }, true);
}

const waiting = new IntersectionObserver((entries) => {
  for (const { target: seen, isIntersecting } of entries) {
    const target = /** @type {MapElement} */ (seen);
    if (!isIntersecting || !target.offsetWidth) continue;
    waiting.unobserve(target);
    root.dataset.mapState = 'busy';
    painted.then(() => library(target.dataset)).then(later).then(() => draw(target)).catch((error) => {
      root.dataset.mapState = 'failed';
      target.append(make('p', { className: 'map-note', textContent: 'The map could not be loaded.' }));
      if (error instanceof Error) throw error;
    });
  }
}, { rootMargin: '200px' });
for (const frame of document.querySelectorAll('.map')) waiting.observe(frame);
