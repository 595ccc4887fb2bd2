// State of the server's world on this page, and requests to the server. Panels listen to its events:
//   connection, welcome, scene, robots, clock, frame, jump (to another time of a recording), sensed, map, maps, scores,
//   orders, run, timeline, select, notice;
//   in a class also class, heat, exercise, world (also after a move to another copy of the world)

import { Emitter } from "./emitter.js";
import { RobotStates } from "./robot_states.js";
import { Link, Refusal } from "./link.js";
import { numbers } from "./msgpack.js";
import { storeToken } from "./storage.js";

const FRAME_RATE = 30;
const WHAT_TO_DO = "Fix the program and start it again; it can connect immediately.";
const RUNNING = { state: "running", reason: "", again: false, intervention: "" };
const NO_SCORES = { scores: [], label: "", unit: "", error: "", lower_is_better: false };
const NO_EXERCISE = { text: "", starter: "", devices: null, submissions: [] };
const IN_COPY = "You are back in your own copy of the world. Its clock, reset and seed are yours.";
const TOGETHER = "All robots of the class share one arena now.";
const NO_HEAT = { state: "none", number: 0, seconds_left: null, text: "" };
const STUDENT = {
  ...{ since: 0, detail: "", score: null, best: null, place: 0, fouls: 0, submissions: 0, submitted: "" },
  ...{ connections: 0, cpu_share: 0, in_lock: false, private: false, parked: false },
};

export class Session extends Emitter {
  connection = { state: "connecting", detail: "" };
  role = "viewer";
  client = "";
  dt = 0.02;
  isReal = false;
  lockStep = false; // whether the clock advances only when programs request it
  world = {};
  scene = null;
  kinds = [];
  robots = [];
  index = new Map(); // name → index in `robots`
  clock = { tick: 0, seed: 0, running: false, speed: 1, lock: [] };
  run = { ...RUNNING }; // of a program in the server's process: state "running", "ended" or "failed"
  timeline = null; // of the replayed recording
  scores = [];
  scoreInfo = { ...NO_SCORES }; // label, unit and error of the scores
  classTitle = ""; // title of the class; empty: no class
  roster = null; // states of all students, for the lecturer
  heat = { ...NO_HEAT };
  copy = ""; // private copy of the world in which this page is; empty: the shared arena
  mayControlClock = false;
  robotTypes = []; // shipped robots that this page may add
  shows = "all"; // visible part of the world: "all", "own" (robot) or "nothing"
  exercise = null; // its text, the allowed devices, and the submissions
  orders = [];
  selected = "";
  driving = ""; // the robot that this page drives
  states = new RobotStates();
  frames = 0;
  jumps = 0; // along the recording so far
  hasJumped = false; // whether no frame has arrived since the last jump

  constructor({ url, name, token }) {
    super();
    this.url = url;
    this.token = token;
    this.link = new Link({
      url,
      name,
      token,
      onState: (state, detail) => this.#handleState(state, detail),
      onMessage: (message) => this[`on_${message.type}`]?.(message),
    });
  }

  start() {
    this.link.connect();
    setInterval(() => this.link.probe("frames", { rate: FRAME_RATE }), 1000);
  }

  /** Connect again with another token, which was typed instead of opening a link. */
  joinWith(token) {
    this.token = this.link.token = token;
    storeToken(token);
    this.link.connect();
  }

  get live() {
    return this.connection.state === "live";
  }

  /** Whether the lecturer has disconnected this page: its link is valid, but not at present. */
  get wasDisconnected() {
    return this.link.wasDisconnected || /locked out/.test(this.connection.detail);
  }

  /** Whether this is the lecturer's page of a class. */
  get isLecturer() {
    return this.isSupervisor && Boolean(this.classTitle);
  }

  get isSupervisor() {
    return this.role === "supervisor";
  }

  robot(name) {
    const index = this.index.get(name);
    return index === undefined ? undefined : this.robots[index];
  }

  /** Full name of the student of a robot; without a student, the name of the robot. */
  personOf(name) {
    return this.robot(name)?.person || name;
  }

  /** The robot of this link, if the link is for exactly one. */
  get ownRobot() {
    const isMine = ({ yours, person }) => yours || (person && person === personOf(this.client));
    const mine = this.role === "controller" ? this.robots.filter((robot) => !robot.spawned && isMine(robot)) : [];
    return mine.length === 1 ? mine[0] : undefined;
  }

  kindOf(robot) {
    return this.kinds[robot.kind];
  }

  /** Whether the run has ended and its program waits for a restart. */
  get hasEnded() {
    return this.run.state !== "running";
  }

  /** Whether a recording is replayed. */
  get isReplay() {
    return this.timeline !== null && !this.timeline.live;
  }

  /** Why this page may not drive a robot; empty if it may. */
  whyNotDrive(robot) {
    if (!this.live) return "There is no connection.";
    if (this.isReplay) return "This is a replay: go live to drive.";
    if (this.role === "viewer") return "Your link is for watching; driving needs a controller's link.";
    if (this.isSupervisor) return "";
    if (this.isOwnProgram(robot)) return ""; // `yours` is false, but the server lets the same link take it over
    if (this.isOthers(robot)) return `${robot.owner} currently drives it.`;
    return robot?.yours ? "" : "Your link is for another robot.";
  }

  /** Whether another client drives a robot. */
  isOthers(robot) {
    return Boolean(robot?.owner) && robot.owner !== this.client;
  }

  /** Whether another connection with the same link drives a robot: Ada's program is Ada-2 while the page is Ada. */
  isOwnProgram(robot) {
    return this.isOthers(robot) && personOf(robot.owner) === personOf(this.client);
  }

  /** Why this page may not control the clock or move robots; empty if it may. */
  get whyNotSupervise() {
    if (!this.live) return "There is no connection.";
    return this.isSupervisor ? "" : "Only a supervisor may do this.";
  }

  /** Why this page may not play, pause, step and reset; empty if it may. */
  get whyNotControlClock() {
    if (!this.live) return "There is no connection.";
    return this.mayControlClock ? "" : "Only a supervisor may do this.";
  }

  /** Why this page may not change speed and seed; empty if it may. */
  get whyNotSetPace() {
    return this.isReal ? "These robots are real." : this.whyNotControlClock;
  }

  /** Whether this page may add and remove robots; in a class, students bring theirs. */
  get mayChangeRobots() {
    return !this.whyNotSimulate && !this.isReplay && !this.classTitle && this.robotTypes.length > 0;
  }

  /** Why this page may not change poses; empty if it may. */
  get whyNotSimulate() {
    return this.isReal ? "These robots are real." : this.whyNotSupervise;
  }

  select(name) {
    if (name === this.selected) return;
    this.selected = name;
    this.emit("select", name);
  }

  /** Send a request and show a refusal as a notice; return whether it was carried out. */
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

  /** Request the history since the last reset: {times, paths}, or for a robot {times, wheels, readings}; or null. */
  async requestHistory(robot = "") {
    const { jumps } = this;
    try {
      const { ticks, paths, wheels, readings = {} } = await this.link.request("get_history", robot ? { robot } : {});
      if (jumps !== this.jumps) return null; // it ends at the former position of the recording
      const times = numbers(ticks).map((tick) => tick * this.dt);
      if (!robot) return { times, paths: new Float32Array(paths?.slice().buffer ?? 0) };
      const values = Object.fromEntries(Object.entries(readings).map(([device, bytes]) => [device, numbers(bytes)]));
      return { times, wheels: numbers(wheels), readings: values };
    } catch (error) {
      if (error instanceof Refusal) return null; // not allowed, or the connection was lost
      throw error;
    }
  }

  async #handleState(state, detail) {
    this.connection = { state, detail };
    if (state === "live") {
      this.connection.detail = "";
      const { role, client, dt, world, lock_step: lockStep, real } = detail;
      Object.assign(this, { role, client, dt, world, lockStep, isReal: Boolean(real) });
      this.on_run(RUNNING); // the server sends another state if it differs
      this.timeline = this.roster = null;
      this.classTitle = detail.title ?? "";
      this.shows = detail.shows ?? "all";
      this.copy = detail.copy ?? "";
      this.robotTypes = detail.robot_types ?? [];
      this.mayControlClock = detail.clock ?? role === "supervisor"; // a server before version 1.7 does not tell
      this.on_heat(NO_HEAT);
      this.on_scores(NO_SCORES);
      this.emit("welcome", detail);
    }
    this.emit("connection", this.connection);
    if (state === "live") await this.#requestScene();
  }

  /** Request the scene and frames, and in a class the exercise. */
  async #requestScene() {
    try {
      this.scene = await this.link.request("get_scene");
      this.emit("scene", this.scene);
      await this.link.request("frames", { rate: FRAME_RATE });
      if (this.classTitle) await this.requestExercise();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // the link restores a lost connection
      if (error.kind !== "LinkError") this.emit("notice", error.message, "refused");
    }
  }

  async requestExercise() {
    const exercise = await this.link.request("ask_exercise");
    this.exercise = exercise.name ? { ...NO_EXERCISE, title: exercise.name, ...exercise } : null;
    this.emit("exercise");
  }

  on_robots({ kinds, robots }) {
    this.kinds = kinds;
    this.robots = robots.map((robot) => ({ owner: "", person: "", spawned: false, yours: false, goals: false, ...robot }));
    this.index = new Map(this.robots.map((robot, i) => [robot.name, i]));
    this.states.adopt(this.robots, this.kinds);
    const gone = Boolean(this.selected) && !this.index.has(this.selected);
    if (gone) this.selected = "";
    this.emit("robots");
    if (gone) this.emit("select", ""); // after the list, because listeners look up robots by index
  }

  on_clock(clock) {
    this.clock = { lock: [], ...clock };
    this.emit("clock");
  }

  on_frame({ frame, tick, bodies, lamps, things }) {
    this.link.send("frame_ack", { frame });
    this.frames += 1;
    const { hasJumped } = this;
    this.hasJumped = false;
    if (hasJumped) this.states.to = null; // no interpolation
    this.states.receive(bodies, lamps, tick, this.dt, performance.now(), things);
    this.clock.tick = tick;
    if (hasJumped) this.emit("jump");
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

  on_scores({ scores, ...info }) {
    this.scores = scores;
    this.scoreInfo = { ...NO_SCORES, ...info };
    this.emit("scores");
  }

  /** The supervisor has opened another world, or this page moved to another copy; `robots` and `clock` follow. */
  on_world({ world, dt, title, shows = "all", copy = "", clock = false, exercise = "" }) {
    const isSame = copy === this.copy && (exercise || world.name) === (this.exercise?.name || this.world.name);
    const hasMoved = copy !== this.copy;
    Object.assign(this, { world, dt, shows, copy, mayControlClock: clock || this.isSupervisor });
    this.states.clear();
    this.on_scores(NO_SCORES);
    this.emit("world");
    const name = title || world.title || world.name;
    if (hasMoved && !this.isSupervisor) this.emit("notice", copy ? IN_COPY : TOGETHER, "news");
    else if (!hasMoved && !isSame) this.emit("notice", `The lecturer opened another world: ${name}. Running programs keep their robots.`, "news");
    this.#requestScene();
  }

  on_told({ text, sender = "" }) {
    this.emit("notice", `Message from ${sender.replace(/'s page(-\d+)?$/, "") || "the lecturer"}: ${text}`, "urgent");
  }

  on_class(roster) {
    const students = (roster.students ?? []).map((student) => ({ ...STUDENT, ...student }));
    const at = performance.now();
    this.roster = { log: [], worlds: [], exercises: [], exercise: "", now: 0, ...roster, students, at };
    this.emit("class");
  }

  on_heat(heat) {
    this.heat = { ...NO_HEAT, ...heat };
    this.emit("heat");
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
    this.timeline = { offset: 0, live: false, name: "", marks: [], jumps: 0, ...timeline };
    this.hasJumped ||= this.timeline.jumps !== this.jumps;
    this.jumps = this.timeline.jumps;
    this.emit("timeline");
  }

  on_released({ client, robots, reason }) {
    const whose = robots.length ? ` Stopped: ${robots.map((robot) => this.personOf(robot)).join(", ")}.` : "";
    if (personOf(client) === personOf(this.client)) {
      this.emit("notice", `Your program was released from the lock: ${reason}.${whose} ${WHAT_TO_DO}`, "urgent");
    } else this.emit("notice", `${client} was released from the lock: ${reason}.${whose}`, "news");
  }

  on_refused({ message }) {
    this.emit("notice", message, "refused");
  }
}

/** Name of the student of a client, without the suffixes that distinguish pages and several connections. */
export function personOf(name) {
  return name.replace(/('s page)?(-\d+)?$/, "");
}
