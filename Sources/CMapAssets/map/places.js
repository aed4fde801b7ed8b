// what a map shows: restaurants one by one, or the visible tiles, which group several into one point

const idOf = (feature) => feature.getId() ?? feature.get('id');
const nameOf = (feature) => String(feature.get('name') ?? idOf(feature));
const weightOf = (feature) => feature.get('point_count') ?? 1;
const membersOf = (cluster) => cluster.get('features') ?? [cluster];

async function get(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok) throw new Error(answer.status);
  return answer;
}

async function readFeatures(addresses, signal) {
  const format = new ol.format.GeoJSON();
  const features = [];
  for (let address of addresses) {
    while (address) {
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

async function readTile(template, [z, x, y], signal) {
  const address = template.replace('{z}', z).replace('{x}', x).replace('{y}', y);
  const answer = await get(address, signal);
  if (answer.status === 204) return [];
  const extent = ol.tilegrid.createXYZ().getTileCoordExtent([z, x, y]);
  const format = new ol.format.MVT({ featureClass: ol.Feature, idProperty: 'id' });
  const features = format.readFeatures(await answer.arrayBuffer(), { extent, featureProjection: 'EPSG:3857' });
  await later(); // a tile may have 2,000
  return features;
}

