// Gauges with a bar for every channel: vertical bars, on-off lights, and horizontal bars around zero.

import { lineKey } from "./chart.js";
import { numberText } from "./devices.js";
import { make, setText } from "./dom.js";
import { PALETTE } from "./paint.js";

const IN_A_ROW = 10;

/** Vertical bars, with an arrow in the direction of each sensor (up is ahead). */
export function barGauge(device, onPoint) {
  const bars = device.labels.map((label, i) => {
    const value = make("span", "bar-value");
    const fill = make("span", "bar-fill");
    fill.style.background = device.color;
    const arrow = make("span", "bar-arrow");
    if (device.aims) arrow.style.transform = `rotate(${-device.mounts[i][3]}deg)`;
    const foot = make("span", "bar-label", {}, ...lineKey(device, i), label, ...(device.aims ? [arrow] : []));
    const track = make("span", "bar-track", {}, fill);
    const bar = make("div", "bar", { dataset: { testid: `bar-${device.name}-${i}`, channel: i } }, value, track, foot);
    pointing(bar, device, i, onPoint);
    return { bar, value, fill };
  });
  const element = make("div", "bars", {}, ...bars.map(({ bar }) => bar));
  const columns = bars.length > IN_A_ROW ? Math.ceil(bars.length / 2) : Math.max(bars.length, 3);
  element.style.setProperty("--columns", columns);
  return {
    element,
    update(values) {
      bars.forEach(({ bar, value, fill }, i) => {
        const share = Math.min(1, Math.max(0, (values[i] - device.low) / (device.high - device.low)));
        const text = numberText(values[i] * device.factor, device.digits);
        bar.dataset.value = values[i];
        if (value.textContent === text) return;
        value.textContent = text;
        fill.style.transform = `scaleY(${Math.max(0.015, share)})`;
        bar.classList.toggle("idle", share <= 0.005);
        bar.title = `${device.name}[${i}] = ${text} ${device.unit}`;
      });
    },
  };
}

/** A light for every flag. */
export function flagGauge(device, onPoint) {
  const lights = device.labels.map((label, i) => {
    const light = make("div", "switch", { dataset: { testid: `bar-${device.name}-${i}` }, textContent: label });
    pointing(light, device, i, onPoint);
    return light;
  });
  return {
    element: make("div", "switches", {}, ...lights),
    update(values) {
      lights.forEach((light, i) => {
        const isOn = values[i] > 0.5;
        light.dataset.value = isOn ? 1 : 0;
        light.classList.toggle("on", isOn);
        light.title = `${device.name}[${i}]: ${isOn ? "on" : "off"}`;
      });
    },
  };
}

/** Horizontal bars around zero: speeds, accelerations, turn rates. Several bars have the colours of their lines. */
export function levelGauge(device, onPoint) {
  const { name, labels, unit, factor, digits, low, high, color } = device;
  const levels = labels.map((label, i) => {
    const fill = make("span", "level-fill");
    fill.style.background = labels.length > 1 ? PALETTE.lines[i % PALETTE.lines.length] : color;
    const value = make("span", "level-value");
    const title = make("span", "level-label", {}, ...lineKey(device, i), label);
    const parts = [title, make("span", "level-track", {}, fill), value];
    const row = make("div", "level", { dataset: { testid: `bar-${name}-${i}` } }, ...parts);
    pointing(row, device, i, onPoint);
    return { row, fill, value };
  });
  return {
    element: make("div", "levels", {}, ...levels.map(({ row }) => row)),
    update(values) {
      levels.forEach(({ row, fill, value }, i) => {
        const share = Math.min(1, Math.max(-1, values[i] / (values[i] < 0 ? -low : high)));
        fill.style.transform = `scaleX(${share})`;
        setText(value, `${numberText(values[i] * factor, digits)} ${unit}`);
        row.dataset.value = values[i];
      });
    },
  };
}

/** Tell `onPoint` the channel of an element under the pointer. */
export function pointing(element, device, channel, onPoint) {
  element.addEventListener("pointerenter", () => onPoint({ device: device.name, channel }));
  element.addEventListener("pointerleave", () => onPoint(null));
}
