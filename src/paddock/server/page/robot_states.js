// All robots' bodies: the last two frames, and where robots are between them.

const FLOATS = 5; // of 4 bytes in a robot's 20, see protocol/frames.py
const LONGEST_GLIDE = 200; // [ms] frames that are farther apart are not bridged
const FULL_TURN = 2 * Math.PI;
const CONTACT_SHOWN = 350; // [ms]

export class RobotStates {
  count = 0;
  tick = 0;
  /** Of drawn robots: x, y [m], heading [rad]. */
  x = new Float32Array(0);
  y = new Float32Array(0);
  heading = new Float32Array(0);
  left = new Int16Array(0); // wheel speeds [mm/s]
  right = new Int16Array(0);
  contacts = new Uint16Array(0);
  bearing = new Float32Array(0); // of the last contact on the body [rad]
  touched = new Float64Array(0); // when it last touched something [ms]
  lamps = new Uint8Array(0); // a bit per lamp that is on, equally many bytes for each robot; none if all are dark
  leapt = new Uint8Array(0); // 1 where a robot was put elsewhere since trails last looked
  moving = false; // whether robots still glide to the newest frame

  /** A new list of robots; those that were there keep their places. */
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
    this.lamps = new Uint8Array(0);
    this.leapt = new Uint8Array(this.count);
    this.touched = new Float64Array(this.count).fill(-Infinity);
    this.from = new Float32Array(3 * this.count);
    this.to = null;
  }

  /** Another world: nothing glides there from here. */
  forget() {
    this.count = this.tick = 0;
    this.to = null;
  }

  /** Take over a frame that arrived at `now` [ms]. */
  receive(bodies, lamps, tick, dt, now) {
    if (bodies.length !== 4 * FLOATS * this.count) return; // of a list of robots that has not arrived yet
    const buffer = bodies.buffer.slice(bodies.byteOffset, bodies.byteOffset + bodies.byteLength);
    const floats = new Float32Array(buffer);
    const shorts = new Int16Array(buffer);
    const words = new Uint16Array(buffer);
    this.lamps = lamps ? lamps.slice() : new Uint8Array(0);
    this.glideTo(now);
    const seconds = (tick - this.tick) * dt;
    const fresh = !this.to || tick < this.tick;
    let moves = fresh; // who stands still is drawn once, not in every picture until the next frame
    for (let i = 0; i < this.count; i++) {
      const x = floats[FLOATS * i];
      const y = floats[FLOATS * i + 1];
      const farthest = 1.5 * this.fastest[i] * seconds + 0.02;
      // From the last frame and not from the drawn place, which lags behind when frames come in a bunch.
      const isFar = () => Math.hypot(x - this.to[FLOATS * i], y - this.to[FLOATS * i + 1]) > farthest;
      const leaps = fresh || isFar(); // it was teleported
      moves ||= leaps || x !== this.x[i] || y !== this.y[i] || floats[FLOATS * i + 2] !== this.heading[i];
      if (leaps) this.leapt[i] = 1;
      this.from[3 * i] = leaps ? x : this.x[i];
      this.from[3 * i + 1] = leaps ? y : this.y[i];
      const turned = this.heading[i];
      this.from[3 * i + 2] = leaps ? floats[FLOATS * i + 2] : turned - FULL_TURN * Math.round(turned / FULL_TURN);
      this.left[i] = shorts[10 * i + 6];
      this.right[i] = shorts[10 * i + 7];
      this.contacts[i] = words[10 * i + 8];
      if (this.contacts[i]) {
        this.bearing[i] = (words[10 * i + 9] * Math.PI) / 32768;
        this.touched[i] = now;
      }
    }
    const gap = now - (this.arrived ?? now);
    this.glide = Math.min(LONGEST_GLIDE, gap < 2 * LONGEST_GLIDE ? 0.7 * (this.glide ?? gap) + 0.3 * gap : 0);
    this.arrived = now;
    this.to = floats;
    this.tick = tick;
    this.moving = moves;
    if (fresh) this.glideTo(now); // who asks before the next picture is drawn is told the truth, too
  }

  /** Move drawn robots to where they are at `now` [ms], between the last two frames. */
  glideTo(now) {
    if (!this.to || !this.moving) return;
    const share = this.glide > 0 ? Math.min(1, (now - this.arrived) / this.glide) : 1;
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
    this.moving = share < 1;
  }

  /** How visible a robot's last contact is at `now`: 1 … 0. */
  glow(i, now) {
    if (this.contacts[i]) return 1;
    return Math.max(0, 1 - (now - this.touched[i]) / CONTACT_SHOWN);
  }

  /** Whether a robot's lamp is on. */
  lit(i, lamp) {
    const bytes = this.lamps.length / this.count;
    return lamp < 8 * bytes && Boolean(this.lamps[bytes * i + (lamp >> 3)] & (1 << (lamp & 7)));
  }

  /** A robot's exact last pose. */
  pose(i) {
    const b = FLOATS * i;
    return this.to ? { x: this.to[b], y: this.to[b + 1], heading: this.to[b + 2] } : { x: 0, y: 0, heading: 0 };
  }
}
