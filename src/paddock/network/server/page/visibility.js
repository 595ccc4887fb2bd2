// Visibility polygons: the range of a sensor up to walls and obstacles, as in Paddock's pictures.

const STEP = Math.PI / 90; // maximum angle between two rays of a rim [rad]
const OFFSET = 1e-4; // [rad] offset of additional rays next to a corner

export class Visibility {
  #edges = []; // [x0, y0, x1, y1, height]
  #discs = []; // [x, y, radius, height]

  /** Take over the solids of a scene. */
  adopt(solids) {
    this.#edges = [];
    this.#discs = [];
    for (const { corners, radius, height } of solids) {
      if (radius) this.#discs.push([...corners[0], radius, height]);
      else corners.forEach((corner, i) => this.#edges.push([...corner, ...corners[(i + 1) % corners.length], height]));
    }
  }

  /**
   * Visible area from (x, y, z) between two directions [rad], at most `far` metres away,
   * as a list of [direction, distance], from the first direction to the last.
   */
  rim(x, y, z, from, to, far) {
    const edges = this.#edges.filter((edge) => edge[4] > z && distanceToEdge(x, y, edge) < far);
    const isNear = ([cx, cy, radius]) => Math.hypot(cx - x, cy - y) < far + radius;
    const discs = this.#discs.filter((disc) => disc[3] > z && isNear(disc));
    const count = Math.max(2, Math.ceil((to - from) / STEP));
    const directions = Array.from({ length: count + 1 }, (_, i) => from + ((to - from) * i) / count);
    const addDirection = (angle) => {
      const turned = from + ((((angle - from) % TURN) + TURN) % TURN);
      directions.push(...[turned - OFFSET, turned + OFFSET].filter((direction) => direction > from && direction < to));
    };
    for (const [ax, ay] of edges) addDirection(Math.atan2(ay - y, ax - x));
    for (const [cx, cy, radius] of discs) {
      const half = Math.asin(Math.min(1, radius / Math.hypot(cx - x, cy - y)));
      for (const side of [-half, half]) addDirection(Math.atan2(cy - y, cx - x) + side);
    }
    directions.sort((a, b) => a - b);
    return directions.map((angle) => [angle, distance(x, y, angle, edges, discs, far)]);
  }
}

const TURN = 2 * Math.PI;

/** Distance [m] to the nearest edge or disc in a direction; `far` without a hit. */
function distance(x, y, angle, edges, discs, far) {
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
  let least = far;
  for (const [x0, y0, x1, y1] of edges) {
    const [ax, ay, ex, ey] = [x0 - x, y0 - y, x1 - x0, y1 - y0];
    const cross = dx * ey - dy * ex;
    if (cross === 0) continue;
    const along = (ax * ey - ay * ex) / cross;
    const share = (ax * dy - ay * dx) / cross;
    if (along >= 0 && along < least && share >= 0 && share <= 1) least = along;
  }
  for (const [cx, cy, radius] of discs) {
    const middle = (cx - x) * dx + (cy - y) * dy;
    const inside = radius ** 2 - ((cx - x) ** 2 + (cy - y) ** 2 - middle ** 2);
    if (inside <= 0) continue;
    const entry = middle - Math.sqrt(inside);
    if (entry >= 0 && entry < least) least = entry;
  }
  return least;
}

function distanceToEdge(x, y, [x0, y0, x1, y1]) {
  const [ex, ey] = [x1 - x0, y1 - y0];
  const long = ex * ex + ey * ey;
  const share = long ? Math.min(1, Math.max(0, ((x - x0) * ex + (y - y0) * ey) / long)) : 0;
  return Math.hypot(x0 + share * ex - x, y0 + share * ey - y);
}
