// Pointer gestures on the arena: drag, pinch, wheel, click to select, drag a robot to move it.

const CLICK = 4; // maximum movement of a click in pixels
const SLACK = { mouse: 10, touch: 20, pen: 14 }; // pixels around the middle of small robots

export class Gestures {
  pointers = new Map(); // id → {x, y}

  constructor(session, arena, mover, goalTool) {
    Object.assign(this, { session, arena, mover, goalTool, canvas: arena.canvas });
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.#cancel(event));
    canvas.addEventListener("pointerleave", () => this.#hover(-1e6, -1e6, "mouse"));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => this.#double(event));
  }

  /** Position of an event on the canvas [pixels]. */
  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Robot or handle under the pointer: {i, how}, how "turn" or "move"; or null. */
  #grip(px, py, type) {
    const chosen = this.session.index.get(this.session.selected);
    const { arena } = this;
    if (chosen !== undefined && arena.canTurn) {
      const [hx, hy] = arena.handle(chosen);
      if (Math.hypot(px - hx, py - hy) < SLACK[type] + 2) return { i: chosen, how: "turn" };
    }
    const i = arena.pick(px, py, SLACK[type] ?? 10);
    return i === undefined ? null : { i, how: "move" };
  }

  #down(event) {
    if (event.button > 1) return;
    const [x, y] = this.#at(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x, y });
    if (this.pointers.size > 1) {
      this.mover.cancel();
      this.press = null;
      return;
    }
    const grip = event.button === 0 && !this.goalTool.armed ? this.#grip(x, y, event.pointerType) : null;
    // A finger moves only the robot that is already selected, because panning often touches other robots.
    const firm = event.pointerType === "mouse" || this.session.robots[grip?.i]?.name === this.session.selected;
    const mayMove = grip && this.arena.canTurn && firm;
    this.press = { x, y, grip, mayMove, moved: false };
  }

  #move(event) {
    const [x, y] = this.#at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.#hover(x, y, event.pointerType);
    if (this.pointers.size === 2) this.#pinch(event.pointerId, x, y);
    else if (this.press) this.#drag(x, y, before, event.shiftKey);
    before.x = x;
    before.y = y;
  }

  #drag(x, y, before, snap) {
    const { press, mover, arena } = this;
    if (!press.moved) {
      if (Math.hypot(x - press.x, y - press.y) < CLICK) return;
      press.moved = true;
      if (press.mayMove) mover.take(press.grip.i, press.grip.how, press.x, press.y);
      else arena.following = false;
      this.canvas.style.cursor = "grabbing";
      [before.x, before.y] = [press.x, press.y];
    }
    if (mover.isBusy) mover.drag(x, y, snap);
    else if (!press.mayMove) {
      arena.view.pan(x - before.x, y - before.y);
      arena.requestDraw();
    }
  }

  #pinch(id, x, y) {
    const { view } = this.arena;
    const [other] = [...this.pointers].filter(([known]) => known !== id).map(([, point]) => point);
    const before = this.pointers.get(id);
    const apart = Math.hypot(x - other.x, y - other.y);
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    this.arena.following = false;
    view.pan((x - before.x) / 2, (y - before.y) / 2);
    if (was > 0) view.zoom(apart / was, (x + other.x) / 2, (y + other.y) / 2);
    this.arena.requestDraw();
  }

  #up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const { press, mover, session } = this;
    this.canvas.style.cursor = "";
    if (mover.isBusy) mover.drop();
    else if (press && !press.moved && event.button === 0 && !this.pointers.size) this.#click(press, event.pointerType);
    if (press?.moved && press.mayMove) session.select(session.robots[press.grip.i]?.name ?? "");
    this.press = null;
  }

  /** Select the robot at a point, also below another robot's handle; with the goal tool, send the selected robot. */
  #click({ x, y, grip }, type) {
    if (this.goalTool.armed) {
      this.goalTool.send(x, y);
      return;
    }
    const i = this.arena.pick(x, y, SLACK[type] ?? 10);
    if (i !== undefined || !grip) this.session.select(this.session.robots[i]?.name ?? "");
  }

  #cancel(event) {
    this.pointers.delete(event.pointerId);
    this.mover.cancel();
    this.press = null;
  }

  #hover(x, y, type) {
    const grip = this.#grip(x, y, type);
    if (this.arena.hovered !== grip?.i) {
      this.arena.hovered = grip?.i;
      this.arena.requestDraw();
    }
    if (this.goalTool.armed) return;
    const hand = grip && this.arena.canTurn ? "grab" : grip ? "pointer" : "";
    if (this.canvas.style.cursor !== hand) this.canvas.style.cursor = hand;
  }

  #wheel(event) {
    event.preventDefault();
    const [x, y] = this.#at(event);
    const lines = (event.deltaMode === 1 ? 16 : 1) * (event.ctrlKey ? 5 : 1); // with Ctrl it is a pinch on a touchpad
    const factor = Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.0018);
    if (this.arena.following) this.arena.view.zoom(factor);
    else this.arena.view.zoom(factor, x, y);
    this.arena.requestDraw();
  }

  #double(event) {
    const [x, y] = this.#at(event);
    const i = this.arena.pick(x, y, SLACK.mouse);
    if (i === undefined) this.arena.fit();
    else {
      this.session.select(this.session.robots[i].name);
      this.arena.follow(true);
    }
  }
}
