// Maps of robots' programs: cells as pictures, and the points of their plans.

import { tint } from "./paint.js";

const UNKNOWN = 255;
const LIGHT = { free: "#ffffff", occupied: "#10294a" };
const DARK = { free: "#6d7683", occupied: "#b9dcff" };
const MAX_CELLS = 2 ** 26; // larger maps are not shown

export class Maps {
  maps = new Map(); // robot → {grid, frontiers, plan, scan, goal, task, refusal, modules}
  version = 0; // increases with every change of cells

  constructor(session) {
    this.session = session;
    session.on("map", (robot, news) => this.#receive(robot, news));
    session.on("connection", ({ state }) => state === "live" && this.#clear());
    session.on("robots", () => {
      for (const robot of this.maps.keys()) if (!session.index.has(robot)) this.maps.delete(robot);
      session.emit("maps");
    });
  }

  /** Map of the selected robot; without a selection, the only map. */
  get current() {
    const { selected } = this.session;
    if (this.maps.has(selected)) return this.maps.get(selected);
    return !selected && this.maps.size === 1 ? [...this.maps.values()][0] : null;
  }

  #clear() {
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
    if (!cells || map.latest !== grid.version) return; // a newer grid is being decoded
    map.grid = { ...grid, cells };
    map.pictures = null;
    this.version++;
  }
}

/** Inflate a zlib stream of exactly `count` bytes; null if its size differs. */
async function inflate(bytes, count) {
  if (!(count <= MAX_CELLS)) return null;
  const out = new Uint8Array(count);
  let at = 0;
  try {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return at === count ? out : null;
      out.set(value, at); // throws if the stream is too long
      at += value.length;
    }
  } catch {
    return null;
  }
}

/** Cells of a map as canvases, one pixel per cell, lowest row first: `known` cuts the cover, `colors` go on top. */
export function picturesOf(map, theme) {
  if (!map.pictures || map.theme !== theme) {
    const tables = colorTables(theme);
    map.pictures = { known: paintCells(map.grid, tables.known), colors: paintCells(map.grid, tables.colors) };
    map.theme = theme;
  }
  return map.pictures;
}

/** Colour of the cover over unknown space. */
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

/** Colours of cells in the memory layout of a canvas: free cells are translucent, occupied ones nearly opaque. */
function colorTables(theme) {
  const { free, occupied } = theme.dark ? DARK : LIGHT;
  const known = tableOf((sure) => tint("#000000", sure));
  const colors = tableOf((sure, isFree) => (isFree ? tint(free, 0.3 * sure) : tint(occupied, 0.92 * sure)));
  return { known, colors };
}

/** Colour of every cell value by `paint(sure, isFree)`, with `sure` from 0 (unknown) to 1. */
function tableOf(paint) {
  const brush = new OffscreenCanvas(UNKNOWN + 1, 1).getContext("2d", { willReadFrequently: true });
  for (let cell = 0; cell <= 100; cell++) {
    brush.fillStyle = paint(Math.abs(cell - 50) / 50, cell < 50);
    brush.fillRect(cell, 0, 1, 1);
  }
  return new Uint32Array(brush.getImageData(0, 0, UNKNOWN + 1, 1).data.buffer);
}
