// Marks on the selected robot: a ring, the handle that turns it, and the preview of a robot that is being moved.

import { isFree } from "./overlap.js";

/** Draw the ring around robot i, and its handle if the user may turn it. */
export function drawSelection(arena, i) {
  const { context, view, session, theme } = arena;
  const [px, py] = view.pixels(session.states.x[i], session.states.y[i]);
  view.usePixels(context);
  context.beginPath();
  context.arc(px, py, arena.radius(i) + 5, 0, 2 * Math.PI);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2.5;
  context.stroke();
  if (!arena.canTurn || arena.ghost) return;
  const [hx, hy] = arena.handle(i);
  context.beginPath();
  context.moveTo(px, py);
  context.lineTo(hx, hy);
  context.lineWidth = 1.5;
  context.stroke();
  context.beginPath();
  context.arc(hx, hy, 6, 0, 2 * Math.PI);
  context.fillStyle = theme.panel;
  context.fill();
  context.lineWidth = 2.5;
  context.stroke();
}

/** Draw the target pose of a robot that is being moved, and a line from its current pose; red and crossed out if it does not fit. */
export function drawGhost(arena) {
  const { context, view, session, ghost, theme, bodies } = arena;
  ghost.fits = isFree(session, ghost.i, ghost);
  const [fx, fy] = view.pixels(session.states.x[ghost.i], session.states.y[ghost.i]);
  const [tx, ty] = view.pixels(ghost.x, ghost.y);
  view.usePixels(context);
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(fx, fy);
  context.lineTo(tx, ty);
  context.strokeStyle = ghost.fits ? theme.accent : theme.bad;
  context.lineWidth = ghost.fits ? 1.5 : 2.5;
  context.stroke();
  const radius = arena.radius(ghost.i) + 5;
  context.beginPath();
  context.arc(tx, ty, radius, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  bodies.drawGhost(context, view, session.robots[ghost.i], session.kinds, ghost);
  if (ghost.fits) return;
  const away = radius * Math.SQRT1_2;
  view.usePixels(context);
  context.beginPath();
  context.moveTo(tx - away, ty - away);
  context.lineTo(tx + away, ty + away);
  context.moveTo(tx + away, ty - away);
  context.lineTo(tx - away, ty + away);
  context.stroke();
}
