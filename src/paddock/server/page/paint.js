// Colours: those of sensor kinds (the same as in Paddock's pictures), shades, and what the theme says.

export const KIND_COLORS = {
  proximity: "#e4572e",
  sonar: "#2e86ab",
  laser: "#7b5ea7",
  camera: "#e6a117",
  ground: "#6b7280",
  light: "#c9a200",
  bumper: "#b5179e",
  chemical: "#2f9e6e",
  microphone: "#6c757d",
};
export const PLAIN = "#7a808a";
export const CONTACT = "#ff4d2e";

/** Lines of a history plot, told apart by eye and by people who see fewer colours. */
export const LINES = ["#2e86ab", "#e4572e", "#2f9e6e", "#e6a117", "#7b5ea7", "#d1495b", "#17a2b8", "#8a6d3b"];

export function rgb(color) {
  const hex = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join("") : color.slice(1);
  return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
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
