// Tells whether a robot would overlap a wall, an obstacle or another robot at a pose. The server decides; this is a preview.

const DISC_CORNERS = 28;

/** Whether robot i of a session fits at {x, y, heading}. */
export function isFree(session, i, pose) {
  const { robots, kinds, states, scene } = session;
  const body = (k) => kinds[robots[k].kind].body;
  const outline = placed(body(i), pose);
  const [x0, y0, x1, y1] = scene.bounds;
  if (outline.some(([x, y]) => x < x0 || x > x1 || y < y0 || y > y1)) return false;
  const others = robots.map((_, k) => k).filter((k) => k !== i);
  return !(
    scene.solids.some((solid) => overlaps(outline, outlineOf(solid))) ||
    others.some((k) => overlaps(outline, placed(body(k), { x: states.x[k], y: states.y[k], heading: states.heading[k] })))
  );
}

/** Corners of a solid of a scene; a disc becomes a polygon. */
export function outlineOf({ corners, radius }) {
  return radius ? disc(...corners[0], radius) : corners;
}

function disc(x, y, radius) {
  return Array.from({ length: DISC_CORNERS }, (_, i) => {
    const angle = (2 * Math.PI * i) / DISC_CORNERS;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** Outline of a body at a pose. */
function placed(body, { x, y, heading }) {
  if (!body.outline) return disc(x, y, body.radius);
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  return body.outline.map(([u, v]) => [x + c * u - s * v, y + s * u + c * v]);
}

/** Whether two polygons overlap. */
function overlaps(a, b) {
  const [p, q] = [box(a), box(b)];
  if (p[0] > q[2] || q[0] > p[2] || p[1] > q[3] || q[1] > p[3]) return false;
  return contains(a, b[0]) || contains(b, a[0]) || edges(a).some((one) => edges(b).some((other) => cross(one, other)));
}

function box(polygon) {
  const [xs, ys] = [polygon.map(([x]) => x), polygon.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function edges(polygon) {
  return polygon.map((corner, i) => [corner, polygon[(i + 1) % polygon.length]]);
}

function contains(polygon, [x, y]) {
  const crosses = ([[x0, y0], [x1, y1]]) => y0 > y !== y1 > y && x < x0 + ((x1 - x0) * (y - y0)) / (y1 - y0);
  return edges(polygon).filter(crosses).length % 2 === 1;
}

function cross([a, b], [c, d]) {
  const side = ([px, py], [qx, qy], [rx, ry]) => (qx - px) * (ry - py) - (qy - py) * (rx - px) > 0;
  return side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
}
