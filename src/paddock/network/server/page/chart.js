// Line charts of a device's values over time: since the start of the run, or the last seconds. A click switches.

import { numberText } from "./devices.js";
import { scaledCanvas } from "./dom.js";
import { loadSetting, storeSetting } from "./storage.js";
import { PALETTE } from "./paint.js";
import { Samples } from "./samples.js";

const SAMPLES = 320;
const MAX_LINES = 16;
const GUTTER = 43; // for the scale, at the left
const BAND = 13; // for the times, below
const TITLES = {
  true: "Since the run began (click for the last seconds)",
  false: "The last seconds (click for the whole run)",
};

const charts = new Set();
let showsAll = loadSetting("charts.all", true);

export class Chart {
  /** With `low` and `high` the scale is fixed, else it is fitted to the values. */
  constructor({ channels, low, high, factor = 1, digits = 2, colors = PALETTE.lines }) {
    Object.assign(this, { channels: Math.min(channels, MAX_LINES), low, high, factor, digits, colors });
    this.all = new Samples(this.channels, SAMPLES, { thins: true });
    this.recent = new Samples(this.channels, SAMPLES, { thins: false });
    const { canvas, redraw } = scaledCanvas("chart", (context, width, height) => this.#draw(context, width, height));
    this.element = canvas;
    this.redraw = redraw;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "chart over time");
    canvas.title = TITLES[showsAll];
    canvas.addEventListener("click", toggle);
    charts.add(this);
  }

  get samples() {
    return showsAll ? this.all : this.recent;
  }

  push(time, values) {
    this.all.push(time, values);
    this.recent.push(time, values);
  }

  /** Start with the history before this page was opened: `values` sample after sample. */
  prefill(times, values) {
    const channels = values.length / times.length;
    if (!times.length || channels < this.channels) return;
    const later = this.recent.rows();
    this.all.clear();
    for (let k = 0; k < times.length; k++) this.all.push(times[k], values.subarray(k * channels, (k + 1) * channels));
    for (const [time, row] of later) if (time > times[times.length - 1]) this.all.push(time, row);
    this.redraw();
  }

  #draw(context, width, height) {
    const { samples } = this;
    if (samples.count < 2) return;
    const last = samples.time(samples.count - 1);
    const span = last - samples.time(0) || 1;
    const [low, high] = this.#scale(samples);
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
      for (let k = 0; k < samples.count; k++) {
        const value = samples.value(k, i);
        if (Number.isFinite(value)) context.lineTo(GUTTER + wide * (1 - (last - samples.time(k)) / span), y(value));
      }
      context.strokeStyle = this.colors[i % this.colors.length];
      context.stroke();
    }
    this.#label(context, style, width, height, samples.time(0), last, low, high);
  }

  #scale(samples) {
    if (this.low !== undefined && this.high !== undefined) return [this.low, this.high];
    let [least, most] = [Infinity, -Infinity];
    for (let k = 0; k < samples.count; k++) {
      for (let i = 0; i < this.channels; i++) {
        const value = samples.value(k, i);
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    if (least > most) return [0, 1];
    const slack = 0.08 * (most - least) || 0.5 * Math.abs(most) || 0.1;
    const low = least >= 0 ? Math.max(0, least - slack) : least - slack; // no negative scale for non-negative values
    return [low, most + slack];
  }

  #label(context, style, width, height, first, last, low, high) {
    const digits = last - first < 10 ? 1 : 0;
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--faint");
    context.textAlign = "right";
    context.textBaseline = "top";
    context.fillText(numberText(high * this.factor, this.digits), GUTTER - 5, 2);
    context.textBaseline = "bottom";
    context.fillText(numberText(low * this.factor, this.digits), GUTTER - 5, height - BAND);
    context.fillText(showsAll ? `${numberText(last, digits)} s` : "now", width - 4, height - 1);
    context.textAlign = "left";
    const start = showsAll ? numberText(first, digits) : `−${numberText(last - first, digits)}`;
    context.fillText(`${start} s`, GUTTER, height - 1);
  }
}

/** Time spans of the charts of the monitor, each {start, end} [s]. */
export function chartSpans() {
  return currentCharts().map(({ samples }) => ({ start: samples.time(0), end: samples.time(samples.count - 1) }));
}

/** Charts in the document; others are deleted. */
function currentCharts() {
  for (const chart of charts) if (!chart.element.isConnected) charts.delete(chart);
  return [...charts];
}

function toggle() {
  showsAll = !showsAll;
  storeSetting("charts.all", showsAll);
  for (const chart of currentCharts()) {
    chart.element.title = TITLES[showsAll];
    chart.redraw();
  }
}
