// Legend of a map: the meaning of its colours, a switch for each part, and the task of the robot's program.

import { make } from "./dom.js";
import { loadSetting, storeSetting } from "./storage.js";
import { FRONTIER, PLAN, scanColor } from "./map_layer.js";

const PARTS = {
  map: { label: "map", title: "Map of the robot's program: light is free, dark is occupied, grey is unknown" },
  frontiers: { label: "frontiers", title: "Boundaries between known and unknown space", color: () => FRONTIER },
  plan: { label: "plan", title: "The planned path and its goal", color: () => PLAN },
  scan: { label: "scan", title: "Hits of the last scan of its laser (blue) or sonars (red), in the map", color: scanColor },
  pose: { label: "pose", title: "Estimated pose: 95 % ellipse and particles", color: () => PLAN },
};

/** Visible parts of maps; initially all. */
export function shownParts() {
  return Object.fromEntries(Object.keys(PARTS).map((part) => [part, loadSetting(`map.${part}`, true)]));
}

export function mapLegend(session, maps, arena, { panel, task }) {
  const buttons = Object.entries(PARTS).map(([part, { label, title, color }]) => {
    const swatch = make("span", `swatch ${part}`);
    const button = make("button", "", { type: "button", title, dataset: { testid: `map-${part}` } }, swatch, label);
    button.addEventListener("click", () => turn(part));
    panel.querySelector(".parts").append(button);
    return { part, button, swatch, color };
  });

  function turn(part) {
    arena.parts[part] = !arena.parts[part];
    storeSetting(`map.${part}`, arena.parts[part]);
    show();
    arena.requestDraw();
  }

  function show() {
    const map = maps.current;
    panel.hidden = !map;
    if (!map) return;
    const kind = session.kindOf(session.robot(map.robot));
    for (const { part, button, swatch, color } of buttons) {
      button.setAttribute("aria-pressed", arena.parts[part]);
      if (color) swatch.style.setProperty("--color", color(kind));
    }
    task.textContent = map.task;
    task.title = map.task;
    task.hidden = !map.task;
  }
  session.on("maps", show);
  session.on("select", show);
  show();
  return () => turn("map");
}
