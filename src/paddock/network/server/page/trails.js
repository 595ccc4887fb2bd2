// Trails of robots: a ring buffer of points per robot, drawn incrementally on a persistent layer.

import { tint } from "./paint.js";

const POINTS = 60_000; // of all robots together
const LONGEST = 800; // points of one robot
const FARTHEST = 40; // maximum distance between two points of a line, in spacings; larger at high speeds
const REBUILD_AFTER = 0.5; // fraction of new points after which old ones are erased

export class Trails {
  length = 0;
  view = {};

  /** Take over a list of robots with the radii of their bodies [m]; return whether the list has changed. */
  adopt(robots, sizes) {
    if (robots.length === this.count && robots.every((robot, i) => robot.name === this.names[i])) {
      this.colors = robots.map((robot) => robot.color);
      return false;
    }
    this.names = robots.map((robot) => robot.name);
    this.colors = robots.map((robot) => robot.color);
    this.count = robots.length;
    this.length = Math.max(16, Math.min(LONGEST, Math.floor(POINTS / Math.max(1, this.count))));
    this.spacing = Float32Array.from(sizes, (size) => 0.35 * size);
    this.points = new Float32Array(2 * this.length * this.count);
    this.newest = new Int32Array(this.count).fill(-1);
    this.filled = new Int32Array(this.count);
    this.added = 0;
    this.stale = true;
    return true;
  }

  /** Start with the history: x, y [m] of every robot, sample after sample; NaN where a line is interrupted. */
  prefill(paths) {
    this.clear();
    for (let k = 0; k < paths.length; k += 2) {
      this.#addPoint((k / 2) % this.count, paths[k], paths[k + 1], { farthest: Infinity });
    }
  }

  clear() {
    this.filled?.fill(0);
    this.newest?.fill(-1);
    this.stale = true;
  }

  /** Add the current positions, and draw the new segments if the layer matches the view. */
  extend(states, context, view, fits) {
    if (!this.count || states.count !== this.count || !states.to) return;
    const fresh = [];
    for (let i = 0; i < this.count; i++) {
      if (this.#addPoint(i, states.x[i], states.y[i], { teleported: states.teleported[i] })) fresh.push(i);
      states.teleported[i] = 0;
    }
    this.added += fresh.length;
    if (this.added > REBUILD_AFTER * this.count * this.length) this.stale = true;
    if (fresh.length && fits && !this.stale) this.#stroke(context, view, fresh, 2);
  }

  /** Draw all trails again. */
  rebuild(context, view) {
    view.usePixels(context);
    context.clearRect(0, 0, view.width, view.height);
    if (this.count) this.#stroke(context, view, this.colors.keys(), this.length);
    this.added = 0;
    this.stale = false;
    this.view = { x: view.x, y: view.y, scale: view.scale, version: view.version };
  }

  /** Add a point if it is far enough from the last one; return whether a line leads to it. */
  #addPoint(i, x, y, { teleported = false, farthest = FARTHEST } = {}) {
    const last = 2 * (i * this.length + this.newest[i]);
    const isBroken = !this.filled[i] || Number.isNaN(this.points[last]);
    if (Number.isNaN(x) || isBroken) {
      if (!(Number.isNaN(x) && isBroken)) this.#append(i, x, y);
      return false;
    }
    const gone = Math.hypot(x - this.points[last], y - this.points[last + 1]);
    if (gone < this.spacing[i]) return false;
    const jumps = teleported || gone > farthest * this.spacing[i];
    if (jumps) this.#append(i, NaN, NaN); // interrupts the line
    this.#append(i, x, y);
    return !jumps;
  }

  #append(i, x, y) {
    this.newest[i] = (this.newest[i] + 1) % this.length;
    this.filled[i] = Math.min(this.length, this.filled[i] + 1);
    const at = 2 * (i * this.length + this.newest[i]);
    this.points[at] = x;
    this.points[at + 1] = y;
  }

  #stroke(context, view, robots, most) {
    const byColor = new Map();
    for (const i of robots) {
      if (this.filled[i] < 2) continue;
      const color = this.colors[i];
      if (!byColor.has(color)) byColor.set(color, []);
      byColor.get(color).push(i);
    }
    view.useMetres(context);
    context.lineWidth = (this.count > 100 ? 1 : 2) / view.scale;
    context.lineJoin = "round";
    context.lineCap = "butt";
    for (const [color, group] of byColor) {
      context.strokeStyle = tint(color, 0.55);
      context.beginPath();
      for (const i of group) {
        const count = Math.min(most, this.filled[i]);
        let up = true; // pen up
        for (let k = count - 1; k >= 0; k--) {
          const at = 2 * (i * this.length + ((this.newest[i] - k + this.length) % this.length));
          const x = this.points[at];
          if (Number.isNaN(x)) up = true;
          else if (up) {
            context.moveTo(x, this.points[at + 1]);
            up = false;
          } else context.lineTo(x, this.points[at + 1]);
        }
      }
      context.stroke();
    }
  }
}
