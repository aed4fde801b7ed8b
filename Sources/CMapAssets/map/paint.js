// what is drawn: colors are those of the stylesheet, which differ by theme

function painter(frame) {
  const names = ['sea', 'land', 'grid', 'ink', 'halo', 'pin', 'lit', 'cluster', 'on-cluster', 'here', 'way', 'area'];
  let colors;
  let styles; // of pins and clusters, by what they show
  const fill = (color) => new ol.style.Fill({ color: colors[color] });
  const stroke = (color, width, more) => new ol.style.Stroke({ color: colors[color], width, ...more });
  const letters = (text, size, color, more) => new ol.style.Text({
    text, font: `600 ${size}px system-ui, "DejaVu Sans", sans-serif`, fill: fill(color), ...more,
  });
  const disc = (radius, color, more) => new ol.style.Circle({ radius, fill: fill(color), ...more });

  function restyle() {
    const style = getComputedStyle(frame);
    colors = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()]));
    styles = new Map();
  }
  restyle();

  function once(key, makeStyle) {
    if (styles.size > 500) styles.clear(); // each pin has its own name
    if (!styles.has(key)) styles.set(key, makeStyle());
    return styles.get(key);
  }

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

  const cluster = (count, isLit) => once(`${countText(count)}|${isLit}`, () => new ol.style.Style({
    zIndex: isLit ? 3 : 2,
    image: disc(13 + 3 * Math.log10(count), isLit ? 'lit' : 'cluster', { stroke: stroke('halo', 2.5), declutterMode: 'obstacle' }),
    text: letters(countText(count), 12, 'on-cluster', { declutterMode: 'none' }),
  }));

  // the visitor's place; circles, boxes and ways
  const mark = (feature) => new ol.style.Style(feature.getGeometry().getType() === 'Point'
    ? { image: disc(7, 'here', { stroke: stroke('halo', 3) }) }
    : { stroke: stroke('here', 2, { lineDash: [6, 6] }) });

  // a third-party vector basemap: water, roads, areas and places, recognized by common layer names
  function street(feature) {
    const kind = feature.getType();
    if (kind.includes('Point')) return spot(feature);
    const isWater = /water|ocean|sea|lake|river/i.test(feature.get('layer'));
    return new ol.style.Style(kind.includes('Line')
      ? { stroke: stroke(isWater ? 'sea' : 'way', 1.2) }
      : { fill: fill(isWater ? 'sea' : 'area') });
  }

  // labels for towns; dots for restaurants (in tile files written by geoq)
  function spot(feature) {
    const layer = feature.get('layer');
    if (/place/i.test(layer) && feature.get('name')) {
      return new ol.style.Style({ text: letters(String(feature.get('name')), 11, 'ink', { stroke: stroke('halo', 2) }) });
    }
    if (!['restaurants', 'clusters'].includes(layer)) return undefined;
    const radius = 2.5 + Math.log2(weightOf(feature)) / 2;
    return new ol.style.Style({ image: disc(radius, 'way', { stroke: stroke('halo', 1), declutterMode: 'none' }) });
  }

  const land = () => new ol.style.Style({ fill: fill('land') });
  const grid = () => stroke('grid', 1);
  return { restyle, pin, cluster, mark, street, land, grid };
}

function basemapLayer(data, paint) {
  const address = { url: data.basemap, maxZoom: Number(data.basemapZoom ?? 19) };
  if (data.basemapKind === 'vector') {
    const source = new ol.source.VectorTile({ ...address, format: new ol.format.MVT() });
    return new ol.layer.VectorTile({ source, style: paint.street, zIndex: 0, declutter: true });
  }
  const source = new ol.source.XYZ({
    ...address,
    // servers of tiles want to know which page asks
    tileLoadFunction: (tile, src) => { Object.assign(tile.getImage(), { referrerPolicy: 'origin', src }); },
  });
  return new ol.layer.Tile({ source, zIndex: 0 });
}

