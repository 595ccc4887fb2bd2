// The maps of robots' own programs: cells as pictures, and the points that programs plan by.

import { blend, tint } from "./paint.js";

const UNKNOWN = 255;
const MOST_CELLS = 2 ** 26; // larger maps are not shown

export class Maps {
  maps = new Map(); // robot → {grid, picture, frontiers, plan, scan, goal, task, refusal}
  version = 0; // rises with every change of cells

  constructor(session) {
    this.session = session;
    session.on("map", (robot, news) => this.#receive(robot, news));
    session.on("connection", ({ state }) => state === "live" && this.#forget());
    session.on("robots", () => {
      for (const robot of this.maps.keys()) if (!session.index.has(robot)) this.maps.delete(robot);
      session.emit("maps");
    });
  }

  /** The chosen robot's map, or the only one that there is. */
  get current() {
    const { selected } = this.session;
    if (this.maps.has(selected)) return this.maps.get(selected);
    return !selected && this.maps.size === 1 ? [...this.maps.values()][0] : null;
  }

  #forget() {
    this.maps.clear();
    this.version++;
    this.session.emit("maps");
  }

  async #receive(robot, { gone, grid, ...shown }) {
    if (gone) {
      this.maps.delete(robot);
      this.version++;
    } else {
      const known = this.maps.get(robot);
      if (shown.refusal && shown.refusal !== known?.refusal) {
        this.session.emit("notice", `${robot}: ${shown.refusal}`, "refused");
      }
      const map = known ?? { robot, latest: -1 };
      this.maps.set(robot, Object.assign(map, shown));
      if (grid) await this.#adopt(map, grid);
    }
    this.session.emit("maps");
  }

  async #adopt(map, grid) {
    map.latest = grid.version;
    const cells = await inflate(grid.cells, grid.rows * grid.columns);
    if (!cells || map.latest !== grid.version) return; // a newer one is on its way
    map.grid = { ...grid, cells };
    map.picture = null;
    this.version++;
  }
}

/** The bytes in a zlib stream, if there are just so many; else null. */
async function inflate(bytes, count) {
  if (!(count <= MOST_CELLS)) return null;
  const out = new Uint8Array(count);
  let at = 0;
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return at === count ? out : null;
      out.set(value, at); // more than fits is refused
      at += value.length;
    }
  } catch {
    return null;
  }
}

/** A map's cells as a canvas, a pixel for each; its first row is the lowest. */
export function pictureOf(map, theme) {
  if (map.picture && map.theme === theme) return map.picture;
  const { rows, columns, cells } = map.grid;
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [columns, rows];
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const colors = colorTable(theme);
  for (let i = 0; i < cells.length; i++) pixels[i] = colors[cells[i]];
  picture.getContext("2d").putImageData(image, 0, 0);
  return Object.assign(map, { picture, theme }).picture;
}

/** What covers what a robot's program knows nothing of. */
export function veil(theme) {
  return theme.dark ? "rgba(10,13,18,0.62)" : "rgba(70,78,92,0.42)";
}

/** Colours of cells as a canvas has them in memory: free ones let the floor shine through, occupied ones are ink. */
function colorTable(theme) {
  const brush = new OffscreenCanvas(UNKNOWN + 1, 1).getContext("2d", { willReadFrequently: true });
  const paint = (cell, color) => {
    brush.fillStyle = color;
    brush.fillRect(cell, 0, 1, 1);
  };
  for (let cell = 0; cell <= 100; cell++) {
    const sure = Math.abs(cell - 50) / 50;
    paint(cell, veil(theme));
    brush.clearRect(cell, 0, 1, 1);
    brush.globalAlpha = 1 - sure;
    paint(cell, veil(theme));
    brush.globalAlpha = 1;
    if (cell > 50) paint(cell, tint(theme.dark ? "#9fd0ff" : "#10294a", 0.92 * sure));
    else paint(cell, tint(blend(theme.paper, "#ffffff", theme.dark ? 0.35 : 1), 0.3 * sure));
  }
  paint(UNKNOWN, veil(theme));
  return new Uint32Array(brush.getImageData(0, 0, UNKNOWN + 1, 1).data.buffer);
}
