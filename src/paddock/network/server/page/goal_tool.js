// Goal tool: the next click on the floor is a goal for the program of the selected robot.

export class GoalTool {
  armed = false;

  constructor(session, arena, button) {
    Object.assign(this, { session, arena, button });
    button.addEventListener("click", () => this.toggle());
    session.on("select", () => this.disarm());
    for (const event of ["select", "robots"]) session.on(event, () => this.#show());
    this.#show();
  }

  get robot() {
    return this.session.robot(this.session.selected);
  }

  /** The flag is there for robots whose program takes goals. */
  #show() {
    this.button.hidden = !this.robot?.goals;
    if (this.button.hidden) this.disarm();
  }

  toggle() {
    const problem = this.#whyNot();
    if (!this.armed && problem) this.session.emit("notice", problem, "refused");
    else this.#arm(!this.armed);
  }

  #whyNot() {
    const { robot } = this;
    if (!robot) return "Select a robot first, then click its goal.";
    if (!robot.goals) return `${this.session.personOf(robot.name)} takes no goals: no program with a method set_goal drives it.`;
    return this.session.whyNotDrive(robot);
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
