// The time line of a replayed recording: position, seeking, back by one tick, going live.

import { make, setText } from "./dom.js";
import { timeText } from "./clockbar.js";

export class Timeline {
  #wanted = null; // last requested tick, while the server is still seeking
  #isBusy = false;

  constructor(session, elements) {
    Object.assign(this, { session, ...elements });
    this.position.addEventListener("input", () => this.seek(Number(this.position.value)));
    this.position.addEventListener("pointerup", () => this.position.blur()); // so that keys control the clock again
    this.back.addEventListener("click", () => this.stepBack());
    this.live.addEventListener("click", () => session.ask("go_live"));
    for (const event of ["timeline", "connection"]) session.on(event, () => this.show());
    for (const event of ["frame", "clock"]) session.on(event, () => this.showPosition());
    this.show();
  }

  /** Current tick of the recording. */
  get tick() {
    return this.#wanted ?? this.session.clock.tick + this.session.timeline.offset;
  }

  /** Go to a tick; while the server is seeking, only the last request is kept. */
  async seek(tick) {
    if (!this.session.isReplay || this.position.disabled) return;
    const { first, last } = this.session.timeline;
    this.#wanted = Math.min(last, Math.max(first, tick));
    this.showPosition();
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let going = null; this.#wanted !== null && this.#wanted !== going; ) {
      going = this.#wanted;
      if (!(await this.session.ask("seek", { tick: going }))) break;
    }
    this.#isBusy = false;
    this.#wanted = null;
    this.showPosition();
  }

  async stepBack() {
    if (!this.session.isReplay || this.back.disabled) return;
    if (this.session.clock.running) await this.session.ask("pause");
    this.seek(this.tick - 1);
  }

  show() {
    const { timeline, dt, live, whyNotSupervise } = this.session;
    this.panel.hidden = !timeline || !live;
    if (this.panel.hidden) return;
    const { first, last, marks = [], live: isOver, name } = timeline;
    Object.assign(this.position, { min: first, max: Math.max(last, first + 1) });
    const why = whyNotSupervise || (isOver ? "The replay has ended: this arena is live." : "");
    const titles = new Map([
      [this.position, `Drag to any time of ${name}`],
      [this.back, "Back by one tick (,)"],
      [this.live, "End the replay here: robots execute commands from now on"],
    ]);
    for (const [control, title] of titles) Object.assign(control, { disabled: Boolean(why), title: why || title });
    this.panel.dataset.live = Boolean(isOver);
    const word = isOver ? "Live" : "Go live from here";
    setText(this.live.querySelector("span"), word);
    this.live.setAttribute("aria-label", word);
    this.marks.replaceChildren(
      ...marks.map(({ tick, kind, text }) => {
        const mark = make("i", "", { title: `${timeText(tick * dt)}: ${text || kind}`, dataset: { kind } });
        mark.style.setProperty("--at", (tick - first) / Math.max(1, last - first));
        return mark;
      }),
    );
    this.showPosition();
  }

  showPosition() {
    if (this.panel.hidden) return;
    const { dt, timeline } = this.session;
    if (!timeline.live) this.position.value = this.tick;
    const now = timeText(Math.max(0, Number(this.position.value)) * dt);
    setText(this.shown, `${now} / ${timeText(timeline.last * dt)}`);
  }
}
