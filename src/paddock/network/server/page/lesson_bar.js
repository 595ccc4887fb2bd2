// The lecturer's controls of the world or exercise, and of heats.

import { make, setText } from "./dom.js";
import { confirmAction } from "./confirm.js";
import { heatText } from "./heat.js";

const ALLOWED_STATES = {
  prepare: ["none", "prepared", "finished"], // the states in which the action is possible
  start: ["prepared"],
  stop: ["prepared", "countdown", "running"],
};

export class LessonBar {
  /** `readSeed` returns the seed in the clock's field: undefined for the current one. */
  constructor(session, elements, readSeed) {
    Object.assign(this, { session, ...elements, readSeed });
    this.open.addEventListener("click", () => this.#open());
    this.isChosen = false; // whether the user has chosen something that is not open
    this.choice.addEventListener("change", () => {
      this.isChosen = true;
      this.#showOpen();
    });
    for (const [action, button] of Object.entries(this.heatButtons)) {
      button.addEventListener("click", () => this.#heat(action));
    }
    session.on("class", () => this.#showChoices());
    session.on("heat", () => this.#showHeat());
    this.#showHeat();
  }

  /** Rebuild the choices only when they have changed, because that would close an open list. Keep the user's choice. */
  #showChoices() {
    const { exercises, worlds, exercise, world } = this.session.roster;
    const chosen = this.choice.value;
    const listed = JSON.stringify([exercises, worlds]);
    if (listed !== this.listed) {
      this.listed = listed;
      const option = (kind) => (name) => make("option", "", { value: `${kind} ${name}`, textContent: name });
      const group = (label, kind, names) => make("optgroup", "", { label }, ...names.map(option(kind)));
      this.choice.replaceChildren(group("Exercises", "exercise", exercises), group("Worlds", "world", worlds));
      this.choice.value = chosen;
    }
    this.present = exercise ? `exercise ${exercise}` : `world ${world}`;
    if (!this.isChosen || !this.choice.value) this.choice.value = this.present;
    if (this.choice.value === this.present) this.isChosen = false;
    this.#showOpen();
  }

  #showOpen() {
    setText(this.open, this.choice.value === this.present ? "Open again" : "Open");
    this.open.disabled = !this.choice.value;
  }

  async #open() {
    const [kind, ...words] = this.choice.value.split(" ");
    const name = words.join(" ");
    const text = `Robots and scores restart; the best scores are kept. Running programs keep their robots. A program
      that uses a device that is no longer allowed or available ends with an error.`;
    if (!(await confirmAction(this.dialog, { title: `Open ${name} for everybody?`, text, verb: "Open", dangerous: false }))) return;
    const seed = this.readSeed();
    await this.session.ask("open_world", { [kind]: name, ...(seed != null && { seed }) });
  }

  async #heat(action) {
    const breaksOff = action === "stop" && this.session.heat.state === "running";
    const text = "The heat ends now. The current standings are its result.";
    if (breaksOff && !(await confirmAction(this.dialog, { title: "Stop the heat?", text, verb: "Stop it" }))) return;
    await this.session.ask("set_heat", { action });
  }

  #showHeat() {
    const { heat } = this.session;
    setText(this.heat, heatText(heat));
    this.heat.title = heatText(heat);
    for (const [action, button] of Object.entries(this.heatButtons)) {
      button.disabled = !ALLOWED_STATES[action].includes(heat.state);
    }
  }
}

/** Show the last lines of the class's log; keep it at its end unless the user has scrolled up. */
export function showLog(session, list) {
  session.on("class", () => {
    const { log } = session.roster;
    if (log.join("\n") === list.dataset.shown) return;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    list.dataset.shown = log.join("\n");
    list.replaceChildren(...log.map((line) => make("li", "", { textContent: line })));
    if (atEnd) list.scrollTop = list.scrollHeight;
  });
}
