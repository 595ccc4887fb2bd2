// Generates a short, complete Python program for a robot, and copies text to the clipboard.

import { devicesOf } from "./devices.js";

/** Return the program's text. */
export function snippet({ url, token, robot, kind }) {
  const { protocol, host } = new URL(url);
  const secret = token ? `, token=${python(token)}` : "";
  const cruise = rounded(0.6 * kind.drive.max_speed);
  const slow = rounded(0.3 * kind.drive.max_speed);
  const eye = devicesOf(kind).find((device) => device.measuresDistance && !device.polled);
  const lines = [
    "import paddock",
    "",
    `arena = paddock.connect(${python(`${protocol}//${host}`)}${secret})`,
    `robot = arena[${python(robot)}]`,
    "robot.enable()",
    "",
    "while True:",
    "    seen = robot.sense()",
  ];
  if (eye) {
    const several = eye.channels > 1;
    const near = several ? `min(seen.${eye.name})` : `seen.${eye.name}`;
    const { wheel_separation, track, wheel_distance } = kind.drive; // depending on the kind of drive
    const close = rounded(0.5 * Math.min(eye.range, 8 * (wheel_separation ?? track ?? 2 * wheel_distance)));
    lines.push(
      `    if ${near} < ${close}:  # metres: something is near, turn away`,
      `        robot.wheels.set(${slow}, -${slow})`,
      "    else:",
      `        robot.wheels.set(${cruise}, ${cruise})`,
    );
  } else lines.push(`    robot.wheels.set(${cruise}, ${slow})  # left, right [m/s]`);
  lines.push("    arena.step()", "");
  return lines.join("\n");
}

/** Return a Python string literal; JSON strings are valid Python. */
function python(text) {
  return JSON.stringify(text);
}

function rounded(value) {
  return Number(value.toPrecision(2));
}

/** Copy a text to the clipboard; return false if the browser forbids it. Pages without TLS need `execCommand`. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}
