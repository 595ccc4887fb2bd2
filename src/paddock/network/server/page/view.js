// The visible part of the world: pixels ↔ metres, panning, zooming, fitting.

const ROOM = { left: 48, right: 84, top: 22, bottom: 40 }; // pixels around a fitted world, for walls, axes and tools
const LITTLE_ROOM = { left: 36, right: 66, top: 14, bottom: 34 }; // on narrow screens
const SMALLEST = 0.25; // times the fitted scale
const LARGEST = 4000; // pixels per metre

export class View {
  width = 1;
  height = 1;
  dpr = 1;
  x = 0; // world point [m] in the middle of the screen
  y = 0;
  scale = 100; // pixels per metre
  fitted = true; // shows the whole world, so that it follows the window's size
  version = 0; // increases with every change

  resize(width, height, dpr) {
    Object.assign(this, { width, height, dpr });
    if (this.fitted) this.fit();
    else this.version++;
  }

  show(bounds) {
    this.bounds = bounds;
    this.fit();
  }

  /** Scale at which the whole world is visible. */
  get fittedScale() {
    if (!this.bounds) return 100;
    const [x0, y0, x1, y1] = this.bounds;
    const wide = this.width - this.#room.left - this.#room.right;
    const high = this.height - this.#room.top - this.#room.bottom;
    return Math.max(1, Math.min(wide / (x1 - x0), high / (y1 - y0)));
  }

  get #room() {
    return this.width < 560 ? LITTLE_ROOM : ROOM;
  }

  fit() {
    if (!this.bounds) return;
    const [x0, y0, x1, y1] = this.bounds;
    const scale = this.fittedScale;
    const x = (x0 + x1) / 2 + (this.#room.right - this.#room.left) / 2 / scale;
    const y = (y0 + y1) / 2 - (this.#room.bottom - this.#room.top) / 2 / scale;
    Object.assign(this, { x, y, scale, fitted: true });
    this.version++;
  }

  /** Move the world by some pixels. */
  pan(dx, dy) {
    this.centre(this.x - dx / this.scale, this.y + dy / this.scale);
  }

  centre(x, y) {
    if (this.bounds) {
      const [x0, y0, x1, y1] = this.bounds;
      x = Math.min(x1, Math.max(x0, x));
      y = Math.min(y1, Math.max(y0, y));
    }
    if (x === this.x && y === this.y) return;
    Object.assign(this, { x, y, fitted: false });
    this.version++;
  }

  /** Zoom by a factor around a pixel. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const scale = Math.min(LARGEST, Math.max(SMALLEST * this.fittedScale, this.scale * factor));
    const [x, y] = this.metres(px, py);
    this.scale = scale;
    this.fitted = false;
    this.version++;
    this.centre(x - (px - this.width / 2) / scale, y + (py - this.height / 2) / scale);
  }

  pixels(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, this.height / 2 - (y - this.y) * this.scale];
  }

  metres(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  /** Whether a disc [m] is visible. */
  sees(x, y, radius) {
    const wide = this.width / 2 / this.scale + radius;
    const high = this.height / 2 / this.scale + radius;
    return Math.abs(x - this.x) < wide && Math.abs(y - this.y) < high;
  }

  /** Let a canvas draw in metres. */
  useMetres(context) {
    const s = this.scale * this.dpr;
    const [middle, half] = [(this.width / 2) * this.dpr, (this.height / 2) * this.dpr];
    context.setTransform(s, 0, 0, -s, middle - this.x * s, half + this.y * s);
  }

  /** Let a canvas draw in a robot's frame, in metres. */
  useRobot(context, x, y, heading) {
    const s = this.scale * this.dpr;
    const c = s * Math.cos(heading);
    const n = s * Math.sin(heading);
    const [px, py] = [(x - this.x) * s + (this.width / 2) * this.dpr, (this.height / 2) * this.dpr - (y - this.y) * s];
    context.setTransform(c, -n, -n, -c, px, py);
  }

  /** Let a canvas draw in pixels of the page. */
  usePixels(context) {
    context.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
  }
}

/** Largest of 1, 2, 5, 10, 20 … (or 0.5, 0.2 …) that is at most `most`. */
export function roundLength(most) {
  const power = 10 ** Math.floor(Math.log10(most) + 1e-9);
  return [5, 2, 1].find((step) => step * power <= most * (1 + 1e-9)) * power;
}

/** Smallest of these numbers that is at least `least`. */
export function roundLengthAbove(least) {
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  return [1, 2, 5, 10].find((step) => step * power >= least * (1 - 1e-9)) * power;
}

/** Text of a round number without floating-point rounding errors. */
export function tidy(value) {
  return String(Number(value.toFixed(6)));
}
