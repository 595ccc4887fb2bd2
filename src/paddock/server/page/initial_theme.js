// Light or dark, decided before the first picture: what was chosen last time, or what the system likes.
// A plain script and no module: modules run too late, and the page would flash.

(() => {
  let chosen = null;
  try {
    chosen = JSON.parse(localStorage.getItem("paddock.theme"));
  } catch {
    // storage may be forbidden; then the system decides
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : system;
})();
