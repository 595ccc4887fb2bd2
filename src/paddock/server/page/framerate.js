// How many pictures a second the browser really shows.

const KEPT = 120;

export class FrameRate {
  #times = new Float64Array(KEPT);
  #count = 0;

  tick(now) {
    this.#times[this.#count++ % KEPT] = now;
  }

  /** Over the last pictures, at most two seconds' worth. */
  get perSecond() {
    const known = Math.min(this.#count, KEPT);
    if (known < 2) return 0;
    const newest = this.#times[(this.#count - 1) % KEPT];
    const oldest = this.#times[(this.#count - known) % KEPT];
    return (1000 * (known - 1)) / (newest - oldest);
  }
}
