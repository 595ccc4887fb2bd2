// The maps of robots' own programs: cells as pictures, and the points that programs plan by.

import { tint } from "./paint.js";

const UNKNOWN = 255;
const LIGHT = { free: "#ffffff", occupied: "#10294a" };
const DARK = { free: "#6d7683", occupied: "#b9dcff" };
const MOST_CELLS = 2 ** 26; // larger maps are not shown

export class Maps {
  maps = new Map(); // robot → {grid, frontiers, plan, scan, goal, task, refusal, modules}
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

  async #receive(robot, news) {
    if (!news) {
      this.maps.delete(robot);
      this.version++;
    } else {
      const { grid, ...shown } = news;
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
    map.pictures = null;
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

/** A map's cells as canvases, a pixel for each, the first row the lowest: `known` hides the veil, `colors` go on top. */
export function picturesOf(map, theme) {
  if (!map.pictures || map.theme !== theme) {
    const tables = colorTables(theme);
    map.pictures = { known: paintCells(map.grid, tables.known), colors: paintCells(map.grid, tables.colors) };
    map.theme = theme;
  }
  return map.pictures;
}

/** What covers what a robot's program knows nothing of. */
export function veil(theme) {
  return theme.dark ? "rgba(8,10,14,0.6)" : "rgba(70,78,92,0.42)";
}

function paintCells({ rows, columns, cells }, table) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [columns, rows];
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < cells.length; i++) pixels[i] = table[cells[i]];
  picture.getContext("2d").putImageData(image, 0, 0);
  return picture;
}

/** Colours of cells as a canvas has them in memory: free ones let the floor shine through, occupied ones are ink. */
function colorTables(theme) {
  const { free, occupied } = theme.dark ? DARK : LIGHT;
  const known = tableOf((sure) => tint("#000000", sure));
  const colors = tableOf((sure, isFree) => (isFree ? tint(free, 0.3 * sure) : tint(occupied, 0.92 * sure)));
  return { known, colors };
}

/** A number for every value of a cell: how `paint(sure, isFree)` looks, `sure` from 0 (nobody knows) to 1. */
function tableOf(paint) {
  const brush = new OffscreenCanvas(UNKNOWN + 1, 1).getContext("2d", { willReadFrequently: true });
  for (let cell = 0; cell <= 100; cell++) {
    brush.fillStyle = paint(Math.abs(cell - 50) / 50, cell < 50);
    brush.fillRect(cell, 0, 1, 1);
  }
  return new Uint32Array(brush.getImageData(0, 0, UNKNOWN + 1, 1).data.buffer);
}
