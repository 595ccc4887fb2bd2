// Moves robots by hand: drag the body to move it, the handle to turn it, Esc to cancel.

const SNAP_BACK = 160; // [ms]
const RIGHT_ANGLES = Math.PI / 12; // with Shift, headings snap to these

export class Mover {
  constructor(session, arena) {
    Object.assign(this, { session, arena });
  }

  get isBusy() {
    return Boolean(this.hold);
  }

  /** Start to move robot i by its body, or to turn it by its handle. */
  take(i, how, px, py) {
    const { states } = this.session;
    const [x, y] = this.arena.view.metres(px, py);
    this.hold = { i, how, dx: states.x[i] - x, dy: states.y[i] - y };
    this.arena.ghost = { i, x: states.x[i], y: states.y[i], heading: states.heading[i] };
    this.arena.requestDraw();
  }

  drag(px, py, snap) {
    const { hold, arena } = this;
    const [x, y] = arena.view.metres(px, py);
    if (hold.how === "move") Object.assign(arena.ghost, { x: x + hold.dx, y: y + hold.dy });
    else {
      let heading = Math.atan2(y - arena.ghost.y, x - arena.ghost.x);
      if (snap) heading = RIGHT_ANGLES * Math.round(heading / RIGHT_ANGLES);
      arena.ghost.heading = heading;
    }
    arena.requestDraw();
  }

  /** Set the pose; if the server refuses, animate the robot back. */
  async drop() {
    const { ghost } = this.arena;
    this.hold = null;
    const { x, y, heading } = ghost;
    const robot = this.session.robots[ghost.i]?.name;
    const placed = robot && (await this.session.ask("set_pose", { robot, x, y, heading }));
    if (!placed) this.#snapBack(ghost);
    else {
      if (this.arena.ghost === ghost) this.arena.ghost = null;
      this.arena.subscriptions.refresh();
    }
    this.arena.requestDraw();
  }

  cancel() {
    if (!this.hold) return;
    this.hold = null;
    this.#snapBack(this.arena.ghost);
  }

  #snapBack(ghost) {
    const { states } = this.session;
    const from = { ...ghost };
    const start = performance.now();
    const move = () => {
      if (this.arena.ghost !== ghost) return;
      const share = Math.min(1, (performance.now() - start) / SNAP_BACK);
      ghost.x = from.x + share * (states.x[ghost.i] - from.x);
      ghost.y = from.y + share * (states.y[ghost.i] - from.y);
      if (share < 1) requestAnimationFrame(move);
      else this.arena.ghost = null;
      this.arena.requestDraw();
    };
    move();
  }
}
