// Manual driving: converts keys and the on-screen stick to wheel speeds while the switch is on.

const EVERY = 100; // [ms] period of commands while a key or the stick is held
const CRUISE = 0.8; // fraction of the robot's maximum speed
const TURNING = 0.45; // fraction of that for turning
const KEYS = {
  ArrowUp: [1, 0], KeyW: [1, 0],
  ArrowDown: [-1, 0], KeyS: [-1, 0],
  ArrowLeft: [0, 1], KeyA: [0, 1],
  ArrowRight: [0, -1], KeyD: [0, -1],
};

export class Driver {
  robot = ""; // name of the driven robot; empty: none
  held = new Set(); // keys that are down
  stickPosition = [0, 0]; // forward, left; -1 … 1
  onChange = () => {};

  constructor(session, stick) {
    Object.assign(this, { session, stick, knob: stick.querySelector(".knob") });
    addEventListener("keyup", (event) => this.held.delete(event.code) && this.steer());
    addEventListener("blur", () => this.releaseAll());
    document.addEventListener("visibilitychange", () => document.hidden && this.releaseAll());
    this.#connectStick();
    session.on("select", () => this.robot && this.robot !== session.selected && this.end());
    session.on("welcome", () => this.robot && this.#claim(this.robot)); // after a reconnection
    session.on("robots", () => this.#checkOwner());
    setInterval(() => this.isActive && this.steer(), EVERY);
  }

  get isActive() {
    return this.robot && (this.held.size > 0 || this.stickPosition[0] !== 0 || this.stickPosition[1] !== 0);
  }

  toggle() {
    const chosen = this.session.robot(this.session.selected);
    if (this.robot) this.end();
    else if (chosen && !this.session.whyNotDrive(chosen)) this.#claim(chosen.name);
  }

  async #claim(name) {
    const force = this.session.isSupervisor && this.session.isOthers(this.session.robot(name));
    const granted = await this.session.ask("claim", force ? { robot: name, force } : { robot: name });
    this.#setRobot(granted ? name : "");
    if (granted) this.#warnIfPaused();
  }

  end() {
    const robot = this.robot;
    this.releaseAll();
    this.#setRobot("");
    if (robot && this.session.robot(robot)) this.session.ask("release_robot", { robot });
  }

  /** Stop driving if another client has taken the robot, or it was removed. */
  #checkOwner() {
    const robot = this.robot && this.session.robot(this.robot);
    if (this.robot && (!robot || this.session.isOthers(robot))) this.#setRobot("");
  }

  #setRobot(robot) {
    this.robot = this.session.driving = robot;
    this.stick.hidden = !robot;
    this.held.clear();
    this.#move(0, 0);
    this.onChange();
  }

  /** Handle a pressed key; return whether it is a driving key. */
  press(event) {
    if (!this.robot || !KEYS[event.code] || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (!this.held.has(event.code)) {
      this.held.add(event.code);
      this.steer();
      this.#warnIfPaused();
    }
    return true;
  }

  releaseAll() {
    if (!this.isActive) return;
    this.held.clear();
    this.#move(0, 0);
    this.steer();
  }

  steer() {
    const robot = this.session.robot(this.robot);
    if (!robot) return;
    const most = CRUISE * this.session.kindOf(robot).drive.max_speed;
    let [ahead, turn] = this.stickPosition;
    for (const code of this.held) {
      ahead += KEYS[code][0];
      turn += KEYS[code][1];
    }
    ahead = Math.max(-1, Math.min(1, ahead));
    turn = TURNING * Math.max(-1, Math.min(1, turn));
    const fastest = Math.max(1, Math.abs(ahead - turn), Math.abs(ahead + turn));
    const wheels = [((ahead - turn) * most) / fastest, ((ahead + turn) * most) / fastest];
    this.session.link.send("command", { commands: { [robot.name]: { wheels } } });
  }

  /** Say why the robot does not move although it is driven. */
  #warnIfPaused() {
    const { clock, whyNotControlClock } = this.session;
    if (clock.running) return;
    const what = whyNotControlClock ? "" : ": press play (space)";
    this.session.emit("notice", `The clock is paused, so ${this.session.personOf(this.robot)} does not move${what}.`, "refused");
  }

  #connectStick() {
    const { stick } = this;
    const followPointer = (event) => {
      const box = stick.getBoundingClientRect();
      const radius = box.width / 2;
      let dx = (event.clientX - box.left - radius) / radius;
      let dy = (event.clientY - box.top - radius) / radius;
      const long = Math.hypot(dx, dy);
      if (long > 1) [dx, dy] = [dx / long, dy / long];
      this.#move(Math.abs(dy) < 0.12 ? 0 : -dy, Math.abs(dx) < 0.12 ? 0 : -dx);
      this.steer();
    };
    stick.addEventListener("pointerdown", (event) => {
      stick.setPointerCapture(event.pointerId);
      event.preventDefault();
      followPointer(event);
      this.#warnIfPaused();
    });
    stick.addEventListener("pointermove", (event) => stick.hasPointerCapture(event.pointerId) && followPointer(event));
    const release = () => {
      this.#move(0, 0);
      this.steer();
    };
    stick.addEventListener("pointerup", release);
    stick.addEventListener("pointercancel", release);
  }

  #move(ahead, left) {
    this.stickPosition = [ahead, left];
    this.knob.style.transform = `translate(${-36 * left}px, ${-36 * ahead}px)`;
  }
}
