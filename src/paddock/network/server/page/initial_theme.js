// Sets the light or dark theme before the first paint: the last selection of the user, or the system's preference.
// This is a plain script, because modules run too late and the page would flash.

(() => {
  let chosen = null;
  try {
    chosen = JSON.parse(localStorage.getItem("paddock.theme"));
  } catch {
    // storage may be forbidden; then the system's preference applies
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : system;
})();
