// What the page knows of sensor kinds: units, scales and words. Specs leave out what has its default value.

import { KIND_COLORS, PLAIN } from "./paint.js";

const AT_CENTRE = [[0, 0, 0, 0]];
const DEGREES = Math.PI / 180;
const RANGES = new Set(["proximity", "sonar", "laser", "camera"]);
const AXES = ["x", "y", "z"];

/** Everything that gauges and rays want to know of a sensor of a robot's spec. */
export function describe(spec) {
  const mounts = spec.mounts ?? AT_CENTRE;
  const range = spec.range ?? (spec.kind === "camera" ? 20 : 0);
  const device = {
    spec,
    name: spec.name,
    kind: spec.kind,
    color: KIND_COLORS[spec.kind] ?? PLAIN,
    mounts,
    range,
    isRange: RANGES.has(spec.kind),
    polled: spec.polled ?? false,
    opening: (spec.aperture_deg ?? spec.cone_deg ?? spec.fov_deg ?? 0) * DEGREES,
    period: spec.period ?? 0,
    ...gauge(spec, range, mounts.length),
  };
  device.labels ??= mounts.map((_, i) => String(i));
  return device;
}

/** How its numbers are shown: a gauge, a unit, what full scale is, and how many digits. */
function gauge(spec, range, channels) {
  const metres = { unit: "m", factor: 1, digits: range < 10 ? 2 : 1 };
  const near = range < 1 ? { unit: "cm", factor: 100, digits: 1 } : metres;
  const plain = { unit: "", factor: 1, digits: 2, low: 0 };
  switch (spec.kind) {
    case "proximity":
    case "sonar":
      return { show: "bars", ...near, low: range, high: 0, hint: "taller is nearer" };
    case "laser":
      return { show: "scan", ...near, low: 0, high: range, hint: `${spec.beams} beams` };
    case "camera":
      return { show: "picture", unit: "", hint: `${spec.width} × ${spec.height}` };
    case "ground":
      return { ...plain, show: "bars", high: 1, hint: "0 dark … 1 bright" };
    case "light":
      return { ...plain, show: "bars", unit: "W/m²", high: fullScale(spec, 2) };
    case "microphone":
      return { ...plain, show: "bars", high: Math.min(1, fullScale(spec, 1)), hint: "amplitude" };
    case "chemical":
      return { ...plain, show: "bars", high: 1, digits: 3, hint: "strength of the field" };
    case "bumper":
      return { ...plain, show: "switches", high: 1, digits: 0, hint: "lit when pressed" };
    case "accelerometer":
      return { show: "levels", unit: "m/s²", factor: 1, digits: 2, low: -12, high: 12, labels: AXES };
    case "gyroscope":
      return { show: "levels", unit: "°/s", factor: 1 / DEGREES, digits: 1, low: -4, high: 4, labels: AXES };
    case "compass":
      return { show: "pose", unit: "", factor: 1, digits: 0, low: -Math.PI, high: Math.PI, labels: ["heading"] };
    case "inertial":
    case "position":
      return { show: "pose", unit: "", factor: 1, digits: 3, labels: ["x", "y", "heading"] };
    case "encoders":
      return { show: "numbers", unit: "m", factor: 1, digits: 3, labels: ["left", "right"], hint: "travel at the rim" };
    default:
      return { show: "numbers", unit: "", factor: 1, digits: 3, channels };
  }
}

function fullScale(spec, otherwise) {
  return spec.response?.length ? Math.max(...spec.response.map((row) => Math.abs(row[0]))) : otherwise;
}

/** A device's sensors as a robot's program knows them. */
export function devicesOf(kind) {
  kind.devices ??= (kind.sensors ?? []).map(describe);
  return kind.devices;
}

/** Direction of beam i of a laser from its mount's heading [rad]. */
export function beamAngle({ spec }, i) {
  const gaps = spec.fov_deg === 360 ? spec.beams : spec.beams - 1;
  return (spec.fov_deg * (i / gaps - 0.5)) * DEGREES;
}

/** A number with a fixed count of digits and a real minus sign. */
export function shown(value, digits) {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return (/^-0\.?0*$/.test(text) ? text.slice(1) : text).replace("-", "−");
}

export const radians = (degrees) => degrees * DEGREES;
export const degrees = (angle) => angle / DEGREES;
