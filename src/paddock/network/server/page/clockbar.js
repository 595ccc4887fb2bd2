// Controls and display of the clock: play, step, speed, reset, seed, time and actual speed.

import { setText } from "./dom.js";

const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 0]; // 0: as fast as possible
const LARGEST_SEED = 2n ** 63n - 1n;
const PACE_EVERY = 500; // [ms]
const STILL = 1000; // [ms] without a tick before the display shows that the clock waits

export class ClockBar {
  constructor(session, elements) {
    Object.assign(this, { session, ...elements });
    this.play.addEventListener("click", () => this.toggle());
    this.step.addEventListener("click", () => this.advance());
    this.speed.addEventListener("input", () => (this.speedShown.textContent = speedText(SPEEDS[this.speed.value])));
    this.speed.addEventListener("change", () => session.ask("set_speed", { speed: SPEEDS[this.speed.value] }));
    this.speed.addEventListener("pointerup", () => this.speed.blur()); // so that keys control the robot again
    this.reset.addEventListener("click", () => this.restart());
    this.seed.addEventListener("keydown", (event) => event.key === "Enter" && this.restart());
    this.seed.addEventListener("input", () => this.seed.classList.toggle("wrong", this.readSeed() === null));
    for (const event of ["clock", "world"]) session.on(event, () => this.show());
    session.on("connection", () => this.show());
    session.on("run", () => this.show());
    session.on("timeline", () => this.show());
    session.on("frame", () => this.showTime());
    setInterval(() => this.#showPace(), PACE_EVERY);
    this.show();
  }

  toggle() {
    if (this.play.disabled) return;
    if (this.session.hasEnded) this.runAgain();
    else this.session.ask(this.session.clock.running ? "pause" : "play");
  }

  async advance() {
    if (this.step.disabled) return;
    if (this.session.clock.running) await this.session.ask("pause");
    this.session.ask("advance", { ticks: 1 });
  }

  faster(steps) {
    if (this.speed.disabled) return;
    const next = Math.min(SPEEDS.length - 1, Math.max(0, Number(this.speed.value) + steps));
    this.speed.value = next;
    this.speedShown.textContent = speedText(SPEEDS[next]);
    this.session.ask("set_speed", { speed: SPEEDS[next] });
  }

  restart() {
    return this.#startWith("reset");
  }

  /** Restart an ended run with the seed in the field. */
  runAgain() {
    return this.#startWith("run_again");
  }

  async #startWith(request) {
    if (this.reset.disabled || this.reset.hidden) return;
    const seed = this.readSeed();
    if (seed === null) {
      this.session.emit("notice", `A seed is a whole number from 0 to ${LARGEST_SEED}.`, "refused");
      return;
    }
    this.seed.blur();
    await this.session.ask(request, seed === undefined ? {} : { seed });
  }

  /** The seed in the field: undefined for the current one, null for an invalid one. */
  readSeed() {
    const text = this.seed.value.trim();
    if (text === "" || text === String(this.session.clock.seed)) return undefined;
    if (!/^\d+$/.test(text) || BigInt(text) > LARGEST_SEED) return null;
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }

  show() {
    const { clock, run, hasEnded, whyNotControlClock, whyNotSetPace } = this.session;
    const over = hasEnded && !run.again ? "The run has ended." : "";
    const why = whyNotControlClock || over;
    const word = hasEnded ? "Run again" : clock.running ? "Pause" : "Play";
    this.play.querySelector("use").setAttribute("href", word === "Pause" ? "#i-pause" : "#i-play");
    this.play.setAttribute("aria-label", word);
    this.play.dataset.running = clock.running;
    const titles = new Map([
      [this.play, `${word} (space)`],
      [this.step, "Advance by one tick (.)"],
      [this.speed, "Simulated seconds per second ([ and ])"],
      [this.reset, "Reset, with the seed next to it (R)"],
      [this.seed, "Seed of all random numbers: the same seed gives the same run"],
    ]);
    for (const [control, title] of titles) {
      const whyNot = [this.speed, this.seed].includes(control) ? whyNotSetPace || over : why;
      control.disabled = Boolean(whyNot);
      control.title = whyNot || title;
      control.closest("label")?.setAttribute("title", whyNot || title);
    }
    this.reset.hidden = this.seed.parentElement.hidden = this.session.isReplay; // a recording has its own seed
    if (hasEnded) [this.step.disabled, this.step.title] = [true, why || "The run has ended."];
    if (document.activeElement !== this.speed) {
      this.speed.value = nearest(clock.speed);
      this.speedShown.textContent = speedText(clock.speed);
    }
    if (document.activeElement !== this.seed) this.seed.value = String(clock.seed ?? "");
    this.showTime();
    this.#showPace();
  }

  showTime() {
    const seconds = this.session.clock.tick * this.session.dt;
    const text = timeText(seconds);
    if (this.time.textContent !== text) this.time.textContent = text;
  }

  /** Show the actual speed since the last call. */
  #showPace() {
    const { clock, dt, live, hasEnded } = this.session;
    const now = performance.now();
    const before = this.before;
    if (!live || !clock.running || clock.tick !== before?.tick) this.movedAt = now;
    else if (!hasEnded && now - this.movedAt < this.#waitTimeout && /^runs/.test(this.pace.textContent)) return; // a gap
    this.before = { now, tick: clock.tick, running: clock.running };
    let text = `tick ${clock.tick}`;
    if (!live) text = "no connection";
    else if (hasEnded) text = `ended · tick ${clock.tick}`;
    else if (!clock.running) text = `paused · tick ${clock.tick}`;
    else if (this.session.lockStep && !clock.lock.length) text = "lock-step · no program yet";
    else if (clock.lock.length && now - this.movedAt >= this.#waitTimeout) text = `waits for ${listNames(clock.lock)}`;
    else if (before?.running && now - before.now > 0.8 * PACE_EVERY && clock.tick >= before.tick) {
      text = `runs ${paceText(((clock.tick - before.tick) * dt * 1000) / (now - before.now))}`;
    } else if (/^(runs|waits)/.test(this.pace.textContent)) return;
    if (live && clock.lock.length && !hasEnded && !text.startsWith("waits")) text += " · in lock";
    setText(this.pace, text);
    const isLocked = live && clock.lock.length > 0;
    this.pace.title = isLocked ? `The clock waits for all programs in the lock: ${clock.lock.join(", ")}` : "";
  }

  /** Time [ms] without a tick after which the clock counts as waiting; longer for a slow clock. */
  get #waitTimeout() {
    const { clock, dt } = this.session;
    return Math.max(STILL, clock.speed ? (2000 * dt) / clock.speed : 0);
  }
}

function nearest(speed) {
  const exact = SPEEDS.indexOf(speed);
  if (exact >= 0) return exact;
  const away = SPEEDS.slice(0, -1).map((choice) => Math.abs(Math.log(choice / speed)));
  return away.indexOf(Math.min(...away));
}

function speedText(speed) {
  if (speed === 0) return "max"; // as fast as possible
  return `${Number(speed.toPrecision(speed < 10 ? 2 : 3))}×`;
}

/** Text of a measured speed; unlike in a speed setting, 0 means stopped. */
function paceText(pace) {
  return pace === 0 ? "0×" : speedText(pace);
}

/** Short list of names; the server does not report for which of them it waits. */
function listNames(names) {
  if (names.length <= 2) return names.join(" or ");
  return `${names[0]} or ${names.length - 1} others`;
}

export function timeText(seconds) {
  if (seconds < 60) return `${seconds.toFixed(2)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = `${Math.floor(seconds % 60)}`.padStart(2, "0");
  if (minutes < 60) return `${minutes}:${rest}.${Math.floor((seconds * 10) % 10)} min`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest} h`;
}
