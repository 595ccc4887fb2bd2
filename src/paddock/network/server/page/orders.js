// Panel of robots that take orders: the current order and the number of completed orders of each.

import { make, makeCells } from "./dom.js";
import { robotButton } from "./scoreboard.js";

/** Show the panel, if there are such robots. */
export function showOrders(session, panel, rows) {
  session.on("orders", () => {
    panel.hidden = !session.orders.length;
    rows.replaceChildren(...session.orders.map((state) => orderRow(session, state)));
  });
}

function orderRow(session, { robot, mode, connected, order, done, moving_time: seconds, detections }) {
  const doing = order || (connected ? "waits" : "no host");
  const title = `${robot} · ${mode} mode · ${seconds.toFixed(1)} s moving · ${detections} obstacles detected`;
  const cells = makeCells({ swatch: "", name: robot, note: doing, points: String(done) });
  return make("li", "", {}, robotButton(session, robot, { title, dataset: { testid: "order-row", robot } }, cells));
}
