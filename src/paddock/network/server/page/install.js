// Copies a line of the page from which students install Paddock.

import { copyText } from "./snippet.js";

for (const button of document.querySelectorAll(".line button")) {
  button.addEventListener("click", async () => {
    const copied = await copyText(button.parentElement.querySelector("code").textContent);
    button.textContent = copied ? "Copied" : "Select it";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}
