// Panel of modules: states of the processes that together drive a robot.

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
  const row = document.createElement("li");
  row.dataset.testid = "module-row";
  row.dataset.module = name;
  row.dataset.state = state;
  row.title = [`${name}: ${state}`, latency && `99 % latency: ${latency} ms`, says].filter(Boolean).join("\n");
  const runs = state === "running";
  const figures = { rate: runs ? rate.toFixed(1) : state, latency: runs && latency ? String(latency) : "" };
  for (const [part, text] of Object.entries({ swatch: "", name, ...figures })) {
    const cell = document.createElement("span");
    cell.className = part;
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}
