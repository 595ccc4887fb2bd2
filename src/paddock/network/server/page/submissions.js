// Submission of a program: the user chooses or drops a file and confirms; a receipt identifies the received file.

import { confirmAction } from "./confirm.js";
import { make } from "./dom.js";
import { Refusal } from "./link.js";

const LARGEST = 1_000_000; // bytes; the server may allow less

export class Submissions {
  constructor(session, dialog) {
    Object.assign(this, { session, dialog });
    const field = { type: "file", accept: ".py", id: "submit-file", dataset: { testid: "submit-file" } };
    this.field = make("input", "", field);
    this.field.addEventListener("change", () => this.#handleFiles(this.field.files));
    this.status = make("p", "submit-status", { role: "status", dataset: { testid: "receipt" } });
    this.list = make("ol", "receipts", { dataset: { testid: "receipts" }, "aria-label": "Your submissions" });
    const label = make("label", "quiet", { htmlFor: "submit-file", textContent: "Choose a file" });
    const orDrop = make("span", "", { textContent: "or drop it here" });
    const zone = make("div", "drop", { dataset: { testid: "drop" } }, this.field, label, orDrop);
    for (const event of ["dragenter", "dragover"]) zone.addEventListener(event, (drag) => this.#over(drag, zone, true));
    for (const event of ["dragleave", "drop"]) zone.addEventListener(event, (drag) => this.#over(drag, zone, false));
    zone.addEventListener("drop", (drag) => this.#handleFiles(drag.dataTransfer.files));
    const heading = make("h3", "", { textContent: "Submit your program" });
    this.element = make("section", "submit", {}, heading, zone, this.status, this.list);
  }

  #over(event, zone, on) {
    event.preventDefault(); // else the browser would open the file
    zone.classList.toggle("over", on);
  }

  /** Show the receipts of an exercise; the last one is first and counts. */
  show({ name, submissions }) {
    this.exercise = name;
    this.last = submissions.at(-1);
    this.list.replaceChildren(...submissions.toReversed().map((receipt, i) => receiptRow(receipt, i === 0)));
  }

  async #handleFiles(files) {
    const [file] = files;
    if (!file) return;
    if (files.length > 1) this.#showStatus("One file at a time, please.", "refused");
    else if (file.size > LARGEST) this.#showStatus(`${file.name} is too large for a program: ${file.size} bytes.`, "refused");
    else await this.#send(file);
    this.field.value = ""; // so that the same file can be chosen again
  }

  async #send(file) {
    const { session, exercise, last } = this;
    const data = new Uint8Array(await file.arrayBuffer());
    const title = `Submit ${file.name} (${linesText(data)})?`;
    const text = last ? `It replaces that of ${shortTimeOf(last.time)}: the last one counts.` : "This is your first submission.";
    if (!(await confirmAction(this.dialog, { title, text, verb: "Submit", dangerous: false })))
      return this.#showStatus(`${file.name} was not submitted.`, "news");
    this.#showStatus(`Sending ${file.name} …`, "news");
    try {
      const { number, time, sha256, late } = await session.link.request("submit", { exercise, file: file.name, data });
      this.#showStatus(`Received: number ${number} (${digestOf(sha256)}), ${timeOf(time)}${late ? ", late" : ""}. Keep this receipt.`, "done");
      await session.requestExercise();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#showStatus(`Not submitted: ${error.message}`, "refused");
    }
  }

  #showStatus(text, kind) {
    this.status.textContent = text;
    this.status.dataset.kind = kind;
  }
}

function receiptRow({ number, time, sha256, file, late }, isLast) {
  const name = make("b", "", { textContent: file.replace(/^\d+-/, ""), dir: "auto" }); // stored as 0002-drive.py
  const when = [timeOf(time), digestOf(sha256), late && "late"].filter(Boolean).join(" · ");
  const about = make("span", "", { textContent: when, title: `SHA-256 ${sha256}` });
  const counts = isLast ? [make("em", "", { textContent: "this one counts" })] : [];
  return make("li", "", { value: number, dataset: { testid: "receipt-row" } }, name, ...counts, about);
}

/** Date and time in the user's locale. */
export function timeOf(time) {
  const moment = new Date(time);
  if (Number.isNaN(moment.getTime())) return time;
  return moment.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

/** Time of day; for another day than today, the date. */
export function shortTimeOf(time) {
  const moment = new Date(time);
  const isToday = moment.toDateString() === new Date().toDateString();
  const hours = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return isToday ? moment.toLocaleTimeString([], hours) : moment.toLocaleDateString([], { month: "short", day: "numeric" });
}

/** Number of lines of a file, so that the user can identify it. */
function linesText(data) {
  const count = new TextDecoder().decode(data).trimEnd().split("\n").length;
  return count === 1 ? "1 line" : `${count} lines`;
}

function digestOf(sha256) {
  return `${sha256.slice(0, 12)}…`;
}
