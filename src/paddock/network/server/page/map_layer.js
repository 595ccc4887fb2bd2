// Draws a map: cells between floor and trails; frontiers, plan, scan and goal below the robots.

import { devicesOf } from "./devices.js";
import { PALETTE, tint } from "./paint.js";
import { picturesOf, veil } from "./maps.js";

export const FRONTIER = PALETTE.lines[2];
export const PLAN = PALETTE.lines[5];
const SEEN_BY = ["scan", "cones", "beams"]; // rays of the sensors that are used for mapping, the best first
const DOT = 2; // radius of a scan point in pixels
const LARGE_DOT = 4.5; // … of the centre of a frontier

/** Colour of the sensor that a robot most likely uses for mapping. */
export function scanColor(kind) {
  const devices = kind ? devicesOf(kind) : [];
  const best = SEEN_BY.map((rays) => devices.find((device) => device.rays === rays)).find(Boolean);
  return best?.color ?? PALETTE.lines[0];
}

/** Cover the world except for known cells, and draw these. */
export function drawCells(context, view, map, bounds, theme) {
  const { x, y, resolution, rows, columns } = map.grid;
  const [x0, y0, x1, y1] = bounds;
  view.useMetres(context);
  context.fillStyle = veil(theme);
  context.fillRect(x0, y0, x1 - x0, y1 - y0);
  if (!rows || !columns) return;
  const { known, colors } = picturesOf(map, theme);
  const place = [x, y, columns * resolution, rows * resolution];
  context.imageSmoothingEnabled = false;
  context.globalCompositeOperation = "destination-out";
  context.drawImage(known, ...place);
  context.globalCompositeOperation = "source-over";
  context.drawImage(colors, ...place);
}

/** Draw scan, frontiers, plan and goal; `shows` selects the parts. */
export function drawMapParts(context, view, map, kind, shows) {
  view.usePixels(context);
  if (shows.scan) drawDots(context, view, map.scan, DOT, scanColor(kind));
  if (shows.frontiers) drawDots(context, view, map.frontiers, LARGE_DOT, FRONTIER, "#ffffff");
  if (!shows.plan) return;
  drawPlan(context, view, map.plan);
  if (map.goal.length) drawGoal(context, ...view.pixels(map.goal[0], map.goal[1]));
}

function drawDots(context, view, points, radius, color, edge) {
  context.beginPath();
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [px, py] = view.pixels(points[i], points[i + 1]);
    context.moveTo(px + radius, py);
    context.arc(px, py, radius, 0, 2 * Math.PI);
  }
  context.fillStyle = color;
  context.fill();
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = 1.5;
  context.stroke();
}

function drawPlan(context, view, plan) {
  context.beginPath();
  for (let i = 0; i + 1 < plan.length; i += 2) context.lineTo(...view.pixels(plan[i], plan[i + 1]));
  context.lineJoin = context.lineCap = "round";
  context.strokeStyle = tint("#ffffff", 0.75);
  context.lineWidth = 5;
  context.stroke();
  context.strokeStyle = PLAN;
  context.lineWidth = 2.5;
  context.stroke();
}

/** Draw a ring with a cross, visible on any background. */
function drawGoal(context, px, py) {
  for (const [color, width] of [["#ffffff", 5], [PLAN, 2.2]]) {
    context.beginPath();
    context.arc(px, py, 8, 0, 2 * Math.PI);
    context.moveTo(px - 12, py);
    context.lineTo(px + 12, py);
    context.moveTo(px, py - 12);
    context.lineTo(px, py + 12);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }
}
