// What the scripts of the pages share with the pages: read by tsc (Scripts/lint), never served.

/** OpenLayers, which comes without types. */
declare const ol: any;

interface Window {
  ol?: unknown;
}

interface Navigator {
  readonly userActivation?: { readonly isActive: boolean };
}

/** What is looked for from the inside is always HTML; drawings have no such classes. */
interface Element {
  role: string | null;
  closest(selector: string): HTMLElement | null;
}

interface HTMLElement {
  checkVisibility(): boolean;
  hidePopover(): void;
  showPopover(): void;
}

/** The fields of forms that scripts read or change, by name. */
interface HTMLFormControlsCollection {
  at: HTMLInputElement;
  near?: HTMLInputElement;
  change?: HTMLInputElement;
}

/** An answer that a map shows: a Feature or a page of a FeatureCollection. */
interface FeaturePage {
  links?: { rel: string; href: string }[];
}

/** The data of `<body>` (PageLayout.swift). */
interface PageData extends DOMStringMap {
  keeping: 'service' | 'device';
  favorites: string;
  health: string;
  generation: string;
}

/** The heart of a restaurant; it has a form if the service keeps the favorites. */
interface Heart extends HTMLButtonElement {
  readonly dataset: DOMStringMap & { id: string };
  readonly form: HTMLFormElement & { readonly dataset: { change: string } };
}

/** Elements by the selectors that find one of them; `null` if a page may be without it. */
interface OneOf {
  '#cards': HTMLElement;
  '#done': HTMLButtonElement;
  '#count': HTMLElement;
  '#frame': HTMLIFrameElement | null;
  '#frame-back': HTMLButtonElement;
  '#frame-next': HTMLButtonElement;
  '#frame-refresh': HTMLButtonElement;
  '#locate': HTMLButtonElement | null;
  '#more': HTMLAnchorElement | null;
  '#notices': HTMLElement;
  '#search': HTMLFormElement | null;
  '#show': HTMLButtonElement;
  '#state': HTMLElement;
  '.heart': Heart;
  '.locate': HTMLButtonElement | null;
  '.top': HTMLElement;
  'input[type=search]': HTMLInputElement;
  select: HTMLSelectElement;
}

/** Elements by the selectors that find several. */
interface AllOf {
  '#places option': HTMLOptionElement;
  '.heart': Heart;
  '.options': HTMLFormElement;
  '.options, .add': HTMLFormElement;
  button: HTMLButtonElement;
  'details[data-section]': HTMLDetailsElement & { readonly dataset: { section: string } };
  'img.picture': HTMLImageElement;
  select: HTMLSelectElement;
}

interface FindOne {
  <Selector extends keyof OneOf>(selector: Selector, root?: ParentNode): OneOf[Selector];
  (selector: string, root?: ParentNode): HTMLElement | null;
}

interface FindAll {
  <Selector extends keyof AllOf>(selector: Selector, root?: ParentNode): AllOf[Selector][];
  (selector: string, root?: ParentNode): HTMLElement[];
}

/** A button of a notice: its label, and what it does. */
type Action = [label: string, act: () => unknown];

/** An OpenLayers feature: a restaurant, or several in one point. */
type Feature = any;

/** A place on the map in meters: x, y. */
type Point = number[];

/** Degrees or meters: west, south, east, north. */
type Extent = number[];

/** The data of a map (MapFrame.swift). */
interface MapData extends DOMStringMap {
  detail: string;
  land: string;
  library: string;
  libraryStyle: string;
  units: string;
}

/** `<div class="map">`. */
interface MapElement extends HTMLElement {
  readonly dataset: MapData;
  map?: any;
}

/** A click on a map, or a move over it. */
interface MapClick {
  pixel: Point;
  dragging: boolean;
  originalEvent: { target: Element };
}

/** A card of the list. */
interface Card extends HTMLElement {
  readonly dataset: DOMStringMap & { id: string };
}

interface DocumentEventMap {
  results: CustomEvent<DOMStringMap | undefined>;
}
