// Draws the arena in four layers (ground, map, trails, robots), only when something has changed.

import { Bodies, reach } from "./bodies.js";
import { drawSelection, drawGhost } from "./selection.js";
import { drawEstimate } from "./estimate.js";
import { FrameRate } from "./framerate.js";
import { Ground } from "./ground.js";
import { drawCells, drawMapParts } from "./map_layer.js";
import { shownParts } from "./map_legend.js";
import { themeColors } from "./paint.js";
import { drawRays } from "./rays.js";
import { drawThings } from "./things.js";
import { Visibility } from "./visibility.js";
import { Trails } from "./trails.js";
import { View, roundLength, tidy } from "./view.js";

export const FEW = 12; // maximum number of robots in view that show their rays
const SETTLE = 140; // [ms] after a zoom before trails are drawn again
const HANDLE = 24; // pixels from the body to the handle that turns it
const SHARPEST = 2; // device pixels per pixel, at most

export class Arena {
  view = new View();
  ground = new Ground();
  visibility = new Visibility();
  bodies = new Bodies();
  trails = new Trails();
  rate = new FrameRate();
  shown = []; // numbers of the robots in view
  showRays = true;
  showTrails = true;
  parts = shownParts(); // of maps
  following = false;
  ghost = null; // {i, x, y, heading, fits}: target pose of a robot that is being moved
  hovered = undefined; // number of the robot under the pointer
  pointed = null; // {device, channel}
  isDue = false; // whether drawing is scheduled

  constructor(session, subscriptions, maps, { holder, scaleBar, ground, map, trails, robots }) {
    Object.assign(this, { session, subscriptions, maps, holder, scaleBar });
    this.canvas = robots;
    this.layers = [ground, map, trails, robots];
    this.groundContext = ground.getContext("2d", { alpha: false });
    this.mapContext = map.getContext("2d");
    this.trailContext = trails.getContext("2d");
    this.context = robots.getContext("2d");
    this.trailCanvas = trails;
    this.groundVersion = -1;
    this.updateTheme();
    new ResizeObserver(() => this.resize()).observe(holder);
    this.resize();
    session.on("scene", (scene) => this.adopt(scene));
    session.on("robots", () => this.adoptRobots());
    session.on("clock", () => this.requestDraw());
    session.on("select", () => this.requestDraw());
    session.on("sensed", () => this.requestDraw());
    session.on("maps", () => this.requestDraw());
    session.on("frame", () => this.handleFrame());
    session.on("jump", () => this.handleJump());
  }

  /** Schedule drawing after a change. An unchanged page uses no CPU time. */
  requestDraw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame((now) => this.animate(now));
  }

  updateTheme() {
    this.theme = themeColors();
    this.groundVersion = -1;
    this.requestDraw();
  }

  resize() {
    const { width, height } = this.holder.getBoundingClientRect();
    const dpr = Math.min(SHARPEST, window.devicePixelRatio || 1);
    for (const layer of this.layers) {
      layer.width = Math.max(1, Math.round(width * dpr));
      layer.height = Math.max(1, Math.round(height * dpr));
    }
    this.view.resize(Math.max(1, width), Math.max(1, height), dpr);
    this.trails.stale = true;
    this.groundVersion = -1;
    this.requestDraw();
  }

  adopt(scene) {
    const same = this.view.bounds && scene.bounds.every((bound, i) => bound === this.view.bounds[i]);
    if (!same) this.view.show(scene.bounds); // the view stays unchanged after a reconnection
    this.visibility.adopt(scene.solids);
    this.ground.adopt(scene, this.session.world, () => {
      this.groundVersion = -1;
      this.requestDraw();
    });
  }

  adoptRobots() {
    const { robots, kinds } = this.session;
    this.bodies.clear();
    const isNew = this.trails.adopt(robots, robots.map((robot) => reach(kinds[robot.kind].body)));
    if (isNew) this.#loadTrails();
    this.requestDraw();
  }

  /** Load the trails since the start of the run. */
  async #loadTrails() {
    const { trails, session } = this;
    const { names } = trails;
    const past = await session.requestHistory();
    if (!past || names !== trails.names) return; // the list of robots has changed in the meantime
    const { states, dt } = session;
    const shown = states.to ? past.times.filter((time) => time <= states.shownTick * dt).length : past.times.length;
    trails.prefill(past.paths.subarray(0, 2 * trails.count * shown)); // newer points are added when they are shown
    states.teleported.fill(0);
    this.requestDraw();
  }

  handleFrame() {
    const { tick } = this.session.states;
    if (tick < this.lastTick) this.trails.clear(); // time was set back
    this.lastTick = tick;
    this.requestDraw();
  }

  /** Show the trails before the new position in a recording. */
  handleJump() {
    this.lastTick = this.session.states.tick;
    this.trails.clear();
    this.#loadTrails();
  }

  fit() {
    this.following = false;
    this.view.fit();
    this.requestDraw();
  }

  follow(on) {
    this.following = on && Boolean(this.session.selected);
    if (this.following && this.view.fitted) this.view.zoom(2.2);
    this.requestDraw();
  }

  animate(now) {
    this.isDue = false;
    this.rate.tick(now);
    const { states } = this.session;
    states.interpolateTo(now);
    if (this.following) this.followSelected();
    if (this.groundVersion !== this.view.version) {
      this.ground.draw(this.groundContext, this.view, this.theme);
      this.groundVersion = this.view.version;
      this.drawScaleBar();
    }
    this.drawMap();
    this.drawTrails(now);
    this.drawRobots(now);
    if (states.moving || this.glowing) this.requestDraw();
  }

  followSelected() {
    const i = this.session.index.get(this.session.selected);
    if (i === undefined) this.following = false;
    else this.view.centre(this.session.states.x[i], this.session.states.y[i]);
  }

  /** Draw the cells of the map if the cells, the view, the theme or the visible parts have changed. */
  drawMap() {
    const { maps, view, theme, mapContext, session } = this;
    const map = this.parts.map && session.scene && maps.current?.grid ? maps.current : null;
    const drawn = [map, maps.version, view.version, theme];
    if (this.drawnMap?.every((part, i) => part === drawn[i])) return;
    this.drawnMap = drawn;
    mapContext.setTransform(1, 0, 0, 1, 0, 0);
    mapContext.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (map) drawCells(mapContext, view, map, session.scene.bounds, theme);
  }

  /** Shift the old picture while the view moves; draw it again when the view is at rest, and periodically. */
  drawTrails(now) {
    const { trails, view } = this;
    this.trailCanvas.hidden = !this.showTrails;
    const fits = trails.view.version === view.version && this.showTrails;
    trails.extend(this.session.states, this.trailContext, view, fits);
    if (!this.showTrails) return;
    if (trails.view.version !== view.version) {
      if (this.seenVersion !== view.version) this.movedAt = now;
      this.seenVersion = view.version;
      const cheap = trails.count * trails.length < 2000;
      if (!cheap && now - this.movedAt < SETTLE && now - (this.rebuiltAt ?? 0) < 4 * SETTLE) {
        const { x, y, scale } = trails.view;
        const grown = view.scale / scale;
        const [px, py] = view.pixels(x, y);
        const [left, top] = [px - (view.width / 2) * grown, py - (view.height / 2) * grown];
        this.trailCanvas.style.transform = `translate(${left}px, ${top}px) scale(${grown})`;
        this.requestDraw();
        return;
      }
      trails.stale = true;
    }
    if (!trails.stale) return;
    trails.rebuild(this.trailContext, view);
    this.trailCanvas.style.transform = "";
    this.rebuiltAt = now;
  }

  drawRobots(now) {
    const { context, view, session } = this;
    const { states, robots, kinds } = session;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.glowing = false;
    this.shown.length = 0;
    if (!states.to || states.count !== robots.length || !session.scene) return;
    for (let i = 0; i < states.count; i++) {
      if (view.sees(states.x[i], states.y[i], reach(kinds[robots[i].kind].body))) this.shown.push(i);
    }
    const chosen = session.index.get(session.selected);
    if (this.showRays) this.drawAllRays(chosen);
    const map = this.maps.current;
    if (map) drawMapParts(context, view, map, session.kindOf(session.robot(map.robot)), this.parts);
    if (chosen !== undefined) drawSelection(this, chosen);
    drawThings(context, view, session);
    this.bodies.draw(context, view, session, this.shown);
    this.glowing = this.bodies.drawSignals(context, view, session, this.shown, now);
    this.drawEstimates();
    this.bodies.drawNames(context, view, session, this.shown, this.hovered);
    if (this.ghost) drawGhost(this);
  }

  /** Draw the pose estimates of the programs of subscribed robots. */
  drawEstimates() {
    const { context, view, session } = this;
    if (!this.parts.pose) return;
    for (const i of this.shown) {
      const estimate = this.subscriptions.latest.get(session.robots[i].name)?.estimate;
      if (estimate) drawEstimate(context, view, estimate);
    }
  }

  drawAllRays(chosen) {
    const { context, view, session, visibility } = this;
    const { states, robots, kinds, scene } = session;
    const draw = (i, strength, pointed) => {
      const seen = this.subscriptions.latest.get(robots[i].name);
      const pose = { x: states.x[i], y: states.y[i], heading: states.heading[i] };
      const how = { strength, bounds: scene.bounds, visibility, pointed };
      if (seen) drawRays(context, view, kinds[robots[i].kind], pose, seen, how);
    };
    if (this.shown.length <= FEW) for (const i of this.shown) if (i !== chosen) draw(i, 0.55);
    if (chosen !== undefined) draw(chosen, 1, this.pointed);
  }

  get canTurn() {
    return !this.session.whyNotSimulate && !this.session.driving && !this.session.isReplay;
  }

  /** Radius of a robot on the screen [pixels]. */
  radius(i) {
    return Math.max(3, reach(this.session.kinds[this.session.robots[i].kind].body) * this.view.scale);
  }

  /** Position of the handle of a robot [pixels]. */
  handle(i) {
    const { states } = this.session;
    const [px, py] = this.view.pixels(states.x[i], states.y[i]);
    const away = this.radius(i) + HANDLE;
    return [px + away * Math.cos(states.heading[i]), py - away * Math.sin(states.heading[i])];
  }

  /** Index of the robot at a pixel, or undefined. */
  pick(px, py, slack) {
    const { states } = this.session;
    let best;
    let least = Infinity;
    for (let i = 0; i < states.count; i++) { // all robots, because the view may have changed since the last drawing
      const [x, y] = this.view.pixels(states.x[i], states.y[i]);
      const away = Math.hypot(px - x, py - y) - Math.max(this.radius(i), slack);
      if (away <= 0 && away < least) [best, least] = [i, away];
    }
    return best;
  }

  drawScaleBar() {
    const metres = roundLength(130 / this.view.scale);
    this.scaleBar.style.width = `${metres * this.view.scale}px`;
    this.scaleBar.textContent = metres >= 0.1 ? `${tidy(metres)} m` : `${tidy(100 * metres)} cm`;
  }
}
