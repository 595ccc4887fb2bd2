// Cards of the monitor: wheels, pose, LEDs, and one card for every device.
// A card is {element, update(…)}; `redraw` is true if charts are due, which is less often than numbers.

import { levelGauge } from "./bars.js";
import { ledPlace } from "./bodies.js";
import { Chart } from "./chart.js";
import { make, setText } from "./dom.js";
import { dialGauge, gaugeFor } from "./gauges.js";

const NO_CHART = new Set(["image", "dial", "flags", "none"]);
const TOUCHES = ["", "touches something", "touches two things"];

/** Create a titled part of the monitor. */
export function card(id, { name, kind = "", about = "" }, ...children) {
  const small = kind && kind !== name ? [make("small", "", { textContent: kind })] : [];
  const title = make("h3", "", {}, make("span", "dot"), name, ...small);
  const header = make("header", "", {}, title, make("span", "about", { textContent: about }));
  return make("section", "card", { dataset: { testid: id }, "aria-label": name }, header, ...children);
}

/** Wheel speeds: update(states, i, time [s], redraw). */
export function wheelsCard({ drive: { max_speed: most } }) {
  const digits = most < 1 ? 3 : 2;
  const scale = { low: -most, high: most, digits };
  const wheels = { ...scale, name: "wheels", labels: ["left", "right"], unit: "m/s", factor: 1 };
  const chart = new Chart(wheels);
  const gauge = levelGauge(wheels, (pointed) => chart.point(pointed));
  const about = `at most ${most.toPrecision(2)} m/s`;
  return {
    element: card("wheels", { name: "wheels", about }, gauge.element, chart.element),
    update(states, i, time, redraw) {
      const speeds = [states.left[i] / 1000, states.right[i] / 1000];
      gauge.update(speeds);
      chart.push(time, speeds);
      if (redraw) chart.redraw();
    },
    clear: () => chart.clear(),
    prefill: (times, values) => chart.prefill(times, values),
  };
}

/** Pose of the robot, from odometry if it is real, and contacts: update(states, i). */
export function poseCard(isReal) {
  const gauge = dialGauge({ name: "pose", labels: ["x", "y", "heading"] });
  const element = card("pose", { name: isReal ? "pose by odometry" : "true pose" }, gauge.element);
  const touching = element.querySelector(".about");
  return {
    element,
    update(states, i) {
      const { x, y, heading } = states.pose(i);
      gauge.update([x, y, heading]);
      setText(touching, TOUCHES[Math.min(2, states.contacts[i])]);
    },
  };
}

/** States of the LEDs: update(states, i). */
export function ledsCard(kind) {
  const lights = kind.leds.map((name, i) => {
    const short = name.replace(/^led(?=\d)/, "").replaceAll("_", " ");
    const light = make("span", "led", { title: name, textContent: short, dataset: { testid: `led-${name}` } });
    light.style.setProperty("--led", ledPlace(kind, i).color);
    return light;
  });
  return {
    element: card("leds", { name: "LEDs", about: "lit when on" }, make("div", "leds", {}, ...lights)),
    update(states, i) {
      lights.forEach((light, k) => light.classList.toggle("on", states.lit(i, k)));
    },
  };
}

/** Readings of a device: update(values or picture, time [s], redraw). */
export function deviceCard(device, onPoint) {
  const chart = NO_CHART.has(device.gauge) ? null : chartOf(device);
  const gauge = gaugeFor(device, (pointed) => {
    onPoint(pointed);
    chart?.point(pointed);
  });
  const unit = device.gauge === "dial" ? "" : device.unit; // its values have different units
  const about = [unit, device.hint, device.polled ? "polled" : ""].filter(Boolean).join(" · ");
  const note = make("p", "note", { textContent: "waiting for the first reading …" });
  const parts = chart ? [note, gauge.element, chart.element] : [note, gauge.element];
  const element = card(`device-${device.name}`, { name: device.name, kind: device.kind, about }, ...parts);
  element.classList.add("waiting");
  element.querySelector(".dot").style.background = device.color;
  return {
    element,
    update(given, time, redraw) {
      element.classList.remove("waiting");
      gauge.update(given);
      if (!chart) return;
      chart.push(time, device.gauge === "scan" ? [Math.min(...given)] : given);
      if (redraw) chart.redraw();
    },
    clear: () => chart?.clear(),
    prefill: (times, values) => chart?.prefill(times, values),
  };
}

/** Chart of a device: the nearest distance of a scan, or all values. */
function chartOf({ gauge, labels, low, high, unit, factor, digits, color }) {
  const ends = gauge === "number" ? {} : { low, high };
  const lines = gauge === "scan" ? { labels: ["nearest"], colors: [color] } : { labels };
  return new Chart({ ...ends, ...lines, unit, factor, digits: Math.min(2, digits) });
}
