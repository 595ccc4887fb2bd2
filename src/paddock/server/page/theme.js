// Switch between the light and the dark theme.

import { recall, remember } from "./storage.js";

/** Make `button` switch the theme; call `onChange` after every change. */
export function themeSwitch(button, onChange) {
  const root = document.documentElement;
  const become = (theme) => {
    root.dataset.theme = theme;
    onChange();
  };
  const turn = () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    remember("theme", theme);
    become(theme);
  };
  button.addEventListener("click", turn);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if (!recall("theme", null)) become(event.matches ? "dark" : "light");
  });
  return turn;
}
