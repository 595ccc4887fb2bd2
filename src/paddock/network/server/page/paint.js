// Colours: parsing, shades, and the colours of the theme.

/** Colours of Paddock's pictures (`report/drawing/colours.py`) that the page uses, too. */
export const PALETTE = {
  ink: "#2b2f36",
  start_pose: "#4a5568",
  lamp_edge: "#b07800",
  sound: "#5b5f97",
  wheel: "#20242c",
  lines: [
    ...["#2e86ab", "#e4572e", "#2f9e6e", "#7b5ea7", "#e6a117"],
    ...["#b5179e", "#5c6570", "#8c5a3c", "#38b8c4", "#8fb331"],
  ],
  fields: ["#39a275", "#8e5ea2", "#e6a117", "#2e86ab", "#b5179e"],
};
export const CONTACT = "#ff4d2e";

const parser = document.createElement("canvas").getContext("2d");
const parsed = new Map();

/** Red, green and blue (0 … 255) of a colour as world files have it: `#rrggbb`, `#rgb` or an English name. */
function rgb(color) {
  let parts = parsed.get(color);
  if (!parts) {
    parser.fillStyle = "#808080"; // for invalid colours
    parser.fillStyle = color;
    parts = [1, 3, 5].map((i) => parseInt(parser.fillStyle.slice(i, i + 2), 16));
    parsed.set(color, parts);
  }
  return parts;
}

export function blend(color, other, share) {
  const to = rgb(other);
  return `rgb(${rgb(color).map((part, i) => Math.round(part + share * (to[i] - part))).join(",")})`;
}

/** Mix two lights at one position. */
export function brighter(color, other) {
  const too = rgb(other);
  return `#${rgb(color).map((part, i) => Math.max(part, too[i]).toString(16).padStart(2, "0")).join("")}`;
}

export function tint(color, alpha) {
  return `rgba(${rgb(color).join(",")},${alpha})`;
}

/** Current colours of the style sheet, which canvases cannot access directly. */
export function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    dark: read("--scheme") === "dark",
    paper: read("--background"),
    faint: read("--faint"),
    accent: read("--accent"),
    bad: read("--bad"),
    panel: read("--panel"),
  };
}
