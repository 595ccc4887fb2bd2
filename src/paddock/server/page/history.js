// The last seconds of a device as lines, one for each of its numbers.

import { plate } from "./dom.js";
import { LINES } from "./paint.js";
import { shown } from "./devices.js";

const SAMPLES = 240;
const MOST_LINES = 16;
const GUTTER = 38; // for the scale, at the left
const BAND = 13; // for the times, below

export class History {
  count = 0;
  newest = -1;

  /** With `low` and `high` the scale is fixed, else it fits the lines. */
  constructor({ channels, low, high, factor = 1, digits = 2, colors = LINES }) {
    Object.assign(this, { channels: Math.min(channels, MOST_LINES), low, high, factor, digits, colors });
    this.times = new Float64Array(SAMPLES);
    this.values = new Float32Array(SAMPLES * this.channels);
    const { canvas, redraw } = plate("history", (context, width, height) => this.#draw(context, width, height));
    this.element = canvas;
    this.redraw = redraw;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "history");
  }

  push(time, values) {
    if (this.count && time < this.times[this.newest]) this.count = 0; // time was set back
    else if (this.count && time === this.times[this.newest]) this.newest = (this.newest + SAMPLES - 1) % SAMPLES;
    else this.count = Math.min(SAMPLES, this.count + 1);
    if (!this.count) this.count = 1;
    this.newest = (this.newest + 1) % SAMPLES;
    this.times[this.newest] = time;
    for (let i = 0; i < this.channels; i++) this.values[this.newest * this.channels + i] = values[i];
  }

  #draw(context, width, height) {
    if (this.count < 2) return;
    const at = (k) => (this.newest - k + SAMPLES) % SAMPLES;
    const last = this.times[this.newest];
    const span = last - this.times[at(this.count - 1)] || 1;
    const [low, high] = this.#scale(at);
    const style = getComputedStyle(this.element);
    const room = height - BAND - 6;
    const wide = width - GUTTER;
    const y = (value) => 3 + room * (1 - Math.min(1, Math.max(0, (value - low) / (high - low))));
    context.strokeStyle = style.getPropertyValue("--line");
    context.lineWidth = 1;
    context.beginPath();
    const zero = low < 0 && high > 0 ? y(0) : height - BAND - 0.5;
    context.moveTo(GUTTER, zero);
    context.lineTo(width, zero);
    context.stroke();
    context.lineWidth = 1.4;
    context.lineJoin = "round";
    for (let i = 0; i < this.channels; i++) {
      context.beginPath();
      for (let k = this.count - 1; k >= 0; k--) {
        const x = GUTTER + wide * (1 - (last - this.times[at(k)]) / span);
        context.lineTo(x, y(this.values[at(k) * this.channels + i]));
      }
      context.strokeStyle = this.colors[i % this.colors.length];
      context.stroke();
    }
    this.#label(context, style, width, height, span, low, high);
  }

  #scale(at) {
    if (this.low !== undefined && this.high !== undefined) return [this.low, this.high];
    let [least, most] = [Infinity, -Infinity];
    for (let k = 0; k < this.count; k++) {
      for (let i = 0; i < this.channels; i++) {
        const value = this.values[at(k) * this.channels + i];
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
    const slack = 0.08 * (most - least) || 0.5 * Math.abs(most) || 0.1;
    const low = least >= 0 ? Math.max(0, least - slack) : least - slack; // nothing below zero where there is nothing
    return [low, most + slack];
  }

  #label(context, style, width, height, span, low, high) {
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--faint");
    context.textAlign = "right";
    context.textBaseline = "top";
    context.fillText(shown(high * this.factor, this.digits), GUTTER - 5, 2);
    context.textBaseline = "bottom";
    context.fillText(shown(low * this.factor, this.digits), GUTTER - 5, height - BAND);
    context.fillText("now", width - 4, height - 1);
    context.textAlign = "left";
    context.fillText(`−${shown(span, span < 10 ? 1 : 0)} s`, GUTTER, height - 1);
  }
}
