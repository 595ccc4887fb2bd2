// Small symbols on the floor, in pixels: lamps, sounds, start poses; and texts readable on any background.

import { PALETTE, blend, tint } from "./paint.js";

const START_RADIUS = 12; // pixels
export const START_NAME = START_RADIUS + 9; // pixels between a start and its name above it

export function drawLamp(context, x, y, color = "#fff2cc") {
  context.strokeStyle = blend(color, PALETTE.lamp_edge, 0.6);
  context.lineWidth = 1.6;
  context.beginPath();
  for (let i = 0; i < 8; i++) {
    const angle = (Math.PI * i) / 4;
    context.moveTo(x + 9 * Math.cos(angle), y + 9 * Math.sin(angle));
    context.lineTo(x + 13 * Math.cos(angle), y + 13 * Math.sin(angle));
  }
  context.stroke();
  context.beginPath();
  context.arc(x, y, 6.5, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.stroke();
}

export function drawSound(context, x, y) {
  for (const [radius, alpha] of [[2.5, 1], [6.5, 0.7], [10, 0.45], [13.5, 0.25]]) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = tint(PALETTE.sound, alpha);
    context.lineWidth = 1.5;
    context.stroke();
  }
}

export function drawStart(context, x, y, heading, name) {
  const radius = START_RADIUS;
  context.save();
  context.strokeStyle = tint(PALETTE.start_pose, 0.8);
  context.lineWidth = 1.4;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  context.translate(x, y);
  context.rotate(-heading);
  context.beginPath();
  context.moveTo(-5, 0);
  context.lineTo(radius, 0);
  context.moveTo(radius - 5, -4);
  context.lineTo(radius, 0);
  context.lineTo(radius - 5, 4);
  context.stroke();
  context.restore();
  drawText(context, name, x, y - START_NAME, PALETTE.start_pose);
}

/** Draw a centred text with a halo. */
export function drawText(context, text, x, y, color = PALETTE.ink, weight = 500, size = 12) {
  context.font = `${weight} ${size}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = size / 4;
  context.strokeStyle = "rgba(250,250,248,0.85)";
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}
