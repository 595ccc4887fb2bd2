// A question before something that cannot be taken back.

/** Ask it; true if the person agrees. `verb` is what the button says. */
export function confirmed(dialog, { title, text, verb }) {
  const [heading, says, go] = ["h2", "p", "button[value=yes]"].map((part) => dialog.querySelector(part));
  heading.textContent = title;
  says.textContent = text;
  go.textContent = verb;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true });
  });
}
