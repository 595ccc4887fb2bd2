// What the page knows of the server's world, and what it may ask of it. Panels listen to its events:
//   connection, welcome, scene, robots, clock, frame, sensed, map, maps, scores, orders, run, timeline, select, notice

import { Emitter } from "./emitter.js";
import { RobotStates } from "./robot_states.js";
import { Link, Refusal } from "./link.js";
import { numbers } from "./msgpack.js";

const FRAME_RATE = 30;
const RUNNING = { state: "running", reason: "", again: false, intervention: "" };

export class Session extends Emitter {
  connection = { state: "connecting", detail: "" };
  role = "viewer";
  client = "";
  dt = 0.02;
  isReal = false;
  lockStep = false; // whether time passes only when programs ask for it
  world = {};
  scene = null;
  kinds = [];
  robots = [];
  index = new Map(); // name → place in `robots`
  clock = { tick: 0, seed: 0, running: false, speed: 1, lock: [] };
  run = { ...RUNNING }; // of a program beside the server: state "running", "ended" or "failed"
  timeline = null; // of the recording that is replayed here
  scores = [];
  orders = [];
  selected = "";
  driving = ""; // the robot that this page drives
  states = new RobotStates();
  frames = 0;

  constructor({ url, name, token }) {
    super();
    this.url = url;
    this.token = token;
    this.link = new Link({
      url,
      name,
      token,
      onState: (state, detail) => this.#connected(state, detail),
      onMessage: (message) => this[`on_${message.type}`]?.(message),
    });
  }

  start() {
    this.link.connect();
    setInterval(() => this.link.probe("frames", { rate: FRAME_RATE }), 1000);
  }

  get live() {
    return this.connection.state === "live";
  }

  get isSupervisor() {
    return this.role === "supervisor";
  }

  robot(name) {
    const index = this.index.get(name);
    return index === undefined ? undefined : this.robots[index];
  }

  kindOf(robot) {
    return this.kinds[robot.kind];
  }

  /** Whether the run is over and its program waits to run again. */
  get hasEnded() {
    return this.run.state !== "running";
  }

  /** Whether robots do what they did in a recording. */
  get isReplay() {
    return this.timeline !== null && !this.timeline.live;
  }

  /** Why this page may not drive a robot; empty if it may. */
  whyNotDrive(robot) {
    if (!this.live) return "There is no connection.";
    if (this.isReplay) return "This is a replay: go live to drive.";
    if (this.role === "viewer") return "Your link is for watching; driving needs a controller's link.";
    if (this.isSupervisor) return "";
    if (this.isOwnProgram(robot)) return ""; // `yours` is not true of it, but the server gives it to the same link
    if (this.isOthers(robot)) return `${robot.owner} drives it at present.`;
    return robot?.yours ? "" : "Your link is for another robot.";
  }

  /** Whether someone else drives a robot. */
  isOthers(robot) {
    return Boolean(robot?.owner) && robot.owner !== this.client;
  }

  /** Whether another connection with the same link drives a robot: Ada's program is Ada-2 while the page is Ada. */
  isOwnProgram(robot) {
    return this.isOthers(robot) && withoutNumber(robot.owner) === withoutNumber(this.client);
  }

  /** Why this page may not touch the clock or move robots; empty if it may. */
  get whyNotSupervise() {
    if (!this.live) return "There is no connection.";
    return this.isSupervisor ? "" : "Only a supervisor may do this.";
  }

  /** Why this page may not change how fast time goes, what is drawn by chance, and where robots are. */
  get whyNotSimulate() {
    return this.isReal ? "These robots are real." : this.whyNotSupervise;
  }

  select(name) {
    if (name === this.selected) return;
    this.selected = name;
    this.emit("select", name);
  }

  /** Ask for something; a refusal is told to the person. True if it was done. */
  async ask(type, fields) {
    try {
      await this.link.request(type, fields);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.kind !== "LinkError") this.emit("notice", error.message, "refused");
      return false;
    }
  }

  /** What has happened since the last reset: {times, paths}, or of a robot {times, wheels, readings}; or null. */
  async recall(robot = "") {
    try {
      const { ticks, paths, wheels, readings = {} } = await this.link.request("recall", robot ? { robot } : {});
      const times = numbers(ticks).map((tick) => tick * this.dt);
      if (!robot) return { times, paths: new Float32Array(paths?.slice().buffer ?? 0) };
      const values = Object.fromEntries(Object.entries(readings).map(([device, bytes]) => [device, numbers(bytes)]));
      return { times, wheels: numbers(wheels), readings: values };
    } catch (error) {
      if (error instanceof Refusal) return null; // not allowed to see it, or the line was cut
      throw error;
    }
  }

  async #connected(state, detail) {
    this.connection = { state, detail };
    if (state === "live") {
      this.connection.detail = "";
      const { role, client, dt, world, lock_step: lockStep, real } = detail;
      Object.assign(this, { role, client, dt, world, lockStep, isReal: Boolean(real) });
      this.on_run(RUNNING); // the server tells if it is not so
      this.timeline = null;
      this.emit("welcome", detail);
    }
    this.emit("connection", this.connection);
    if (state !== "live") return;
    try {
      this.scene = await this.link.request("look");
      this.emit("scene", this.scene);
      await this.link.request("frames", { rate: FRAME_RATE });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // a lost line is mended by the link
      if (error.kind !== "LinkError") this.emit("notice", error.message, "refused");
    }
  }

  on_robots({ kinds, robots }) {
    this.kinds = kinds;
    this.robots = robots.map((robot) => ({ owner: "", spawned: false, yours: false, ...robot }));
    this.index = new Map(this.robots.map((robot, i) => [robot.name, i]));
    this.states.adopt(this.robots, this.kinds);
    const gone = Boolean(this.selected) && !this.index.has(this.selected);
    if (gone) this.selected = "";
    this.emit("robots");
    if (gone) this.emit("select", ""); // after the list: who listens looks robots up by their number
  }

  on_clock(clock) {
    this.clock = { lock: [], ...clock };
    this.emit("clock");
  }

  on_frame({ frame, tick, bodies, lamps }) {
    this.link.tell("got", { frame });
    this.frames += 1;
    this.states.receive(bodies, lamps, tick, this.dt, performance.now());
    this.clock.tick = tick;
    this.emit("frame");
  }

  on_sensed({ robot, tick, seen }) {
    const readings = {};
    for (const [device, bytes] of Object.entries(seen.readings ?? {})) readings[device] = numbers(bytes);
    const estimate = seen.estimate && { particles: [], ...seen.estimate };
    if (seen.estimate?.particles) estimate.particles = numbers(seen.estimate.particles);
    this.emit("sensed", robot, { tick, readings, pictures: seen.pictures ?? {}, pans: seen.pans ?? {}, estimate });
  }

  on_map({ robot, map }) {
    const { grid = null, task = "", refusal = "", modules = [], ...parts } = map ?? {};
    const points = ["frontiers", "plan", "scan", "goal"].map((part) => [part, parts[part] ? numbers(parts[part]) : []]);
    this.emit("map", robot, map ? { grid, task, refusal, modules, ...Object.fromEntries(points) } : null);
  }

  on_scores({ scores }) {
    this.scores = scores;
    this.emit("scores");
  }

  on_orders({ robots }) {
    this.orders = robots;
    this.emit("orders");
  }

  on_run(run) {
    this.run = { ...RUNNING, ...run };
    this.emit("run");
  }

  on_timeline(timeline) {
    this.timeline = { offset: 0, live: false, name: "", marks: [], ...timeline };
    this.emit("timeline");
  }

  on_released({ client, robots, reason }) {
    const whose = robots.length ? ` Stopped: ${robots.join(", ")}.` : "";
    this.emit("notice", `${client} no longer holds the clock: ${reason}.${whose}`, "news");
  }

  on_refused({ message }) {
    this.emit("notice", message, "refused");
  }
}

/** A client's name without the number that tells it from others of that name. */
function withoutNumber(name) {
  return name.replace(/-\d+$/, "");
}
