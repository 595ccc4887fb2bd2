// Draws the pose estimate of a robot's program: particles, the 95 % confidence ellipse, and the heading.

import { PALETTE, tint } from "./paint.js";

const LEAST = 4; // minimum half axis in pixels, so that small ellipses are visible
const DOT = 1.3; // radius of a particle in pixels
const ARROW = 14; // pixels
const COLOR = PALETTE.lines[5];

/** Draw an estimate `{pose, ellipse, particles}` of a `sensed`. */
export function drawEstimate(context, view, { pose, ellipse, particles }) {
  view.usePixels(context);
  context.beginPath();
  for (let i = 0; i + 1 < particles.length; i += 2) {
    const [px, py] = view.pixels(particles[i], particles[i + 1]);
    context.moveTo(px + DOT, py);
    context.arc(px, py, DOT, 0, 2 * Math.PI);
  }
  context.fillStyle = tint(COLOR, 0.45);
  context.fill();
  const [x, y, heading] = pose;
  const [px, py] = view.pixels(x, y);
  const [major, minor, direction] = ellipse;
  const [a, b] = [major, minor].map((axis) => Math.max(LEAST, axis * view.scale));
  context.beginPath();
  context.ellipse(px, py, a, b, -direction, 0, 2 * Math.PI); // y pixels count downwards
  context.fillStyle = tint(COLOR, 0.12);
  context.fill();
  context.moveTo(px, py);
  context.lineTo(px + ARROW * Math.cos(heading), py - ARROW * Math.sin(heading));
  context.strokeStyle = COLOR;
  context.lineWidth = 1.8;
  context.stroke();
}
