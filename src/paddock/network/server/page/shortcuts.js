// Keyboard shortcuts of the page, and the dialog that lists them.

import { make } from "./dom.js";

const GESTURES = [
  ["drag · wheel · pinch", "move the view, zoom"],
  ["double click", "show everything; on a robot: follow it"],
  ["click a robot", "watch its sensors"],
  ["drag a robot", "move it (supervisor)"],
  ["click a chart", "show the last seconds, or the whole run"],
  ["drag its handle", "turn it; with Shift in steps of 15°"],
];

const SLIDES = /^(Arrow|Page|Home|End)/; // keys that move a slider

/** `actions` is a list of {keys, label, run, shown}; `driver` receives keys first. */
export function shortcuts(actions, driver, { dialog, rows, opener }) {
  const byKey = new Map(actions.flatMap((action) => action.keys.map((key) => [key, action])));
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
    if (isSlider(event.target) && SLIDES.test(event.key)) return;
    if (driver.press(event)) return event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = byKey.get(key);
    if (!action || (key === " " && event.target.closest("button, summary"))) return; // a space presses the button
    event.preventDefault();
    if (!event.repeat || action.repeats) action.run();
  });
  const row = (keys, label) => {
    return make("div", "", {}, make("kbd", "", { textContent: keys }), make("span", "", { textContent: label }));
  };
  rows.replaceChildren(
    ...actions.filter((action) => action.shown).map((action) => row(action.shown, action.label)),
    row("arrows or W A S D", "drive, while the switch is on; else move the view"),
    ...GESTURES.map(([keys, label]) => row(keys, label)),
  );
  opener.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

function isTyping(element) {
  return (element instanceof HTMLInputElement && !isSlider(element)) || element instanceof HTMLSelectElement;
}

function isSlider(element) {
  return element instanceof HTMLInputElement && element.type === "range";
}
