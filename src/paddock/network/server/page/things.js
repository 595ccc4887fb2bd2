// Draws the things that robots push, at their poses in the newest frames.

import { outlineOf } from "./overlap.js";
import { blend } from "./paint.js";

export function drawThings(context, view, session) {
  const { scene, states } = session;
  const things = scene.things ?? [];
  if (states.things.length !== 3 * things.length) return; // the matching scene has not arrived yet
  for (const [k, thing] of things.entries()) {
    const [x, y, heading] = states.things.subarray(3 * k, 3 * k + 3);
    view.useRobot(context, x, y, heading);
    context.beginPath();
    for (const corner of outlineOf(thing)) context.lineTo(...corner);
    context.closePath();
    context.fillStyle = thing.color;
    context.fill();
    context.strokeStyle = blend(thing.color, "#000000", 0.45);
    context.lineWidth = 1.2 / view.scale;
    context.stroke();
  }
}
