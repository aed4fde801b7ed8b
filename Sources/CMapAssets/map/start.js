// a map is made when it is first seen (phones hide it beside the list), and after the page's own content is shown

const painted = new Promise((resolve) => {
  new PerformanceObserver((list, observer) => {
    if (!list.getEntriesByName('first-contentful-paint').length) return;
    observer.disconnect();
    resolve();
  }).observe({ type: 'paint', buffered: true });
});

let arriving;
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
  for (const { target, isIntersecting } of entries) {
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
