// one map

function draw(frame) {
  const data = frame.dataset;
  const paint = painter(frame);
  let running = new AbortController();
  let pending = 0;
  let home = null; // the view that counts as not moved; '' if none does; null before loading
  let lit = null;
  let tiles = new Map();
  let walk = [];

  const points = new ol.source.Vector();
  const clusters = new ol.source.Cluster({ source: points, distance: data.walk ? 0 : data.chosen ? 22 : 42, minDistance: 20 });
  const places = new ol.layer.Vector({ source: clusters, declutter: true, style: placeStyle, zIndex: 3 });
  const picks = new ol.source.Vector(); // the chosen one, never part of a cluster
  const marks = new ol.source.Vector();
  const land = new ol.source.Vector();
  // unnamed: the page has its name, and a label would cover its neighbors
  const picked = new ol.layer.Vector({ source: picks, style: () => paint.pin(0, '', true), declutter: true, zIndex: 4 });
  const layers = [new ol.layer.Vector({ source: marks, style: paint.mark, zIndex: 2 }), places, picked];
  const graticule = new ol.layer.Graticule({ strokeStyle: paint.grid(), showLabels: false, wrapX: true, zIndex: 1 });
  // a tile file may cover only part of the world, so land is drawn under it
  const hasLand = !data.basemap || data.basemapZoom;
  if (hasLand) layers.push(new ol.layer.Vector({ source: land, style: paint.land, zIndex: -1 }), graticule);
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
  // a tile file's attribution may contain links: only its text is shown
  const words = (text) => new DOMParser().parseFromString(text, 'text/html').body.textContent;
  const credit = data.attribution ? words(data.attribution) : 'Made with Natural Earth';
  map.getOverlayContainerStopEvent().append(note, area,
    make('p', { className: 'map-credit', textContent: `${credit} · OpenLayers` }));
  const callout = calloutOf({ map, frame, marks, light });

  const chosen = data.chosen && decodeURIComponent(data.chosen);
  const isLit = (feature) => idOf(feature) != null && (idOf(feature) === lit || idOf(feature) === chosen);

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

  // tiles ignore the circle: at its edge, counts are for whole cells
  function isWithin(feature) {
    if (!data.at || !data.radius) return true;
    const ends = [pointOf(data.at), feature.getGeometry().getCoordinates()].map((end) => ol.proj.toLonLat(end));
    return ol.sphere.getDistance(...ends) <= Number(data.radius);
  }

  // getting the restaurants

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

  function tell(text) {
    note.textContent = text;
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
        const isPick = (feature) => chosen != null && idOf(feature) === chosen;
        points.clear();
        points.addFeatures(features.filter((feature) => !isPick(feature)));
        picks.clear();
        picks.addFeatures(features.filter(isPick));
        data.count = features.length;
        drawMarks();
        settle(ol.extent.extend(points.getExtent(), picks.getExtent()));
      }
    });
  }

  // loads the visible tiles, two zoom levels coarser: cells are then about as large as a thumb
  async function loadTiles() {
    const z = Math.max(0, Math.floor(view.getZoom() + 0.01) - 2);
    const wanted = new Map(); // each tile once, however often the world is repeated
    ol.tilegrid.createXYZ().forEachTileCoord(view.calculateExtent(map.getSize()), z, ([, x, y]) => {
      if (y < 0 || y >= 2 ** z) return;
      const tile = [z, x & (2 ** z - 1), y];
      for (const template of list(data.tiles)) wanted.set(`${template} ${tile}`, [template, tile]);
    });
    const keys = [...wanted.keys()];
    const { signal } = running;
    const found = await Promise.all(keys.map((key) => {
      if (!tiles.has(key)) tiles.set(key, readTile(...wanted.get(key), signal));
      return tiles.get(key);
    })).catch((error) => {
      for (const key of keys) tiles.delete(key);
      throw error;
    });
    if (signal.aborted || z !== Math.max(0, Math.floor(view.getZoom() + 0.01) - 2)) return;
    points.clear();
    points.addFeatures(found.flat().filter(isWithin));
    data.count = sum(points.getFeatures().map(weightOf));
    for (const key of tiles.keys()) if (tiles.size > 64 && !keys.includes(key)) tiles.delete(key);
  }

  // which part of the world is shown

  const viewText = () => `${pointText(view.getCenter())},${view.getZoom().toFixed(2)}`;

  function fit(extent) {
    const [width, height] = map.getSize();
    const edge = Math.min(64, width / 6, height / 5); // names are wider than pins
    const some = ol.extent.isEmpty(extent) && !Number.isFinite(extent[0]) ? extentOf([-150, -50, 150, 70]) : extent;
    view.fit(some, { padding: [edge, edge, edge, edge], maxZoom: data.at || chosen ? 15 : 16 });
  }

  let all; // the extent that shows everything
  function settle(extent) {
    // the circle sets the extent, not the tiles' bounds
    all = data.tiles && data.radius ? ol.extent.createEmpty() : ol.extent.clone(extent);
    for (const mark of marks.getFeatures()) ol.extent.extend(all, mark.getGeometry().getExtent());
    if (data.bbox) all = extentOf(data.bbox.split(',').map(Number));
    const shown = data.explores && new URLSearchParams(location.search).get('view');
    if (shown) {
      const [latitude, longitude, zoom] = shown.split(',').map(Number);
      view.setCenter(ol.proj.fromLonLat([longitude, latitude]));
      view.setZoom(zoom);
      home = data.bbox ? viewText() : '';
    } else {
      showAll();
    }
  }

  function showAll() {
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
    const now = viewText();
    const isMoved = now !== home;
    if (data.explores) {
      const address = new URL(location);
      if (isMoved) address.searchParams.set('view', now);
      else if (!data.bbox) address.searchParams.delete('view');
      if (address.href !== location.href) history.replaceState(history.state, '', tidy(address));
      area.hidden = !isMoved;
      const toList = document.getElementById('to-list');
      if (toList && isMoved) {
        const list = new URL(toList.href);
        list.searchParams.set('view', now);
        toList.href = tidy(list);
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

  const placeAt = (pixel) => map.forEachFeatureAtPixel(pixel, (feature) => feature,
    { layerFilter: (layer) => [places, picked].includes(layer), hitTolerance: 5 });

  function act(pixel) {
    root.dataset.mapState = 'busy';
    callout.close();
    const found = placeAt(pixel);
    if (found) callout.openCluster(found);
    else if (data.explores) callout.openPoint(map.getCoordinateFromPixel(pixel));
    map.render();
  }

  map.on('click', ({ pixel }) => act(pixel));
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') callout.close();
    if (event.key === 'Enter' && event.target === frame) act(map.getSize().map((side) => side / 2));
  });

  // cards and pins light each other

  const cards = () => [...document.querySelectorAll('.card[data-id]')];
  const cardOf = (element) => element.closest?.('.card[data-id]');

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

  map.on('pointermove', ({ pixel, dragging, originalEvent }) => {
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
    for (const name of ['places', 'tiles', 'bounds', 'nearest', 'total', 'at', 'radius', 'bbox']) {
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
    map.updateSize();
    if (isHome && all && frame.offsetWidth) showAll();
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

