// Helpers that create elements.

/** Create an element with a class, properties (also `dataset` and `aria-…`) and children. */
export function make(tag, className, properties = {}, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [key, value] of Object.entries(properties)) {
    if (key === "dataset") Object.assign(element.dataset, value);
    else if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** Create the cells of a row from texts by class; a name may be written from right to left. */
export function makeCells(texts) {
  return Object.entries(texts).map(([part, text]) => make(part === "name" ? "bdi" : "span", part, { textContent: text }));
}

/** Create an icon of index.html. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** Create a canvas with the size from the style sheet; `draw(context, width, height)` draws in pixels. */
export function scaledCanvas(className, draw) {
  const canvas = make("canvas", className);
  let inSight = false; // not drawn while scrolled out of view
  const redraw = () => {
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!inSight || !width || !height) return;
    const dpr = Math.min(2, window.devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * dpr)) canvas.width = Math.round(width * dpr);
    if (canvas.height !== Math.round(height * dpr)) canvas.height = Math.round(height * dpr);
    const context = canvas.getContext("2d");
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  new ResizeObserver(redraw).observe(canvas);
  new IntersectionObserver(([entry]) => {
    inSight = entry.isIntersecting;
    redraw();
  }).observe(canvas);
  return { canvas, redraw };
}

/** Set a text only if it differs, to avoid a layout by the browser. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
