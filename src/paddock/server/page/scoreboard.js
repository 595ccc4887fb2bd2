// The scoreboard: best first, names as people write them.

import { setText } from "./dom.js";

/** The scoreboard, if the server keeps one. */
export function scoreboard(session, panel, heading, rows) {
  session.on("scores", () => {
    panel.hidden = !session.scores.length && !session.board.error;
    const sorted = ranked(session.scores);
    const decimals = decimalsOf(sorted.map(({ score }) => score));
    setText(heading, scoreHeading(session));
    rows.replaceChildren(...sorted.map((score) => scoreRow(session, score, decimals)));
  });
}

/** Best first: by the referee's places, or else by points. */
export function ranked(scores) {
  const last = scores.length + 1;
  return [...scores].sort((a, b) => (a.place || last) - (b.place || last) || b.score - a.score);
}

/** What the scores are of; or what is wrong with them. */
export function scoreHeading(session) {
  const { label, unit, error } = session.board;
  if (error) return `No scores: ${error}`;
  const what = [capital(label || "scores"), unit && `[${unit}]`].filter(Boolean).join(" ");
  return session.classTitle ? `${what} · ${spanOf(session)}` : what; // a class keeps the best ones, too
}

/** Since when the scores of the board are counted. */
export function spanOf({ heat }) {
  return heat.state === "none" ? "this run" : "this heat";
}

/** How many decimals all rows have, so that points stand below each other. */
export function decimalsOf(scores) {
  const finite = scores.filter(Number.isFinite);
  if (finite.every(Number.isInteger)) return 0;
  return Math.max(...finite.map(Math.abs)) < 100 ? 2 : 1;
}

function scoreRow(session, { robot, name, score, place, fouls = 0, note = "" }, decimals) {
  const person = name || session.personOf(robot);
  const row = document.createElement("li");
  if (place) row.style.counterSet = `place ${place}`; // equals share one
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.testid = "score-row";
  button.dataset.robot = robot;
  button.addEventListener("click", () => session.robot(robot) && session.select(robot));
  const flag = fouls ? `⚑${fouls}` : "";
  const parts = { swatch: "", name: person, note, fouls: flag, points: pointsText(score, decimals) };
  if (robot === session.own?.name) button.setAttribute("aria-current", "true");
  button.title = [person, person !== robot && robot, note, foulsText(fouls)].filter(Boolean).join(" · ");
  for (const [part, text] of Object.entries(parts)) {
    if (["note", "fouls"].includes(part) && !text) continue;
    const cell = document.createElement(part === "name" ? "bdi" : "span");
    cell.className = part;
    cell.textContent = text;
    button.append(cell);
  }
  button.firstChild.style.background = session.robot(robot)?.color ?? "transparent";
  row.append(button);
  return row;
}

export function foulsText(fouls) {
  return fouls ? `${fouls} ${fouls === 1 ? "foul" : "fouls"}` : "";
}

/** A word as the first of a line. */
export function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function pointsText(score, decimals) {
  if (score == null) return "–"; // not achieved yet
  const rounded = Number(score.toFixed(decimals)) + 0; // no -0.00
  return rounded.toFixed(decimals);
}
