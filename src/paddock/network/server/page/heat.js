// Heats: a large countdown over the arena, and the remaining time.

import { setText } from "./dom.js";

const WORDS = { none: "no heat", prepared: "ready", countdown: "starts in", running: "running", finished: "over" };
const GO_SHOWN = 1500; // [ms]
const LATE = "The heat has already started: your robot can take part when heat";

/** Short text of a heat: "Heat 3 · 0:42". */
export function heatText({ state, number, seconds_left: left, text }) {
  if (state === "none") return WORDS.none;
  const time = left > 0 && state !== "finished" ? clockText(left) : "";
  const word = state === "running" && time ? "" : (WORDS[state] ?? state);
  const how = [word, time].filter(Boolean).join(" ");
  return [`Heat ${number}`, how, state === "finished" ? text : ""].filter(Boolean).join(" · ");
}

/** Minutes and seconds as on a stop watch. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds - 1e-9));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Show the countdown over the arena, and notices about the heat. */
export function showHeat(session, { countdown, pill }) {
  let before = "none";
  let timer = 0;
  let waited = false;
  session.on("heat", () => {
    const { heat } = session;
    pill.hidden = heat.state === "none";
    setText(pill, heatText({ ...heat, text: "" }));
    pill.title = heatText(heat);
    pill.dataset.state = heat.state;
    if (heat.state === "countdown") {
      clearTimeout(timer);
      setText(countdown, String(Math.max(1, Math.ceil(heat.seconds_left - 1e-9))));
      countdown.hidden = false;
    } else if (heat.state === "running" && before === "countdown") {
      setText(countdown, "Go!");
      timer = setTimeout(() => (countdown.hidden = true), GO_SHOWN);
    } else countdown.hidden = heat.state !== "running" || countdown.hidden;
    if (heat.state !== before) announce(heat);
    before = heat.state;
    if (heat.waits && !waited) session.emit("notice", `${LATE} ${heat.number} is over.`, "news");
    waited = Boolean(heat.waits);
  });

  function announce({ state, number, text }) {
    const mine = session.ownRobot ? " Your robot is at its start; commands have no effect before the start signal." : "";
    const news = {
      prepared: `Heat ${number} is about to start.${mine}`,
      finished: `Heat ${number} is over${text ? `: ${text}` : ""}.`,
    }[state];
    if (news) session.emit("notice", news, "news");
  }
}
