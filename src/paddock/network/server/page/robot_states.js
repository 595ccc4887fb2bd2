// Poses of all robots and things: the last two frames, and interpolation between them.

const FLOATS = 5; // of 4 bytes in a robot's 20, see protocol/frames.py
const MAX_INTERPOLATION = 200; // [ms] no interpolation between frames that are farther apart
const FULL_TURN = 2 * Math.PI;
const CONTACT_SHOWN = 350; // [ms]

export class RobotStates {
  count = 0;
  tick = 0;
  /** Interpolated poses for drawing: x, y [m], heading [rad]. */
  x = new Float32Array(0);
  y = new Float32Array(0);
  heading = new Float32Array(0);
  left = new Int16Array(0); // wheel speeds [mm/s]
  right = new Int16Array(0);
  contacts = new Uint16Array(0);
  bearing = new Float32Array(0); // of the last contact on the body [rad]
  touched = new Float64Array(0); // time of the last contact [ms]
  leds = new Uint8Array(0); // a bit per LED, the same number of bytes for each robot; empty if all are off
  things = new Float32Array(0); // interpolated x, y [m], heading [rad] of each thing
  thingsFrom = this.things;
  thingsTo = this.things;
  teleported = new Uint8Array(0); // 1 where a robot was teleported since the last update of the trails
  moving = false; // whether the interpolation has not reached the newest frame
  fromTick = 0; // tick of the poses at the start of the interpolation
  share = 1; // of the interpolation

  /** Tick of the interpolated poses, which lag behind the newest frame. */
  get shownTick() {
    return this.moving ? this.fromTick + this.share * (this.tick - this.fromTick) : this.tick;
  }

  /** Take over a list of robots; an unchanged list keeps its states. */
  adopt(robots, kinds) {
    const names = robots.map((robot) => robot.name);
    if (names.length === this.count && names.every((name, i) => name === this.names[i])) return;
    this.names = names;
    this.count = names.length;
    this.fastest = Float32Array.from(robots, (robot) => kinds[robot.kind].drive.max_speed);
    for (const key of ["x", "y", "heading", "bearing"]) this[key] = new Float32Array(this.count);
    this.left = new Int16Array(this.count);
    this.right = new Int16Array(this.count);
    this.contacts = new Uint16Array(this.count);
    this.leds = new Uint8Array(0);
    this.teleported = new Uint8Array(this.count);
    this.touched = new Float64Array(this.count).fill(-Infinity);
    this.from = new Float32Array(3 * this.count);
    this.to = null;
  }

  /** Reset for another world, without interpolation to it. */
  clear() {
    this.count = this.tick = 0;
    this.to = null;
  }

  /** Take over a frame that arrived at `now` [ms]. */
  receive(bodies, leds, tick, dt, now, things) {
    if (bodies.length !== 4 * FLOATS * this.count) return; // the matching list of robots has not arrived yet
    const buffer = bodies.buffer.slice(bodies.byteOffset, bodies.byteOffset + bodies.byteLength);
    const floats = new Float32Array(buffer);
    const shorts = new Int16Array(buffer);
    const words = new Uint16Array(buffer);
    this.leds = leds ? leds.slice() : new Uint8Array(0);
    this.interpolateTo(now);
    const seconds = (tick - this.tick) * dt;
    const fresh = !this.to || tick < this.tick;
    this.fromTick = fresh ? tick : this.shownTick;
    let moves = this.#receiveThings(things, fresh) || fresh; // stationary robots are drawn once, not in every animation frame
    for (let i = 0; i < this.count; i++) {
      const x = floats[FLOATS * i];
      const y = floats[FLOATS * i + 1];
      const farthest = 1.5 * this.fastest[i] * seconds + 0.02;
      // From the last frame and not from the drawn pose, which lags behind when several frames arrive at once.
      const isFar = () => Math.hypot(x - this.to[FLOATS * i], y - this.to[FLOATS * i + 1]) > farthest;
      const teleports = fresh || isFar(); // it was teleported
      moves ||= teleports || x !== this.x[i] || y !== this.y[i] || floats[FLOATS * i + 2] !== this.heading[i];
      if (teleports) this.teleported[i] = 1;
      this.from[3 * i] = teleports ? x : this.x[i];
      this.from[3 * i + 1] = teleports ? y : this.y[i];
      const turned = this.heading[i];
      this.from[3 * i + 2] = teleports ? floats[FLOATS * i + 2] : turned - FULL_TURN * Math.round(turned / FULL_TURN);
      this.left[i] = shorts[10 * i + 6];
      this.right[i] = shorts[10 * i + 7];
      this.contacts[i] = words[10 * i + 8];
      if (this.contacts[i]) {
        this.bearing[i] = (words[10 * i + 9] * Math.PI) / 32768;
        this.touched[i] = now;
      }
    }
    const gap = now - (this.arrived ?? now);
    this.duration = Math.min(MAX_INTERPOLATION, gap < 2 * MAX_INTERPOLATION ? 0.7 * (this.duration ?? gap) + 0.3 * gap : 0);
    this.arrived = now;
    this.to = floats;
    this.tick = tick;
    this.moving = moves;
    this.share = 0;
    if (fresh) this.interpolateTo(now); // so that poses are correct before the next animation frame
  }

  /** Take over the poses of things; return whether any of them moves. */
  #receiveThings(things, fresh) {
    if (!things?.length) {
      this.things = this.thingsTo = new Float32Array(0);
      return false;
    }
    const poses = new Float32Array(things.buffer.slice(things.byteOffset, things.byteOffset + things.byteLength));
    if (fresh || poses.length !== this.things.length) this.things = poses.slice();
    this.thingsFrom = this.things.slice();
    this.thingsTo = poses;
    return poses.some((number, k) => number !== this.things[k]);
  }

  /** Interpolate the poses at `now` [ms] between the last two frames. */
  interpolateTo(now) {
    if (!this.to || !this.moving) return;
    const share = this.duration > 0 ? Math.min(1, (now - this.arrived) / this.duration) : 1;
    this.share = share;
    const { x, y, heading, from, to } = this;
    for (let i = 0; i < this.count; i++) {
      const a = 3 * i;
      const b = FLOATS * i;
      x[i] = from[a] + share * (to[b] - from[a]);
      y[i] = from[a + 1] + share * (to[b + 1] - from[a + 1]);
      let turn = to[b + 2] - from[a + 2];
      if (turn > Math.PI) turn -= FULL_TURN;
      else if (turn < -Math.PI) turn += FULL_TURN;
      heading[i] = from[a + 2] + share * turn;
    }
    for (let k = 0; k < this.thingsTo.length; k++) {
      const change = this.thingsTo[k] - this.thingsFrom[k];
      const full = k % 3 === 2 ? FULL_TURN * Math.round(change / FULL_TURN) : 0;
      this.things[k] = this.thingsFrom[k] + share * (change - full);
    }
    this.moving = share < 1;
  }

  /** Opacity of a robot's last contact at `now`: 1 … 0. */
  glow(i, now) {
    if (this.contacts[i]) return 1;
    return Math.max(0, 1 - (now - this.touched[i]) / CONTACT_SHOWN);
  }

  /** Whether a robot's LED is on. */
  lit(i, led) {
    const bytes = this.leds.length / this.count;
    return led < 8 * bytes && Boolean(this.leds[bytes * i + (led >> 3)] & (1 << (led & 7)));
  }

  /** Pose of a robot in the last frame. */
  pose(i) {
    const b = FLOATS * i;
    return this.to ? { x: this.to[b], y: this.to[b + 1], heading: this.to[b + 2] } : { x: 0, y: 0, heading: 0 };
  }
}
