// Shows a banner at the end of a run, with the reason and a button to restart it, and a notice about interventions that
// change it, after which the same seed does not give the same run.

const TITLES = { ended: "The run has ended", failed: "The program failed" };

/** `onAgain` is called when the user restarts the run. */
export function showRun(session, onAgain, { banner, title, reason, again, intervention }) {
  again.addEventListener("click", onAgain);
  const show = () => {
    const { run, live, hasEnded, whyNotSupervise } = session;
    intervention.hidden = !run.intervention;
    intervention.textContent = `not repeatable: ${run.intervention}`;
    intervention.title = "There was an intervention. The same program and seed will not give this digest again.";
    banner.hidden = !hasEnded || !live;
    if (banner.hidden) return;
    banner.dataset.kind = run.state;
    banner.role = run.state === "failed" ? "alert" : "status";
    title.textContent = TITLES[run.state] ?? TITLES.ended;
    reason.textContent = run.reason;
    again.hidden = !run.again;
    again.disabled = Boolean(whyNotSupervise);
    again.title = whyNotSupervise || "From the start, with the seed in the bar above (space)";
  };
  session.on("run", show);
  session.on("connection", show);
}
