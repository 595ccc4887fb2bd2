// Panel of robots that take orders: the current order and the number of completed orders of each.

/** Show the panel, if there are such robots. */
export function showOrders(session, panel, rows) {
  session.on("orders", () => {
    panel.hidden = !session.orders.length;
    rows.replaceChildren(...session.orders.map((state) => orderRow(session, state)));
  });
}

function orderRow(session, { robot, mode, connected, order, done, moving_time: seconds, detections }) {
  const row = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.testid = "order-row";
  button.dataset.robot = robot;
  button.addEventListener("click", () => session.robot(robot) && session.select(robot));
  const doing = order || (connected ? "waits" : "no host");
  button.title = `${robot} · ${mode} mode · ${seconds.toFixed(1)} s moving · ${detections} obstacles detected`;
  for (const [part, text] of Object.entries({ swatch: "", name: robot, note: doing, points: String(done) })) {
    const cell = document.createElement("span");
    cell.className = part;
    cell.textContent = text;
    button.append(cell);
  }
  button.firstChild.style.background = session.robot(robot)?.color ?? "transparent";
  row.append(button);
  return row;
}
