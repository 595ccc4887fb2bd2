// The selected student on the lecturer's page: state, problem and actions.

import { make, setText } from "./dom.js";
import { sinceText, stateText } from "./class_list.js";
import { askText, confirmAction } from "./confirm.js";

export class StudentCard {
  constructor(session, list, { card, dialog, message }, onSensors) {
    Object.assign(this, { session, list, card, dialog, message });
    this.name = make("h3", "", { dir: "auto", dataset: { testid: "student-name" } });
    this.about = make("p", "about");
    this.detail = make("p", "problem", { dataset: { testid: "student-problem" } });
    this.buttons = {
      sensors: this.#button("Sensors", "Show the sensor readings of this robot", onSensors),
      message: this.#button("Message", "Show a line of text on the student's page and in the student's program", () => this.#tell()),
      restart: this.#button("Restart", "Restart the student's copy of the world, or move the robot to a start", () => this.#restart()),
      park: this.#button("Park", "Stop the robot: its copy of the world stands still, or it moves aside", () => this.#park()),
      release: this.#button("Release", "The clock no longer waits for this program", () => this.#release()),
      disconnect: this.#button("Disconnect", "Close all connections of this student", () => this.#disconnect()),
      lock: this.#button("Lock out", "Close all connections, and refuse new ones", () => this.#lock()),
    };
    const who = make("div", "", {}, this.name, this.about);
    card.replaceChildren(who, make("div", "student-actions", {}, ...Object.values(this.buttons)), this.detail);
    list.onShow = () => this.show();
  }

  #button(text, title, onClick) {
    const button = make("button", "quiet", { type: "button", title, textContent: text });
    button.addEventListener("click", onClick);
    button.dataset.testid = `student-${text.toLowerCase().replace(" ", "-")}`;
    return button;
  }

  show() {
    const student = this.list.chosen;
    this.card.hidden = !student;
    if (!student) return;
    const { name, state, robot, detail, connections, cpu_share: share, in_lock: inLock } = student;
    setText(this.name, name);
    const since = `${stateText(state)} for ${sinceText(this.list.secondsIn(student))}`;
    const links = `${connections} ${connections === 1 ? "connection" : "connections"}`;
    const load = share > 0.005 && `${Math.round(100 * share)} % of the server's time`;
    setText(this.about, [since, robot, links, inLock && "in the lock", load].filter(Boolean).join(" · "));
    setText(this.detail, detail);
    this.detail.hidden = !detail;
    const lockedOut = state === "locked-out";
    this.buttons.release.disabled = !inLock;
    this.buttons.disconnect.disabled = !connections;
    this.buttons.sensors.disabled = !this.session.robot(robot);
    setText(this.buttons.park, student.parked ? "Let drive" : "Park");
    setText(this.buttons.lock, lockedOut ? "Let in again" : "Lock out");
  }

  #restart() {
    return this.session.ask("restart", { student: this.list.chosen.name });
  }

  #park() {
    const { name, parked } = this.list.chosen;
    return this.session.ask("park", { student: name, on: !parked });
  }

  async #tell() {
    const { name } = this.list.chosen;
    const text = await askText(this.message, `Message to ${name}`);
    if (text) await this.session.ask("tell", { student: name, text });
  }

  #release() {
    return this.session.ask("release", { client: this.list.chosen.name });
  }

  async #disconnect() {
    const { name, connections } = this.list.chosen;
    const ends = connections === 1 ? "The connection ends" : `All ${connections} connections end`;
    const text = `${ends} and the robot stops. The student may connect again immediately.`;
    const agreed = await confirmAction(this.dialog, { title: `Disconnect ${name}?`, text, verb: "Disconnect" });
    if (agreed) await this.session.ask("disconnect", { client: name });
  }

  async #lock() {
    const { name, state } = this.list.chosen;
    if (state === "locked-out") return this.session.ask("lock_out", { student: name, on: false });
    const text = "All connections end and the robot stops. The link does not work until you let this student in again.";
    const agreed = await confirmAction(this.dialog, { title: `Lock ${name} out?`, text, verb: "Lock out" });
    if (agreed) await this.session.ask("lock_out", { student: name, on: true });
  }
}
