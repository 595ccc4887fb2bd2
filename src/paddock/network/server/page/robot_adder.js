// Adds robots to the world: a dialog for type and name, then a free place, from which the robot may be dragged away.

import { make } from "./dom.js";

export function addRobots(session, { opener, dialog }) {
  const [type, name, cancel] = ["select", "input", "button[value=no]"].map((part) => dialog.querySelector(part));
  opener.addEventListener("click", () => {
    type.replaceChildren(...session.robotTypes.map((each) => make("option", "", { value: each, textContent: each })));
    type.value = session.kinds[0]?.name ?? ""; // of the first robot
    if (!type.value) type.selectedIndex = 0;
    suggestName();
    dialog.returnValue = "";
    dialog.showModal();
  });
  type.addEventListener("change", suggestName);
  cancel.addEventListener("click", () => dialog.close("no"));
  dialog.addEventListener("close", async () => {
    const robot = name.value.trim();
    if (dialog.returnValue !== "yes" || !robot) return;
    if (await session.ask("spawn", { robot, kind: type.value, stays: true })) session.select(robot);
  });
  for (const event of ["welcome", "connection", "timeline"]) session.on(event, () => (opener.hidden = !session.mayChangeRobots));

  /** Suggest the type and a number that is free. */
  function suggestName() {
    let number = 1;
    while (session.robot(`${type.value}-${number}`)) number += 1;
    name.value = `${type.value}-${number}`;
  }
}
