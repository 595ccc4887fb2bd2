// Draws the current sensor readings around a robot: beams, cones, scans, the camera's view, ground spots.

import { boundary } from "./bodies.js";
import { beamAngle, devicesOf, radians } from "./devices.js";
import { tint } from "./paint.js";

const LONGEST_VIEW = 1.5; // maximum length of a camera's view in the drawing [m]
const LARGEST_SHARE = 0.3; // … as a fraction of the world
const HIT = 0.995; // fraction of the range; larger distances are not hits

/** Drawing functions by kind of rays; `chosen`: only for the selected robot, `blind`: also without readings. */
const RAYS = {
  beams: { draw: drawBeams },
  cones: { draw: drawCones },
  scan: { draw: drawScan },
  field: { draw: drawView, chosen: true, blind: true },
  points: { draw: drawSpots, chosen: true },
  edges: { draw: drawEdges },
};

/**
 * Draw a robot's rays. `seen` is its last `sensed`; `strength` is 1 for the selected robot, less for others;
 * `pointed` is the {device, channel} under the pointer in the monitor.
 */
export function drawRays(context, view, kind, pose, seen, { strength, bounds, visibility, pointed }) {
  const [x0, y0, x1, y1] = bounds;
  const far = Math.min(LONGEST_VIEW, LARGEST_SHARE * Math.max(x1 - x0, y1 - y0));
  const scene = { pose, visibility, far, body: kind.body, pixel: 1 / view.scale, strength };
  context.save();
  view.useMetres(context);
  context.beginPath();
  context.rect(x0, y0, x1 - x0, y1 - y0);
  context.clip();
  view.useRobot(context, pose.x, pose.y, pose.heading);
  for (const device of devicesOf(kind)) {
    const values = seen.readings[device.name];
    const pan = seen.pans[device.name] ?? 0;
    const rays = RAYS[device.rays];
    context.lineCap = "round";
    const isDrawn = rays && (values || rays.blind) && (strength === 1 || !rays.chosen);
    if (isDrawn) rays.draw(context, device, values, pan, scene);
    if (pointed?.device !== device.name || !values) continue;
    drawPointed(context, device, values, pan, scene.pixel, pointed.channel);
  }
  context.restore();
}

function drawBeams(context, { mounts, range, opening, color }, values, pan, scene) {
  const { pixel, strength } = scene;
  const half = Math.max(opening / 2, 0.5 * pixel / range);
  context.beginPath();
  for (const mount of mounts) tracePolygon(context, mount, visibleRim(mount, pan, half, range, scene));
  context.fillStyle = tint(color, 0.1 * strength);
  context.fill();
  for (const hits of [false, true]) {
    context.beginPath();
    mounts.forEach(([x, y, , heading], i) => {
      if (values[i] < HIT * range !== hits) return;
      const angle = radians(heading) + pan;
      context.moveTo(x, y);
      context.lineTo(x + values[i] * Math.cos(angle), y + values[i] * Math.sin(angle));
    });
    context.strokeStyle = tint(color, (hits ? 0.95 : 0.4) * strength);
    context.lineWidth = (hits ? 2.2 : 1.1) * pixel;
    context.stroke();
  }
  context.beginPath();
  mounts.forEach(([x, y, , heading], i) => {
    if (values[i] >= HIT * range) return;
    const angle = radians(heading) + pan;
    dot(context, x + values[i] * Math.cos(angle), y + values[i] * Math.sin(angle), 2.6 * pixel);
  });
  context.fillStyle = tint(color, strength);
  context.fill();
}

function drawCones(context, { mounts, range, opening, color }, values, pan, scene) {
  const { pixel, strength } = scene;
  const cones = mounts.map((mount, i) => {
    return { mount, far: values[i], rim: visibleRim(mount, pan, opening / 2, values[i], scene) };
  });
  context.beginPath();
  for (const { mount, rim } of cones) tracePolygon(context, mount, rim);
  context.fillStyle = tint(color, 0.13 * strength);
  context.fill();
  for (const hits of [false, true]) {
    context.beginPath();
    for (const { far, rim } of cones) if (far < HIT * range === hits) traceArc(context, rim, far);
    context.strokeStyle = tint(color, (hits ? 0.95 : 0.3) * strength);
    context.lineWidth = (hits ? 2.2 : 1) * pixel;
    context.stroke();
  }
}

function drawScan(context, device, values, pan, { pixel, strength }) {
  const [x, y, , heading] = device.mounts[0];
  const first = radians(heading) + pan;
  context.beginPath();
  context.moveTo(x, y);
  for (let i = 0; i < values.length; i++) {
    const angle = first + beamAngle(device, i);
    context.lineTo(x + values[i] * Math.cos(angle), y + values[i] * Math.sin(angle));
  }
  context.closePath();
  context.fillStyle = tint(device.color, 0.09 * strength);
  context.fill();
  context.strokeStyle = tint(device.color, 0.35 * strength);
  context.lineWidth = pixel;
  context.stroke();
  context.beginPath();
  for (let i = 0; i < values.length; i++) {
    if (values[i] >= HIT * device.range) continue;
    const angle = first + beamAngle(device, i);
    dot(context, x + values[i] * Math.cos(angle), y + values[i] * Math.sin(angle), 1.3 * pixel);
  }
  context.fillStyle = tint(device.color, 0.9 * strength);
  context.fill();
}

/** Draw the visible area of a camera, up to the walls. */
function drawView(context, { mounts, range, opening, color }, values, pan, scene) {
  const far = Math.min(range, scene.far);
  for (const mount of mounts) {
    const [x, y] = mount;
    const fade = context.createRadialGradient(x, y, 0, x, y, far);
    fade.addColorStop(0, tint(color, 0.3));
    fade.addColorStop(1, tint(color, 0));
    context.beginPath();
    tracePolygon(context, mount, visibleRim(mount, pan, opening / 2, far, scene));
    context.fillStyle = context.strokeStyle = fade;
    context.fill();
    context.lineWidth = scene.pixel;
    context.stroke();
  }
}

function drawSpots(context, { mounts }, values, pan, { pixel }) {
  mounts.forEach(([x, y], i) => {
    const grey = Math.round(255 * Math.min(1, Math.max(0, values[i])));
    context.beginPath();
    dot(context, x, y, 3 * pixel);
    context.fillStyle = `rgb(${grey},${grey},${grey})`;
    context.fill();
    context.strokeStyle = grey > 120 ? "rgba(20,24,32,0.8)" : "rgba(255,255,255,0.9)";
    context.lineWidth = pixel;
    context.stroke();
  });
}

/** Draw pressed bumpers along the outline. */
function drawEdges(context, { mounts, opening, color }, values, pan, { body, pixel }) {
  const half = opening / 2;
  mounts.forEach(([, , , heading], i) => {
    if (values[i] < 0.5) return;
    context.beginPath();
    for (let k = -6; k <= 6; k++) {
      const angle = radians(heading) + (half * k) / 6;
      const away = boundary(body, angle) + 3 * pixel;
      context.lineTo(away * Math.cos(angle), away * Math.sin(angle));
    }
    context.strokeStyle = color;
    context.lineWidth = 4 * pixel;
    context.stroke();
  });
}

function drawPointed(context, device, values, pan, pixel, channel) {
  const [x, y, , heading] = device.mounts[channel] ?? device.mounts[0];
  const angle = radians(heading) + pan + (device.rays === "scan" ? beamAngle(device, channel) : 0);
  const long = device.measuresDistance ? values[channel] : 0;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + long * Math.cos(angle), y + long * Math.sin(angle));
  context.strokeStyle = device.color;
  context.lineWidth = 4 * pixel;
  context.stroke();
  context.beginPath();
  dot(context, x, y, 5 * pixel);
  context.fillStyle = device.color;
  context.fill();
}

/** Rim of the visible part of a sector: points [x, y, distance] in the robot's frame. */
function visibleRim([x, y, z, heading], pan, half, far, { pose, visibility }) {
  const [c, s] = [Math.cos(pose.heading), Math.sin(pose.heading)];
  const [ex, ey] = [pose.x + c * x - s * y, pose.y + s * x + c * y];
  const middle = radians(heading) + pan + pose.heading;
  return visibility.rim(ex, ey, z, middle - half, middle + half, far).map(([angle, away]) => {
    return [x + away * Math.cos(angle - pose.heading), y + away * Math.sin(angle - pose.heading), away];
  });
}

function tracePolygon(context, [x, y], rim) {
  context.moveTo(x, y);
  for (const [px, py] of rim) context.lineTo(px, py);
  context.closePath();
}

/** Trace the parts of a rim that are not occluded. */
function traceArc(context, rim, far) {
  let isOpen = false;
  for (const [px, py, away] of rim) {
    const isFree = away >= 0.99 * far;
    if (isFree && isOpen) context.lineTo(px, py);
    else if (isFree) context.moveTo(px, py);
    isOpen = isFree;
  }
}

function dot(context, x, y, radius) {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}
