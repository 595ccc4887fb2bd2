// The monitor: live data of the selected robot.

import { card, deviceCard, ledsCard, poseCard, wheelsCard } from "./cards.js";
import { devicesOf } from "./devices.js";
import { icon, make } from "./dom.js";
import { MonitorHeader } from "./monitor_header.js";
import { copyText, snippet } from "./snippet.js";

const EVERY = 50; // [ms] between two updates
const PLOTS_EVERY = 120;
const HINT = "Click a robot to see its sensor readings, to drive it, or to get a Python program that drives it.";
const NO_COPY = "This browser does not allow copying: select the program at the end of the monitor.";

export class Monitor {
  constructor(session, subscriptions, driver, panel, onPoint) {
    Object.assign(this, { session, subscriptions, driver, panel, onPoint });
    session.on("select", () => this.open());
    session.on("robots", () => this.#robotsChanged());
    for (const event of ["connection", "timeline"]) session.on(event, () => this.#showDriving());
    session.on("frame", () => this.#scheduleUpdate());
    session.on("jump", () => this.robot && this.#loadHistory(this.robot.name));
    session.on("sensed", (robot, seen) => robot === session.selected && this.#sensed(seen));
    session.on("subscribed", (robot) => robot === session.selected && this.#showUnseen());
    driver.onChange = () => this.#showDriving();
    this.open();
  }

  get robot() {
    return this.session.robot(this.session.selected);
  }

  /** Build the panel for the selected robot. */
  open() {
    const { session, panel, robot } = this;
    this.kind = robot && session.kindOf(robot);
    this.seen = this.header = null;
    this.onPoint(null);
    panel.classList.toggle("empty", !robot);
    panel.scrollTop = 0;
    if (!robot) {
      const title = make("h2", "", { textContent: "No robot selected" });
      panel.replaceChildren(make("div", "hint", {}, title, make("p", "", { textContent: HINT })));
      return;
    }
    this.header = new MonitorHeader(session, this.driver, robot, () => this.#copy());
    this.wheels = wheelsCard(this.kind);
    const isShown = session.shows !== "nothing";
    this.signals = isShown ? [poseCard(session.isReal), ...(this.kind.leds?.length ? [ledsCard(this.kind)] : [])] : [];
    const shown = devicesOf(this.kind).filter(({ gauge }) => gauge !== "none");
    this.devices = new Map(shown.map((device) => [device.name, deviceCard(device, this.onPoint)]));
    const cards = [this.wheels, ...this.signals, ...this.devices.values()].map(({ element }) => element);
    panel.replaceChildren(this.header.element, make("div", "cards", {}, ...cards, this.#python()));
    this.#showDriving();
    this.#showUnseen();
    this.#scheduleUpdate();
    this.#loadHistory(robot.name);
  }

  /** Load the charts since the start of the run. */
  async #loadHistory(name) {
    const { wheels, devices } = this;
    for (const { clear } of [wheels, ...devices.values()]) clear();
    const past = await this.session.requestHistory(name);
    if (!past || wheels !== this.wheels) return; // another robot was selected in the meantime
    wheels.prefill(past.times, past.wheels);
    for (const [device, values] of Object.entries(past.readings)) devices.get(device)?.prefill(past.times, values);
  }

  #python() {
    const code = make("code", "", { textContent: this.#program().replace(/token="[^"]*"/, 'token="…"') });
    const frame = make("pre", "", { dataset: { testid: "snippet-code" }, tabIndex: 0 }, code);
    const button = make("button", "quiet", { type: "button", title: "Copy this program" }, icon("copy"), "Copy");
    button.addEventListener("click", () => this.#copy());
    return card("python", { name: "from Python" }, frame, make("div", "right", {}, button));
  }

  #program() {
    const { url, token, selected } = this.session;
    return snippet({ url, token, robot: selected, kind: this.kind });
  }

  async #copy() {
    const copied = await copyText(this.#program());
    if (copied) this.session.emit("notice", `Copied: a program that drives ${this.session.selected}.`, "done");
    else this.session.emit("notice", NO_COPY, "refused");
  }

  #robotsChanged() {
    const { session, robot } = this;
    const devices = (kind) => kind && [kind.name, ...devicesOf(kind).map(({ name }) => name)].join(); // exercises hide some
    if (robot && devices(session.kindOf(robot)) === devices(this.kind)) this.#showDriving();
    else this.open();
  }

  #showDriving() {
    if (this.robot) this.header?.update(this.robot);
  }

  #showUnseen() {
    const why = this.subscriptions.refused.get(this.session.selected) ?? "";
    this.panel.classList.toggle("unseen", Boolean(why));
    this.header?.showUnseen(why);
  }

  #sensed(seen) {
    this.seen = seen;
    this.#scheduleUpdate();
  }

  /** Schedule an update, at a limited rate. */
  #scheduleUpdate() {
    if (this.timer || !this.kind) return;
    const wait = Math.max(0, EVERY - (performance.now() - (this.shownAt ?? 0)));
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.shownAt = performance.now();
      this.#show();
    }, wait);
  }

  #show() {
    const { states, clock, dt, index, selected } = this.session;
    const i = index.get(selected);
    if (i === undefined || !this.kind || !states.to) return;
    const redraw = performance.now() - (this.drawnAt ?? 0) > PLOTS_EVERY;
    if (redraw) this.drawnAt = performance.now();
    this.wheels.update(states, i, clock.tick * dt, redraw);
    for (const signal of this.signals) signal.update(states, i);
    if (!this.seen) return;
    const { readings, pictures, tick } = this.seen;
    this.seen = null;
    for (const [name, device] of this.devices) {
      const given = readings[name] ?? pictures[name];
      if (given) device.update(given, tick * dt, redraw);
    }
  }
}
