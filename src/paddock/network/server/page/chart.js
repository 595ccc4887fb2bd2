// Line charts of a device's values over time: since the start of the run, or the last seconds. A click switches.

import { numberText } from "./devices.js";
import { make, scaledCanvas } from "./dom.js";
import { loadSetting, storeSetting } from "./storage.js";
import { PALETTE } from "./paint.js";
import { Samples } from "./samples.js";

const SAMPLES = 320;
const MAX_LINES = 16;
const GUTTER = 43; // for the scale, at the left
const BAND = 13; // for the times, below
const MARGIN = 3; // above and below the lines
const MANY = 4; // lines, from which a chart is taller
const DASHES = [4, 3]; // of lines whose colour another line has, too
const FAINT = 0.2; // opacity of the lines beside the one that is pointed at
const TITLES = {
  true: "Since the run began (click for the last seconds)",
  false: "The last seconds (click for the whole run)",
};

const charts = new Set();
let showsAll = loadSetting("charts.all", true);

export class Chart {
  pointed = null; // {channel}, and {time} if the pointer is on this chart

  /** A line per label. With `low` and `high` the scale is fixed, else it is fitted to the values. */
  constructor({ labels, low, high, unit = "", factor = 1, digits = 2, colors = PALETTE.lines }) {
    this.channels = Math.min(labels.length, MAX_LINES);
    Object.assign(this, { labels, low, high, unit, factor, digits, colors });
    this.all = new Samples(this.channels, SAMPLES, { thins: true });
    this.recent = new Samples(this.channels, SAMPLES, { thins: false });
    const { canvas, redraw } = scaledCanvas("chart", (context, width, height) => this.#draw(context, width, height));
    this.element = canvas;
    this.redraw = redraw;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "chart over time");
    canvas.title = TITLES[showsAll];
    canvas.classList.toggle("tall", this.channels > MANY);
    canvas.addEventListener("click", toggle);
    canvas.addEventListener("pointermove", (event) => this.point(this.#find(event)));
    canvas.addEventListener("pointerleave", () => this.point(null));
    charts.add(this);
  }

  /** Bring out the line of a channel; null: none. */
  point(pointed) {
    this.pointed = pointed?.channel < this.channels ? pointed : null;
    this.redraw();
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
    const later = this.recent.rows().filter(([time]) => time > times[times.length - 1]);
    this.clear();
    for (let k = 0; k < times.length; k++) this.push(times[k], values.subarray(k * channels, (k + 1) * channels));
    for (const [time, row] of later) this.push(time, row);
    this.redraw();
  }

  clear() {
    this.all.clear();
    this.recent.clear();
  }

  #draw(context, width, height) {
    const { samples } = this;
    if (samples.count < 2) return;
    const { x, y, first, last, low, high } = this.#axes(width, height);
    const style = getComputedStyle(this.element);
    context.strokeStyle = style.getPropertyValue("--line");
    context.lineWidth = 1;
    context.beginPath();
    const zero = low < 0 && high > 0 ? y(0) : height - BAND - 0.5;
    context.moveTo(GUTTER, zero);
    context.lineTo(width, zero);
    context.stroke();
    const chosen = this.pointed?.channel;
    context.lineJoin = "round";
    for (let i = 0; i < this.channels; i++) {
      let isDown = false; // a line is interrupted where nothing was recorded
      context.beginPath();
      for (let k = 0; k < samples.count; k++) {
        const value = samples.value(k, i);
        if (!Number.isFinite(value)) isDown = false;
        else if (isDown) context.lineTo(x(samples.time(k)), y(value));
        else context.moveTo(x(samples.time(k)), y(value));
        isDown ||= Number.isFinite(value);
      }
      context.strokeStyle = this.colors[i % this.colors.length];
      context.lineWidth = i === chosen ? 2.2 : 1.4;
      context.globalAlpha = chosen === undefined || i === chosen ? 1 : FAINT;
      context.setLineDash(i < this.colors.length ? [] : DASHES);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.setLineDash([]);
    this.#label(context, style, width, height, first, last, low, high);
    if (this.pointed?.time !== undefined) this.#mark(context, style, width, { x, y });
  }

  /** Positions on the canvas, in pixels, of times and values. */
  #axes(width, height) {
    const { samples } = this;
    const [first, last] = [samples.time(0), samples.time(samples.count - 1)];
    const [low, high] = this.#scale(samples);
    const room = height - BAND - 2 * MARGIN;
    const x = (time) => GUTTER + (width - GUTTER) * (1 - (last - time) / (last - first || 1));
    const y = (value) => MARGIN + room * (1 - Math.min(1, Math.max(0, (value - low) / (high - low))));
    return { x, y, first, last, low, high };
  }

  /** Sample and channel of the line under the pointer: {k, channel, time}; or null. */
  #find({ offsetX, offsetY }) {
    const { samples } = this;
    const { clientWidth, clientHeight } = this.element;
    if (samples.count < 2 || offsetX < GUTTER) return null;
    const { x, y } = this.#axes(clientWidth, clientHeight);
    let k = 0;
    while (k + 1 < samples.count && Math.abs(x(samples.time(k + 1)) - offsetX) <= Math.abs(x(samples.time(k)) - offsetX)) k++;
    const away = Array.from({ length: this.channels }, (_, i) => Math.abs(y(samples.value(k, i)) - offsetY));
    const least = Math.min(...away.filter(Number.isFinite));
    return Number.isFinite(least) ? { channel: away.indexOf(least), time: samples.time(k) } : null;
  }

  /** Mark the point under the pointer, with its label, value and time. */
  #mark(context, style, width, { x, y }) {
    const { samples, pointed } = this;
    let k = samples.count - 1;
    while (k > 0 && samples.time(k) > pointed.time) k--;
    const value = samples.value(k, pointed.channel);
    if (!Number.isFinite(value)) return;
    const px = x(samples.time(k));
    context.fillStyle = this.colors[pointed.channel % this.colors.length];
    context.beginPath();
    context.arc(px, y(value), 3.5, 0, 2 * Math.PI);
    context.fill();
    const read = [numberText(value * this.factor, this.digits), this.unit].filter(Boolean).join(" ");
    const text = [this.labels[pointed.channel], read, `${numberText(samples.time(k), 1)} s`].filter(Boolean).join(" · ");
    const isRight = px > (GUTTER + width) / 2;
    const half = context.measureText(text).width + 10;
    const left = isRight ? GUTTER + 2 : width - half - 2;
    context.fillStyle = style.getPropertyValue("--raised");
    context.fillRect(left, 2, half, 15);
    context.fillStyle = style.getPropertyValue("--ink");
    context.textAlign = "left";
    context.textBaseline = "top";
    context.fillText(text, left + 5, 4);
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

/** What the charts of the monitor show: each {start, end, gap}, the time of its first and last sample and the longest one between two [s]. */
export function chartSpans() {
  return currentCharts().map(({ samples }) => {
    const times = samples.rows().map(([time]) => time);
    const gap = Math.max(0, ...times.slice(1).map((time, k) => time - times[k]));
    return { start: times[0], end: times.at(-1), gap };
  });
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

/** The legend of a line: a swatch for the label of a channel; nothing if there is only one line. */
export function lineKey({ labels }, i) {
  if (labels.length < 2 || i >= MAX_LINES) return [];
  const key = make("span", "line-key");
  key.style.setProperty("--color", PALETTE.lines[i % PALETTE.lines.length]);
  key.classList.toggle("dashed", i >= PALETTE.lines.length);
  return [key];
}
