// The static layer: floor, fields, grid, walls with their shadows, lamps and start poses, axes.

import { outlineOf } from "./overlap.js";
import { PALETTE, blend, tint } from "./paint.js";
import { roundLengthAbove, tidy } from "./view.js";
import { drawLamp, drawSound, drawStart } from "./symbols.js";

const LIGHT_FALLS = [0.5, -0.7]; // offset of a shadow per metre of height [m]
const LONGEST_SHADOW = 9; // pixels

export class Ground {
  floor = null;

  /** Take over a scene; call `done` when its floor can be drawn. */
  async adopt(scene, world, done) {
    this.scene = scene;
    this.world = world;
    this.shapes = scene.solids.map((solid) => ({ ...solid, radius: solid.radius ?? 0, outline: outlineOf(solid) }));
    this.floor?.close();
    this.floor = null;
    done();
    if (!scene.floor?.length) return;
    this.floor = await createImageBitmap(new Blob([scene.floor], { type: "image/png" }));
    done();
  }

  draw(context, view, theme) {
    view.usePixels(context);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, view.width, view.height);
    if (!this.scene) return;
    view.useMetres(context);
    this.#floor(context, view, theme);
    this.#grid(context, view);
    this.#solids(context, view, theme);
    view.usePixels(context);
    this.#marks(context, view);
    this.#axes(context, view, theme);
  }

  #floor(context, view, theme) {
    const [x0, y0, x1, y1] = this.scene.floor_bounds;
    context.fillStyle = "#f4f4f2";
    context.fillRect(x0, y0, x1 - x0, y1 - y0);
    if (this.floor) {
      context.save();
      context.translate(x0, y1);
      context.scale(1, -1);
      context.imageSmoothingQuality = "high";
      context.drawImage(this.floor, 0, 0, x1 - x0, y1 - y0);
      context.restore();
    }
    const fields = this.world.fields ?? [];
    fieldColors(fields).forEach((color, i) => this.#field(context, fields[i], color));
    if (theme.dark) {
      context.fillStyle = "rgba(14,18,26,0.22)"; // dims the bright floor in the dark theme
      context.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
  }

  #field(context, { shape, at, radius }, color) {
    if (shape === "image") return; // fields from images are not sent to the page
    const [x0, y0, x1, y1] = this.scene.bounds;
    const reach = shape === "gaussian" ? 2.5 * radius : radius;
    const gradient = context.createRadialGradient(...at, 0, ...at, reach);
    for (let i = 0; i <= 8; i++) {
      const away = i / 8;
      const level = shape === "gaussian" ? Math.exp(-0.5 * (2.5 * away) ** 2) : 1 - away;
      gradient.addColorStop(away, tint(color, 0.5 * level));
    }
    context.fillStyle = gradient;
    context.fillRect(x0, y0, x1 - x0, y1 - y0);
  }

  #grid(context, view) {
    const [x0, y0, x1, y1] = this.scene.bounds;
    const step = this.#step(view);
    context.beginPath();
    for (let i = Math.ceil(x0 / step); i * step < x1; i++) line(context, i * step, y0, i * step, y1);
    for (let i = Math.ceil(y0 / step); i * step < y1; i++) line(context, x0, i * step, x1, i * step);
    context.strokeStyle = "rgba(43,47,54,0.09)";
    context.lineWidth = 1 / view.scale;
    context.stroke();
  }

  /** Distance between grid lines [m]; at least 70 pixels. */
  #step(view) {
    return roundLengthAbove(70 / view.scale);
  }

  #solids(context, view, theme) {
    context.fillStyle = theme.dark ? "rgba(0,0,0,0.26)" : "rgba(30,34,44,0.15)";
    this.#shadows(context, LONGEST_SHADOW / view.scale / Math.hypot(...LIGHT_FALLS));
    const pixel = 1 / view.scale;
    for (const shape of this.shapes) { // all outlines first, so that the pieces of a wall merge
      trace(context, shape);
      context.strokeStyle = context.fillStyle = blend(shape.color, "#000000", theme.dark ? 0.45 : 0.35);
      context.lineWidth = 2.2 * pixel;
      context.lineJoin = "round";
      context.stroke();
    }
    for (const shape of this.shapes) {
      trace(context, shape);
      context.fillStyle = context.strokeStyle = theme.dark ? blend(shape.color, "#0e121a", 0.14) : shape.color;
      context.lineWidth = 0.5 * pixel;
      context.stroke();
      context.fill();
    }
    for (const shape of this.shapes) { // the lit edge
      if (shape.radius * view.scale < 5) continue;
      context.beginPath();
      context.arc(...shape.corners[0], Math.max(0, shape.radius - 1.6 * pixel), 0.35 * Math.PI, 1.15 * Math.PI);
      context.strokeStyle = "rgba(255,255,255,0.38)";
      context.lineWidth = 1.6 * pixel;
      context.stroke();
    }
  }

  #shadows(context, longest) {
    context.beginPath();
    for (const { outline, height } of this.shapes) {
      const long = Math.min(height, longest);
      const [dx, dy] = [long * LIGHT_FALLS[0], long * LIGHT_FALLS[1]];
      polygon(context, hull([...outline, ...outline.map(([x, y]) => [x + dx, y + dy])]));
    }
    context.fill();
  }

  #marks(context, view) {
    const headings = new Map((this.world.starts ?? []).map((start) => [start.name, start.heading_deg ?? 0]));
    const lamps = (this.world.lights ?? []).values();
    for (const { kind, name, at } of this.scene.marks ?? []) {
      const [px, py] = view.pixels(...at);
      if (kind === "start") drawStart(context, px, py, ((headings.get(name) ?? 0) * Math.PI) / 180, name);
      else if (kind === "light") drawLamp(context, px, py, lamps.next().value?.color);
      else if (kind === "sound") drawSound(context, px, py);
    }
  }

  #axes(context, view, theme) {
    const [x0, y0, x1, y1] = this.scene.bounds;
    const step = this.#step(view);
    const [left, bottom] = view.pixels(x0, y0);
    const [right, top] = view.pixels(x1, y1);
    const wall = Math.max(0, (this.scene.floor_bounds[0] - this.#outer) * view.scale) + 5;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = theme.faint;
    context.textBaseline = "top";
    context.textAlign = "center";
    const lastX = Math.floor(x1 / step + 1e-9);
    for (let i = Math.ceil(x0 / step - 1e-9); i <= lastX; i++) {
      const [px] = view.pixels(i * step, y0);
      const unit = i === lastX ? " m" : "";
      if (px >= left - 1 && px <= right + 1) context.fillText(tidy(i * step) + unit, px, bottom + wall + 4);
    }
    context.textBaseline = "middle";
    context.textAlign = "right";
    const lastY = Math.floor(y1 / step + 1e-9);
    for (let i = Math.ceil(y0 / step - 1e-9); i <= lastY; i++) {
      const [, py] = view.pixels(x0, i * step);
      if (py >= top - 1 && py <= bottom + 1) context.fillText(tidy(i * step), left - wall - 4, py);
    }
  }

  /** Leftmost x of all walls [m]. */
  get #outer() {
    let least = this.scene.bounds[0];
    for (const { outline } of this.shapes) for (const [x] of outline) least = Math.min(least, x);
    return least;
  }
}

/** The colours of fields. Several fields without a colour of their own get different ones, as in pictures. */
function fieldColors(fields) {
  let count = 0;
  const next = () => PALETTE.fields[count++ % PALETTE.fields.length];
  return fields.map(({ color = PALETTE.fields[0] }) => (color === PALETTE.fields[0] ? next() : color));
}

function trace(context, { corners, radius }) {
  context.beginPath();
  if (radius) context.arc(...corners[0], radius, 0, 2 * Math.PI);
  else polygon(context, corners);
}

function polygon(context, corners) {
  context.moveTo(...corners[0]);
  for (let i = 1; i < corners.length; i++) context.lineTo(...corners[i]);
  context.closePath();
}

function line(context, x0, y0, x1, y1) {
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
}

/** The convex hull of points, counter-clockwise (Andrew's monotone chain). */
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (all) => {
    const kept = [];
    for (const point of all) {
      while (kept.length > 1 && cross(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    kept.pop();
    return kept;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function cross(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
