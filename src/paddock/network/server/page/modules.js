// Panel of modules: states of the processes that together drive a robot.

import { make, makeCells } from "./dom.js";

/** Show the panel, if the program of the selected robot has modules. */
export function showModules(session, maps, panel, rows) {
  function show() {
    const modules = maps.current?.modules ?? [];
    panel.hidden = !modules.length;
    rows.replaceChildren(...modules.map(moduleRow));
  }
  session.on("maps", show);
  session.on("select", show);
}

function moduleRow({ name, state, rate = 0, latency = 0, says = "" }) {
  const title = [`${name}: ${state}`, latency && `99 % latency: ${latency} ms`, says].filter(Boolean).join("\n");
  const runs = state === "running";
  const figures = { rate: runs ? rate.toFixed(1) : state, latency: runs && latency ? String(latency) : "" };
  const about = { title, dataset: { testid: "module-row", module: name, state } };
  return make("li", "", about, ...makeCells({ swatch: "", name, ...figures }));
}
