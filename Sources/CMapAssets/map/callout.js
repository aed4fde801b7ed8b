// the callout of a map: a restaurant, several on one spot, or a point between them

const widestZoom = 19;
const coincident = 2; // meters on the map: no zoom separates pins closer than this

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

  function open(coordinate, lift, ...content) {
    const shut = make('button', { className: 'close', type: 'button', textContent: '×', ariaLabel: 'Close', onclick: () => {
      close();
      frame.focus();
    } });
    box.replaceChildren(shut, ...content.filter(Boolean));
    overlay.setOffset([0, -lift]);
    overlay.setPosition(coordinate);
    if (root.dataset.keys) box.querySelector('a')?.focus();
  }

  function linkTo(feature, distance = feature.get('distance')) {
    const id = idOf(feature);
    const facts = [feature.get('category'), distance != null && distanceText(distance, data.units)];
    return make('a', { className: 'place', href: data.detail.replace('{id}', encodeURIComponent(id)), data: { id } },
      make('strong', { textContent: nameOf(feature) }),
      make('span', { textContent: facts.filter(Boolean).join(' · ') }));
  }

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
  async function openPoint(coordinate) {
    const at = pointText(coordinate);
    const here = new ol.Feature({ geometry: new ol.geom.Point(coordinate), isClick: true });
    marks.addFeature(here);
    const nearest = make('div', { className: 'nearest', textContent: 'Looking for the nearest …' });
    const rings = data.units === 'mi' ? ['0.5mi', '1mi', '3mi'] : ['500m', '1km', '3km'];
    open(coordinate, 16, nearest,
      make('p', {}, make('a', { className: 'from', href: addressWith({ at, near: '', radius: '', bbox: '' }),
        textContent: 'List by distance from here' })),
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

