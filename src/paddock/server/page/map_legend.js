// The legend of a map: what its colours mean, a switch for each part, and what the robot's program says that it does.

import { recall, remember } from "./storage.js";
import { FRONTIER, PLAN, scanColor } from "./map_layer.js";

const PARTS = {
  map: { says: "map", title: "What the robot's program knows: light is free, dark is occupied, grey is unknown" },
  frontiers: { says: "frontiers", title: "Between what is known and what is not", color: () => FRONTIER },
  plan: { says: "plan", title: "The way that it drives, and its goal", color: () => PLAN },
  scan: { says: "scan", title: "What its laser (blue) or its sonars (red) met last, as the map has it", color: scanColor },
  pose: { says: "pose", title: "Where it takes itself to be: 95 % ellipse and particles", color: () => PLAN },
};

/** Which parts of maps are shown; all at first. */
export function shownParts() {
  return Object.fromEntries(Object.keys(PARTS).map((part) => [part, recall(`map.${part}`, true)]));
}

export function mapLegend(session, maps, arena, { panel, task }) {
  const buttons = Object.entries(PARTS).map(([part, { says, title, color }]) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", title });
    button.dataset.testid = `map-${part}`;
    const swatch = document.createElement("span");
    swatch.className = `swatch ${part}`;
    button.append(swatch, says);
    button.addEventListener("click", () => turn(part));
    panel.querySelector(".parts").append(button);
    return { part, button, swatch, color };
  });

  function turn(part) {
    arena.parts[part] = !arena.parts[part];
    remember(`map.${part}`, arena.parts[part]);
    show();
    arena.touch();
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
