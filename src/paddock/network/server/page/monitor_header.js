// Header of the monitor: name of the robot, the switch to drive it, the button that copies its program.

import { icon, make, setText } from "./dom.js";

const KEYS = "Drive with the arrow keys, WASD or the stick on the arena (E)";

export class MonitorHeader {
  constructor(session, driver, robot, onCopy) {
    Object.assign(this, { session, driver });
    const kind = session.kindOf(robot);
    const swatch = make("span", "swatch");
    swatch.style.background = robot.color;
    const person = session.personOf(robot.name);
    const name = make("h2", "", { textContent: person, dir: "auto", dataset: { testid: "monitor-name" } });
    this.owner = make("span", "owner");
    const closeLabel = { title: "Close (Esc)", "aria-label": "Close the monitor" };
    const close = make("button", "icon", { type: "button", ...closeLabel }, icon("close"));
    close.addEventListener("click", () => session.select(""));
    this.word = make("span");
    this.drive = make(
      "button",
      "drive",
      { type: "button", role: "switch", dataset: { testid: "drive" } },
      make("span", "track", {}, make("span", "thumb")),
      this.word,
    );
    this.drive.addEventListener("click", () => driver.toggle());
    const about = { title: "Copy a Python program that drives this robot", dataset: { testid: "snippet-copy" } };
    const copy = make("button", "quiet", { type: "button", ...about }, icon("copy"), "Python");
    copy.addEventListener("click", onCopy);
    const remove = make("button", "quiet", { type: "button", title: "Remove this robot from the world", dataset: { testid: "robot-remove" } }, "Remove");
    remove.addEventListener("click", () => session.ask("remove", { robot: robot.name }));
    this.unseen = make("p", "unseen-note", { dataset: { testid: "unseen" } });
    const who = [robot.person && robot.name, kind.title || kind.name].filter(Boolean).join(" · ");
    const names = make("div", "", {}, name, make("p", "", {}, who, this.owner));
    this.element = make(
      "header",
      "",
      {},
      make("div", "who", {}, swatch, names, close),
      make("div", "actions", {}, this.drive, copy, ...(session.mayChangeRobots ? [remove] : [])),
      this.unseen,
    );
  }

  /** Show which client drives, and whether this page may drive. */
  update(robot) {
    const { session } = this;
    const why = session.whyNotDrive(robot);
    const on = this.driver.robot === robot.name;
    const others = session.isOthers(robot);
    this.drive.disabled = Boolean(why) && !on;
    this.drive.title = why || (others ? `Drive instead of ${robot.owner} (E)` : KEYS);
    this.drive.setAttribute("aria-checked", on);
    setText(this.word, others ? "Take over" : "Drive");
    const who = robot.owner === session.client ? "you" : robot.owner;
    setText(this.owner, robot.owner ? ` · driven by ${who}` : "");
  }

  /** Show why there are no readings; empty: there are readings. */
  showUnseen(why) {
    setText(this.unseen, why && `No readings: ${why.replace(/^[\w.]+: /, "")}`);
  }
}
