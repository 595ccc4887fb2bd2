// Colours: parsing and shades, and what the theme says.

export const CONTACT = "#ff4d2e";

/** Lines of a history plot, told apart by eye and by people who see fewer colours. */
export const LINES = ["#2e86ab", "#e4572e", "#2f9e6e", "#e6a117", "#7b5ea7", "#d1495b", "#17a2b8", "#8a6d3b"];

const parser = document.createElement("canvas").getContext("2d");
const parsed = new Map();

/** Red, green and blue (0 … 255) of a colour as world files have it: `#rrggbb`, `#rgb` or an English name. */
function rgb(color) {
  let parts = parsed.get(color);
  if (!parts) {
    parser.fillStyle = "#808080"; // of what is no colour
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

/** Two lights in one place. */
export function brighter(color, other) {
  const too = rgb(other);
  return `#${rgb(color).map((part, i) => Math.max(part, too[i]).toString(16).padStart(2, "0")).join("")}`;
}

export function tint(color, alpha) {
  return `rgba(${rgb(color).join(",")},${alpha})`;
}

/** What the style sheet says at present; canvases cannot see it by themselves. */
export function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    dark: read("--scheme") === "dark",
    paper: read("--desk"),
    ink: read("--ink"),
    faint: read("--faint"),
    line: read("--line"),
    accent: read("--accent"),
    panel: read("--panel"),
  };
}
