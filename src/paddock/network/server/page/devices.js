// A robot's devices as gauges and rays need them. The appearance of a kind (unit, labels, colour, gauge, rays) is part
// of its spec from the server: this page does not depend on the names of kinds.

const AT_CENTRE = [[0, 0, 0, 0]];
const DEGREES = Math.PI / 180;
const SCALE = { unit: "", low: 0, high: 1, digits: 2 };
const PLAIN = { ...SCALE, labels: [], color: "#7a808a", gauge: "number", rays: "none", hint: "" };
const DISTANCES = new Set(["beams", "cones", "scan"]); // rays whose length is the measured distance
const SHORT = 1; // [m] scales below this are shown in centimetres

/** Return all properties of a sensor that gauges and rays need. */
function describe(spec) {
  const look = { ...PLAIN, ...spec.appearance };
  const [low, high] = look.nearer_is_taller ? [look.high, look.low] : [look.low, look.high];
  return {
    ...look,
    ...readableUnit(look),
    low, // the empty end of a bar
    high,
    spec,
    name: spec.name,
    kind: spec.kind,
    mounts: spec.mounts ?? AT_CENTRE,
    range: look.range ?? spec.range ?? 0,
    opening: look.opening ?? 0,
    measuresDistance: DISTANCES.has(look.rays),
    polled: spec.polled ?? false,
  };
}

/** Use centimetres and degrees instead of small metre values and radians. */
function readableUnit({ unit, digits, high }) {
  if (unit === "m" && high < SHORT) return { unit: "cm", factor: 100, digits: Math.max(0, digits - 1) };
  if (unit !== "rad" && unit !== "rad/s") return { factor: 1 };
  return { unit: unit.replace("rad", "°"), factor: 1 / DEGREES, digits: Math.max(0, digits - 1) };
}

/** Devices of a robot's kind. */
export function devicesOf(kind) {
  kind.devices ??= (kind.sensors ?? []).map(describe);
  return kind.devices;
}

/** Direction of beam i of a scan from its mount's heading [rad]. */
export function beamAngle({ opening, channels }, i) {
  const gaps = opening > 2 * Math.PI - 1e-6 ? channels : channels - 1;
  return opening * (i / gaps - 0.5);
}

/** Text of a number with a fixed count of digits and a typographic minus sign. */
export function numberText(value, digits) {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return (/^-0\.?0*$/.test(text) ? text.slice(1) : text).replace("-", "−");
}

export const radians = (degrees) => degrees * DEGREES;
export const degrees = (angle) => angle / DEGREES;
