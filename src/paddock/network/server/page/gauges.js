// Gauges: a laser scan, a camera picture, numbers, a pose with a dial.

import { lineKey } from "./chart.js";
import { beamAngle, degrees, numberText, radians } from "./devices.js";
import { make, scaledCanvas, setText } from "./dom.js";
import { barGauge, flagGauge, levelGauge, pointing } from "./bars.js";
import { tint } from "./paint.js";

const TALLEST = 250; // pixels of a picture

const GAUGES = {
  bars: barGauge,
  flags: flagGauge,
  levels: levelGauge,
  scan: scanGauge,
  image: imageGauge,
  dial: dialGauge,
  number: numberGauge,
};

/** Create the gauge of a device: {element, update(values or picture)}. */
export function gaugeFor(device, onPoint) {
  return (GAUGES[device.gauge] ?? numberGauge)(device, onPoint);
}

/** A scan from above, with the robot's front up, and the nearest distance. */
function scanGauge(device) {
  let values = null;
  const nearest = make("span", "scan-nearest", { dataset: { testid: `bar-${device.name}-nearest` } });
  const { canvas, redraw } = scaledCanvas("scan", (context, width, height) => {
    if (values) drawFan(context, width, height, device, values);
  });
  return {
    element: make("div", "scan-box", {}, canvas, nearest),
    update(given) {
      values = given;
      const least = Math.min(...values);
      setText(nearest, `nearest ${numberText(least * device.factor, device.digits)} ${device.unit}`);
      nearest.dataset.value = least;
      redraw();
    },
  };
}

function drawFan(context, width, height, device, values) {
  const mount = radians(device.mounts[0][3]);
  const isHalf = device.opening <= Math.PI * 1.05;
  const [cx, cy] = [width / 2, isHalf ? height - 6 : height / 2];
  const farthest = Math.max(...values.filter((value) => value < device.range * (1 - 5e-3)), 0.1 * device.range);
  const most = Math.min(device.range, 1.15 * farthest);
  const scale = Math.min(width / 2 - 4, isHalf ? height - 10 : height / 2 - 4) / most;
  context.strokeStyle = tint(device.color, 0.25);
  context.lineWidth = 1;
  for (const share of [0.5, 1]) {
    context.beginPath();
    context.arc(cx, cy, share * most * scale, isHalf ? Math.PI : 0, 2 * Math.PI);
    context.stroke();
  }
  context.beginPath();
  context.moveTo(cx, cy);
  values.forEach((value, i) => {
    const angle = mount + beamAngle(device, i) + Math.PI / 2;
    const far = Math.min(value, most) * scale;
    context.lineTo(cx + far * Math.cos(angle), cy - far * Math.sin(angle));
  });
  context.closePath();
  context.fillStyle = tint(device.color, 0.22);
  context.fill();
  context.strokeStyle = device.color;
  context.stroke();
}

/** A camera picture, as large as possible, with visible pixels. */
function imageGauge(device) {
  const canvas = make("canvas", "picture", { dataset: { testid: `picture-${device.name}` } });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Picture of ${device.name}`);
  const context = canvas.getContext("2d", { alpha: false });
  let busy = false;
  return {
    element: canvas,
    async update(picture) {
      if (busy) return; // skip; the next picture is drawn
      busy = true;
      const { width, height } = picture;
      if (canvas.width !== width || canvas.height !== height) {
        Object.assign(canvas, { width, height });
        canvas.style.aspectRatio = `${width} / ${height}`;
        canvas.style.width = `min(100%, ${Math.round((TALLEST * width) / height)}px)`;
      }
      try {
        if (picture.jpeg) {
          const bitmap = await createImageBitmap(new Blob([picture.data], { type: "image/jpeg" }));
          context.drawImage(bitmap, 0, 0, width, height);
          bitmap.close();
        } else context.putImageData(fromRows(picture), 0, 0);
        canvas.dataset.pictures = Number(canvas.dataset.pictures ?? 0) + 1;
      } finally {
        busy = false;
      }
    },
  };
}

function fromRows({ width, height, data }) {
  const image = new ImageData(width, height);
  for (let i = 0, k = 0; i < data.length; i += 3, k += 4) {
    image.data[k] = data[i];
    image.data[k + 1] = data[i + 1];
    image.data[k + 2] = data[i + 2];
    image.data[k + 3] = 255;
  }
  return image;
}

function numberGauge(device, onPoint) {
  const cells = device.labels.map((_, i) => make("b", "", { dataset: { testid: `bar-${device.name}-${i}` } }));
  const numbers = cells.map((cell, i) => numberCell(cell, ...lineKey(device, i), device.labels[i]));
  numbers.forEach((number, i) => pointing(number, device, i, onPoint));
  return {
    element: make("div", "numbers", {}, ...numbers),
    update(values) {
      cells.forEach((cell, i) => {
        setText(cell, `${numberText(values[i] * device.factor, device.digits)}${device.unit && ` ${device.unit}`}`);
        cell.dataset.value = values[i];
      });
    },
  };
}

/** x and y in metres if present, the heading in degrees and as a needle; up is the world's y axis. */
export function dialGauge(device) {
  const cells = device.labels.map((_, i) => make("b", "", { dataset: { testid: `bar-${device.name}-${i}` } }));
  const needle = make("span", "needle");
  const dial = make("span", "dial", { title: "heading, counter-clockwise from the x axis" }, needle);
  return {
    element: make("div", "numbers", {}, ...cells.map((cell, i) => numberCell(cell, device.labels[i])), dial),
    update(values) {
      const heading = values[values.length - 1];
      cells.forEach((cell, i) => {
        const isHeading = i === cells.length - 1;
        setText(cell, isHeading ? `${numberText(degrees(heading), 0)}°` : `${numberText(values[i], 3)} m`);
        cell.dataset.value = values[i];
      });
      needle.style.transform = `rotate(${-heading}rad)`;
    },
  };
}

function numberCell(cell, ...label) {
  return make("span", "number", {}, make("i", "", {}, ...label), cell);
}
