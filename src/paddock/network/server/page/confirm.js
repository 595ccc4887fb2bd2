// Dialogs: confirmation of actions that cannot be undone, and a line of text.

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

/** Ask for a line of text; resolve to it, or to an empty text if the user cancels. */
export function askText(dialog, title) {
  const [heading, field, cancel] = ["h2", "input", "button[value=no]"].map((part) => dialog.querySelector(part));
  heading.textContent = title;
  field.value = dialog.returnValue = "";
  cancel.onclick = () => dialog.close("no");
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes" ? field.value.trim() : ""), { once: true });
  });
}
