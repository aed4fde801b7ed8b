// The maps of the lunch page: fills each <div class="map"> with what its data attributes say (MapFrame.swift).
//
// The files of this folder are one module, in the order of MapAssets.c. OpenLayers is fetched when the first map is
// seen. Texts of feeds become nodes by `textContent` and letters on a canvas, nothing else. Tests read
// `html[data-map-state]` (busy, idle, failed) and a map's `data-count`.

const root = document.documentElement;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const dark = matchMedia('(prefers-color-scheme: dark)');

function make(name, properties = {}, ...children) {
  const { data, ...others } = properties;
  const element = Object.assign(document.createElement(name), others);
  Object.assign(element.dataset, data);
  element.append(...children.filter((child) => child != null));
  return element;
}

// long work is done in separate tasks, so that typing stays responsive
const later = () => new Promise((resolve) => { setTimeout(resolve); });

const list = (text) => (text ? text.split(' ') : []);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const tidy = (url) => url.href.replaceAll('%2C', ',');

// an address of this page with other parameters; the list begins anew
function addressWith(changes) {
  const url = new URL(location);
  for (const name of ['cursor', 'view', 'added', 'removed']) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
  }
  return tidy(url);
}

function distanceText(meters, units) {
  const short = (number) => (number < 9.95 ? Math.round(number * 10) / 10 : Math.round(number));
  if (units === 'mi') {
    return meters < 160 ? `${Math.round(meters / 3.048) * 10} ft` : `${short(meters / 1609.344)} mi`;
  }
  return meters < 999.5 ? `${Math.round(meters)} m` : `${short(meters / 1000)} km`;
}

function countText(count) {
  for (const [size, letter] of [[1e6, 'M'], [1e3, 'k']]) {
    if (count >= size) return `${(count / size).toFixed(count < 10 * size ? 1 : 0).replace('.0', '')}${letter}`;
  }
  return `${count}`;
}

// places on the map: texts and boxes have degrees, the map has meters

const wrapped = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

function pointOf(text) {
  const [latitude, longitude] = text.split(',').map(Number);
  return ol.proj.fromLonLat([longitude, latitude]);
}

function pointText(coordinate) {
  const [longitude, latitude] = ol.proj.toLonLat(coordinate);
  return `${latitude.toFixed(5)},${wrapped(longitude).toFixed(5)}`;
}

function extentOf([west, south, east, north]) {
  return ol.proj.transformExtent([west, south, east < west ? east + 360 : east, north], 'EPSG:4326', 'EPSG:3857');
}

function boxText(extent) {
  const [west, south, east, north] = ol.proj.transformExtent(extent, 'EPSG:3857', 'EPSG:4326');
  const sides = east - west >= 360 ? [-180, south, 180, north] : [wrapped(west), south, wrapped(east), north];
  return sides.map((side) => side.toFixed(5)).join(',');
}

// a circle's edge; around a pole it spans all longitudes
function circleOf(center, radius) {
  const ring = ol.geom.Polygon.circular(ol.proj.toLonLat(center), radius, 96).getCoordinates()[0];
  ring.forEach((point, index) => {
    if (index) point[0] -= 360 * Math.round((point[0] - ring[index - 1][0]) / 360);
  });
  return new ol.geom.LineString(ring).transform('EPSG:4326', 'EPSG:3857');
}

// the west end of the narrowest window of longitudes that contains all places
function westOf(longitudes) {
  const sorted = [...longitudes].sort((one, other) => one - other);
  let west = sorted[0];
  let widest = sorted[0] + 360 - sorted.at(-1);
  for (let index = 1; index < sorted.length; index += 1) {
    const gap = sorted[index] - sorted[index - 1];
    if (gap > widest) [widest, west] = [gap, sorted[index]];
  }
  return west;
}

