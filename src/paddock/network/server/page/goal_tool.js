// Goal tool: the next click on the floor is a goal for the program of the selected robot.

export class GoalTool {
  armed = false;

  constructor(session, arena, button) {
    Object.assign(this, { session, arena, button });
    button.addEventListener("click", () => this.toggle());
    session.on("select", () => this.disarm());
  }

  toggle() {
    const robot = this.session.robot(this.session.selected);
    const problem = robot ? this.session.whyNotDrive(robot) : "Select a robot first, then click its goal.";
    if (!this.armed && problem) this.session.emit("notice", problem, "refused");
    else this.#arm(!this.armed);
  }

  disarm() {
    this.#arm(false);
  }

  #arm(on) {
    this.armed = on;
    this.button.setAttribute("aria-pressed", on);
    this.arena.canvas.classList.toggle("aiming", on);
  }

  /** Send the selected robot to a pixel. */
  async send(px, py) {
    const robot = this.session.selected;
    const [x, y] = this.arena.view.metres(px, py);
    this.disarm();
    if (await this.session.ask("send_goal", { robot, x, y })) {
      this.session.emit("notice", `${robot} drives to (${x.toFixed(2)}, ${y.toFixed(2)}).`, "news");
    }
  }
}
