// Sensor subscriptions of the page and their last readings: all devices of the selected robot, and the range
// sensors of the others if there are few robots in view.

import { devicesOf } from "./devices.js";

const RATE = 20; // of the selected robot's readings, per second of wall time
const RATE_OF_OTHERS = 12;
const SMALL = 100 * 100; // pixels
const CHECK_EVERY = 400; // [ms]

export class Subscriptions {
  latest = new Map();
  subscribed = new Map(); // robot → subscription request as text
  refused = new Map(); // robot → reason

  constructor(session, othersInView) {
    this.session = session;
    this.othersInView = othersInView;
    this.pace = 1;
    session.on("sensed", (robot, seen) => this.subscribed.has(robot) && this.latest.set(robot, seen));
    session.on("connection", () => {
      this.subscribed.clear();
      this.refused.clear();
    });
    session.on("robots", () => this.update());
    session.on("select", () => this.update());
    session.on("clock", () => this.update());
    session.on("world", () => this.latest.clear());
    setInterval(() => this.update(), CHECK_EVERY);
  }

  /** Subscribe to the robots that are needed now, and end other subscriptions. */
  update() {
    const { session } = this;
    if (!session.live || !session.robots.length) return;
    this.#measurePace();
    const wanted = new Map();
    for (const name of this.othersInView()) wanted.set(name, this.#rangeSensors(name));
    if (session.robot(session.selected)) wanted.set(session.selected, this.#everything(session.selected));
    for (const name of this.subscribed.keys()) if (!wanted.has(name)) this.#unsubscribe(name);
    for (const [name, what] of wanted) if (what) this.#subscribe(name, what);
  }

  /** Request the readings of the selected robot again, for example after it was moved while the clock is stopped. */
  refresh() {
    this.subscribed.delete(this.session.selected);
    this.update();
  }

  /** All devices; they are named, so that poll-only devices are included. */
  #everything(name) {
    const devices = devicesOf(this.session.kindOf(this.session.robot(name)));
    const isLarge = ({ gauge, spec }) => gauge === "image" && !(spec.width * spec.height <= SMALL);
    const jpeg = devices.some(isLarge); // JPEG blurs small pictures
    return { devices: devices.map((device) => device.name), period: this.#period(RATE), jpeg };
  }

  #rangeSensors(name) {
    const { ownRobot } = this.session;
    if (ownRobot && ownRobot.name !== name) return null; // a student's link may not read the sensors of other robots
    const robot = this.session.robot(name);
    const all = devicesOf(this.session.kindOf(robot));
    const devices = all.filter((device) => device.measuresDistance && !device.polled);
    if (!devices.length || (this.refused.has(name) && name !== this.session.selected)) return null;
    return { devices: devices.map((device) => device.name), period: this.#period(RATE_OF_OTHERS) };
  }

  async #subscribe(name, what) {
    const text = JSON.stringify(what);
    if (this.subscribed.get(name) === text) return;
    this.subscribed.set(name, text);
    try {
      await this.session.link.request("subscribe", { robot: name, ...what });
      this.refused.delete(name);
    } catch (error) {
      if (error.kind === "LinkError") return;
      this.refused.set(name, error.message);
    }
    this.session.emit("subscribed", name);
  }

  #unsubscribe(name) {
    this.subscribed.delete(name);
    this.latest.delete(name);
    if (!this.refused.has(name) && this.session.robot(name)) {
      this.session.link.request("unsubscribe", { robot: name }).catch(() => {}); // it is gone, or disconnected
    }
  }

  /** Simulated seconds between readings, for a constant rate in wall time. */
  #period(rate) {
    return Number((this.pace / rate).toPrecision(2));
  }

  /** Measure the actual speed, as a power of two, so that subscriptions seldom change. */
  #measurePace() {
    const now = performance.now();
    const { tick, dt } = { tick: this.session.clock.tick, dt: this.session.dt };
    const { speed, running } = this.session.clock;
    if (speed > 0) this.pace = speed;
    else if (running && this.measured && now - this.measured.now > 200) {
      const measured = ((tick - this.measured.tick) * dt * 1000) / (now - this.measured.now);
      if (measured > 0) this.pace = 2 ** Math.round(Math.log2(measured));
    }
    if (!this.measured || now - this.measured.now > 200) this.measured = { now, tick };
  }
}
