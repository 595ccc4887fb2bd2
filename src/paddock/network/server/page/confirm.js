// Confirmation dialog for actions that cannot be undone.

/** Show the dialog; resolve to true if the user agrees. `verb` is the text of the button, red if it is `dangerous`. */
export function confirmAction(dialog, { title, text, verb, dangerous = true }) {
  const [heading, message, go] = ["h2", "p", "button[value=yes]"].map((part) => dialog.querySelector(part));
  heading.textContent = title;
  message.textContent = text;
  go.textContent = verb;
  go.className = dangerous ? "quiet danger" : "quiet go";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true });
  });
}
