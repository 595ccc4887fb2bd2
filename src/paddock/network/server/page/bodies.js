// Draws robots: each kind and colour is painted once per zoom level as a sprite, which is then copied.

import { CONTACT, PALETTE, blend, brighter, tint } from "./paint.js";
import { START_NAME, drawText } from "./symbols.js";

const NAMED = 40; // maximum number of robots in view with names
const LABEL = 12; // font size of names in pixels
const LEAST_RADIUS = 3; // pixels: smaller robots are drawn larger
const LONGEST_LABEL = 22; // characters
const LABEL_ROWS = 4; // rows of names above robots that stand close together, and as many below
const SHADOW = 3; // pixels around a body
const LED_COLORS = {
  red: "#ff3b30",
  green: "#30d158",
  blue: "#4c8dff",
  white: "#f4f6fa",
  yellow: "#ffd60a",
  orange: "#ff9500",
  body: "#37d67a",
  front: "#ffe9b0",
};

export class Bodies {
  labelSize = LABEL;
  sprites = new Map();
  stamp = "";

  /** Sprite of a robot at this zoom level. */
  sprite({ kind: number, color }, kinds, view) {
    const stamp = `${view.scale} ${view.dpr}`;
    if (stamp !== this.stamp) {
      this.sprites.clear();
      this.stamp = stamp;
    }
    const key = `${number} ${color}`;
    let sprite = this.sprites.get(key);
    if (!sprite) this.sprites.set(key, (sprite = paintBody(kinds[number], color, view)));
    return sprite;
  }

  /** Delete all sprites, because kinds may have changed. */
  clear() {
    this.sprites.clear();
  }

  /** Draw the robots with the indices in `shown`. */
  draw(context, view, session, shown) {
    const { states, robots, kinds } = session;
    const s = view.scale * view.dpr;
    const offsetX = (view.width / 2) * view.dpr - view.x * s;
    const offsetY = (view.height / 2) * view.dpr + view.y * s;
    for (const i of shown) {
      const sprite = this.sprite(robots[i], kinds, view);
      const c = Math.cos(states.heading[i]);
      const n = Math.sin(states.heading[i]);
      context.setTransform(c, -n, n, c, offsetX + states.x[i] * s, offsetY - states.y[i] * s);
      context.drawImage(sprite.image, -sprite.half, -sprite.half);
    }
  }

  /** Draw one robot half transparent at the pose to which it is being moved. */
  drawGhost(context, view, robot, kinds, { x, y, heading, fits }) {
    const sprite = this.sprite(robot, kinds, view);
    view.usePixels(context);
    const [px, py] = view.pixels(x, y);
    context.translate(px, py);
    context.rotate(-heading);
    context.globalAlpha = fits ? 0.75 : 0.35;
    const half = sprite.half / view.dpr;
    context.drawImage(sprite.image, -half, -half, 2 * half, 2 * half);
    context.globalAlpha = 1;
  }

  /** Draw contacts and LEDs. */
  drawSignals(context, view, session, shown, now) {
    const { states, robots, kinds } = session;
    let glowing = false;
    for (const i of shown) {
      const kind = kinds[robots[i].kind];
      const glow = states.glow(i, now);
      if (glow > 0) {
        glowing = true;
        view.useRobot(context, states.x[i], states.y[i], states.heading[i]);
        const radius = boundary(kind.body, states.bearing[i]) + 1.5 / view.scale;
        context.beginPath();
        context.arc(0, 0, radius, states.bearing[i] - 0.45, states.bearing[i] + 0.45);
        context.strokeStyle = tint(CONTACT, glow);
        context.lineWidth = Math.max(3 / view.scale, 0.12 * radius);
        context.lineCap = "round";
        context.stroke();
      }
      if (states.leds.length) drawLeds(context, view, kind, states, i);
    }
    return glowing;
  }

  /** Draw the names of all robots if there are few, else of the selected one and the one under the pointer. */
  drawNames(context, view, session, shown, hovered) {
    view.usePixels(context);
    context.font = `500 ${this.labelSize}px system-ui, sans-serif`;
    const high = 0.6 * this.labelSize;
    const taken = startNames(context, view, session.scene, high); // [left, top, right, bottom] of names
    for (const i of this.#byImportance(session, shown)) {
      const { name, kind, person } = session.robots[i];
      const label = shortened(person || name);
      const chosen = name === session.selected;
      const isWanted = chosen || i === hovered;
      if (shown.length > NAMED && !isWanted) continue;
      const away = Math.max(LEAST_RADIUS, reach(session.kinds[kind].body) * view.scale) + high + (chosen ? 8 : 4);
      const [px, py] = view.pixels(session.states.x[i], session.states.y[i]);
      const isHandleAbove = chosen && Math.sin(session.states.heading[i]) > 0;
      context.font = `${chosen ? 700 : 500} ${this.labelSize}px system-ui, sans-serif`;
      const half = context.measureText(label).width / 2;
      const inside = Math.min(Math.max(px, half + 4), Math.max(half + 4, view.width - half - 4));
      const places = Array.from({ length: LABEL_ROWS }, (_, row) => away + 2 * high * row).flatMap((dy) => [-dy, dy]);
      if (isHandleAbove) places.reverse().sort((a, b) => Math.abs(a) - Math.abs(b));
      const isFree = (y) => taken.every(([x0, y0, x1, y1]) => inside + half <= x0 || inside - half >= x1 || y + high <= y0 || y - high >= y1);
      const dy = places.find((away) => isFree(py + away)) ?? (isWanted ? places[0] : undefined);
      if (dy === undefined) continue; // no room in this crowd; the pointer brings it out
      const y = py + dy;
      taken.push([inside - half, y - high, inside + half, y + high]);
      if (Math.abs(dy) > away) drawLeader(context, px, py + Math.sign(dy) * (away - high), y - Math.sign(dy) * high);
      drawText(context, label, inside, y, PALETTE.ink, chosen ? 700 : 500, this.labelSize);
    }
  }

  /** The selected robot first, so that its name gets the best position. */
  #byImportance(session, shown) {
    const chosen = session.index.get(session.selected);
    return shown.includes(chosen) ? [chosen, ...shown.filter((i) => i !== chosen)] : shown;
  }
}

/** Draw a thin line from a robot to its name, which is not next to it. */
function drawLeader(context, x, from, to) {
  context.strokeStyle = tint(PALETTE.ink, 0.4);
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, from);
  context.lineTo(x, to);
  context.stroke();
}

/** The boxes of the names of start poses, in pixels. */
function startNames(context, view, { marks = [] }, high) {
  return marks.filter(({ kind }) => kind === "start").map(({ name, at }) => {
    const [x, y] = view.pixels(...at);
    const half = context.measureText(name).width / 2;
    return [x - half, y - START_NAME - high, x + half, y - START_NAME + high];
  });
}

/** Truncate a long name. */
export function shortened(name) {
  const letters = [...name];
  if (letters.length <= LONGEST_LABEL) return name;
  const room = letters.slice(0, LONGEST_LABEL).join(""); // one character more, because a word may end there
  const words = room.slice(0, Math.max(0, room.lastIndexOf(" "))).trimEnd();
  return `${words || letters.slice(0, LONGEST_LABEL - 1).join("")}…`;
}

/** Radius of the circumscribed circle of a body [m]. */
export function reach(body) {
  body.reach ??= body.outline ? Math.max(...body.outline.map(([x, y]) => Math.hypot(x, y))) : body.radius;
  return body.reach;
}

/** Distance from the centre to the outline in a direction [m]. */
export function boundary(body, angle) {
  if (!body.outline) return body.radius;
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  const corners = body.outline;
  for (let i = 0; i < corners.length; i++) {
    const [x0, y0] = corners[i];
    const [x1, y1] = corners[(i + 1) % corners.length];
    const cross = dx * (y1 - y0) - dy * (x1 - x0);
    if (Math.abs(cross) < 1e-12) continue;
    const along = (x0 * (y1 - y0) - y0 * (x1 - x0)) / cross;
    const share = (x0 * dy - y0 * dx) / cross;
    if (along >= 0 && share >= -1e-9 && share <= 1 + 1e-9) return along;
  }
  return reach(body);
}

function traceBody(context, body) {
  context.beginPath();
  if (body.outline) {
    body.outline.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
  } else context.arc(0, 0, body.radius, 0, 2 * Math.PI);
}

/** Paint a robot with heading 0 on a canvas with the robot's origin in the middle. */
function paintBody(kind, color, view) {
  const grown = Math.max(1, LEAST_RADIUS / (reach(kind.body) * view.scale));
  const s = view.scale * view.dpr * grown;
  const half = Math.ceil(reach(kind.body) * s + (SHADOW + 2) * view.dpr);
  const image = document.createElement("canvas");
  image.width = image.height = 2 * half;
  const context = image.getContext("2d");
  context.setTransform(s, 0, 0, -s, half, half);
  const pixel = view.dpr / s;

  context.save();
  context.shadowColor = "rgba(20,24,32,0.45)";
  context.shadowBlur = SHADOW * view.dpr;
  context.fillStyle = color;
  traceBody(context, kind.body);
  context.fill();
  context.restore();
  context.strokeStyle = blend(color, "#000000", 0.45);
  context.lineWidth = Math.min(2, Math.max(1, 0.03 * reach(kind.body) * view.scale)) * pixel;
  traceBody(context, kind.body);
  context.stroke();

  const wheels = wheelPlaces(kind.drive);
  if (2 * Math.abs(wheels[0].y) * view.scale > 14) paintWheels(context, wheels, kind.drive.wheel_diameter, pixel);
  const tip = boundary(kind.body, 0);
  context.beginPath();
  context.moveTo(0.8 * tip, 0);
  context.lineTo(0.2 * tip, 0.32 * tip);
  context.lineTo(0.34 * tip, 0);
  context.lineTo(0.2 * tip, -0.32 * tip);
  context.closePath();
  context.fillStyle = "rgba(255,255,255,0.95)";
  context.fill();
  return { image, half };
}

/** Places and headings of the wheels of a drive; pairs on an axle follow each other. */
function wheelPlaces({ kind, track, wheelbase, wheel_separation, wheel_distance, wheel_angles_deg = [60, 180, 300] }) {
  if (kind === "omni") {
    const angles = wheel_angles_deg.map((angle) => (angle * Math.PI) / 180);
    const place = (angle) => [wheel_distance * Math.cos(angle), wheel_distance * Math.sin(angle)];
    return angles.map((angle) => ({ x: place(angle)[0], y: place(angle)[1], heading: angle + Math.PI / 2 }));
  }
  const axles = { skid: [0.5, -0.5], mecanum: [0.5, -0.5], ackermann: [1, 0] }[kind] ?? [0];
  const half = (kind ? track : wheel_separation) / 2;
  return axles.flatMap((axle) => [half, -half].map((y) => ({ x: axle * (wheelbase ?? 0), y, heading: 0 })));
}

function paintWheels(context, wheels, diameter, pixel) {
  context.strokeStyle = tint(PALETTE.wheel, 0.45);
  context.lineWidth = 1.2 * pixel;
  context.beginPath();
  for (let i = 0; wheels.length !== 3 && i < wheels.length; i += 2) {
    context.moveTo(wheels[i].x, wheels[i].y);
    context.lineTo(wheels[i + 1].x, wheels[i + 1].y);
  }
  context.stroke();
  context.fillStyle = tint(PALETTE.wheel, 0.85);
  const tread = 0.2 * diameter;
  for (const { x, y, heading } of wheels) {
    context.save();
    context.translate(x, y);
    context.rotate(heading);
    context.fillRect(-diameter / 2, -tread / 2, diameter, tread);
    context.restore();
  }
}

/** Position of an LED on a robot: numbered LEDs in a ring, clockwise from the front; others by name. */
export function ledPlace(kind, number) {
  kind.ledPlaces ??= kind.leds.map((name) => placeOf(kind, name));
  return kind.ledPlaces[number];
}

function placeOf(kind, name) {
  const size = reach(kind.body);
  const color = colorOf(name);
  if (name === "body") return { x: 0, y: 0, radius: 0.86 * size, color, ring: true };
  if (name === "front") return { x: 0.95 * boundary(kind.body, 0), y: 0, radius: 0.14 * size, color };
  const numbers = kind.leds.map(numberOf).filter((number) => number >= 0);
  const ring = [...new Set(numbers)].sort((a, b) => a - b); // the colours of one LED share a position
  const place = ring.indexOf(numberOf(name));
  const angle = place < 0 ? Math.PI : (-2 * Math.PI * place) / ring.length;
  const away = 0.82 * boundary(kind.body, angle);
  return { x: away * Math.cos(angle), y: away * Math.sin(angle), radius: 0.11 * size, color };
}

/** The number at the end of an LED's name, which a colour may follow: `led3`, `led3_blue`; -1 without. */
function numberOf(name) {
  const found = /(\d+)(_[a-z]+)?$/i.exec(name);
  return found ? Number(found[1]) : -1;
}

/** Colour from the name of an LED: `body`, `led3_blue`; red without a colour in the name. */
function colorOf(name) {
  const words = name.toLowerCase().split(/[^a-z]+/);
  return LED_COLORS[words.find((word) => Object.hasOwn(LED_COLORS, word)) ?? "red"];
}

function drawLeds(context, view, kind, states, i) {
  if (!kind.leds || reach(kind.body) * view.scale < 8) return;
  const lit = new Map(); // by position: LEDs of several colours at one position are mixed
  for (let led = 0; led < kind.leds.length; led++) {
    if (!states.lit(i, led)) continue;
    const { x, y, radius, color, ring } = ledPlace(kind, led);
    const key = `${x} ${y} ${radius}`;
    lit.set(key, { x, y, radius, ring, color: lit.has(key) ? brighter(lit.get(key).color, color) : color });
  }
  if (!lit.size) return;
  view.useRobot(context, states.x[i], states.y[i], states.heading[i]);
  for (const { x, y, radius, ring, color } of lit.values()) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (ring) {
      context.strokeStyle = tint(color, 0.85);
      context.lineWidth = 0.16 * radius;
      context.stroke();
      continue;
    }
    context.fillStyle = color;
    context.fill();
    context.beginPath();
    context.arc(x, y, 2.1 * radius, 0, 2 * Math.PI);
    context.fillStyle = tint(color, 0.28);
    context.fill();
  }
}
