// Measures the actual frame rate of the browser.

const KEPT = 120;

export class FrameRate {
  #times = new Float64Array(KEPT);
  #count = 0;

  tick(now) {
    this.#times[this.#count++ % KEPT] = now;
  }

  /** Average over the last frames, at most two seconds. */
  get perSecond() {
    const known = Math.min(this.#count, KEPT);
    if (known < 2) return 0;
    const newest = this.#times[(this.#count - 1) % KEPT];
    const oldest = this.#times[(this.#count - known) % KEPT];
    return (1000 * (known - 1)) / (newest - oldest);
  }
}
