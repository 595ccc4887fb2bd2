// Switch between the light and the dark theme.

import { loadSetting, storeSetting } from "./storage.js";

/** Make `button` switch the theme; call `onChange` after every change. */
export function themeSwitch(button, onChange) {
  const root = document.documentElement;
  const applyTheme = (theme) => {
    root.dataset.theme = theme;
    onChange();
  };
  const turn = () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    storeSetting("theme", theme);
    applyTheme(theme);
  };
  button.addEventListener("click", turn);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if (!loadSetting("theme", null)) applyTheme(event.matches ? "dark" : "light");
  });
  return turn;
}
