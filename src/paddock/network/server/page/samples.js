// Time series in bounded memory: either since the start with decreasing resolution, or the newest samples only.

export class Samples {
  count = 0;
  #interval = 0; // minimum time between two stored samples [s]

  /** `thins`: if there are too many samples, delete every second one; else the oldest ones. */
  constructor(channels, size, { thins }) {
    Object.assign(this, { channels, size, thins });
    this.times = new Float64Array(size);
    this.values = new Float32Array(size * channels);
  }

  clear() {
    this.count = 0;
    this.#interval = 0;
  }

  time(k) {
    return this.times[k];
  }

  value(k, channel) {
    return this.values[k * this.channels + channel];
  }

  /** All samples, as [time, values]. */
  rows() {
    const { channels } = this;
    const row = (k) => this.values.slice(k * channels, (k + 1) * channels);
    return Array.from({ length: this.count }, (_, k) => [this.times[k], row(k)]);
  }

  /** Add a sample; it replaces the last one if it is too close to the last but one. */
  push(time, values) {
    if (this.count && time < this.times[this.count - 1]) this.clear(); // time was set back
    const isSame = this.count > 0 && time === this.times[this.count - 1];
    const isSoon = this.count > 1 && time - this.times[this.count - 2] < this.#interval;
    if (!isSame && !isSoon) {
      if (this.count === this.size) this.#makeRoom();
      this.count += 1;
    }
    const k = this.count - 1;
    this.times[k] = time;
    for (let i = 0; i < this.channels; i++) this.values[k * this.channels + i] = values[i];
  }

  #makeRoom() {
    const step = this.thins ? 2 : 1;
    const first = this.thins ? 0 : this.size >> 3;
    let kept = 0;
    for (let k = first; k < this.size; k += step, kept++) this.#move(k, kept);
    this.count = kept;
    if (this.thins) this.#interval = (2 * (this.times[kept - 1] - this.times[0])) / this.size;
  }

  #move(from, to) {
    const { channels } = this;
    this.times[to] = this.times[from];
    this.values.copyWithin(to * channels, from * channels, (from + 1) * channels);
  }
}
