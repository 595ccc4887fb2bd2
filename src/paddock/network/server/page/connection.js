// Shows the state of the connection: a pill in the bar, the world's title, and a banner when it is lost.

const WORDS = { connecting: "connecting", live: "connected", waiting: "reconnecting", refused: "not admitted" };
const ROLES = {
  viewer: "You may watch.",
  controller: "You may drive your robots.",
  supervisor: "You may drive and move all robots and control the clock.",
};

const [OLD, WRONG, SENT] = ["This page is out of date", "This link is not valid", "You were disconnected"];
const NEEDS_CODE = "Open your own link, or type your code";
const LOCKED = "You are locked out at present";
const LOST = "The server does not answer. The page keeps trying to reconnect.";
const BACK = "If it starts again, the page reconnects.";
const BANNER_DELAY = 700; // [ms] shorter interruptions are not shown

export function showConnection(session, { pill, title, about, banner, bannerTitle, bannerText, codeForm, retry }) {
  let timer = 0;
  retry.addEventListener("click", () => session.link.connect());
  codeForm.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = codeForm.querySelector("input").value.trim();
    const fromLink = new URLSearchParams(code.split("#")[1] ?? "").get("token"); // somebody may paste the whole link
    if (code) session.joinWith(fromLink ?? code.toLowerCase().replace(/\s+/g, "-"));
  });
  session.on("connection", ({ state, detail }) => {
    codeForm.hidden = state !== "refused" || !/^token:/.test(detail) || /locked out/.test(detail);
    pill.dataset.state = document.body.dataset.state = state;
    if (!session.scene) about.textContent = `${WORDS[state]} …`;
    const ended = state !== "refused" && Boolean(session.link.endReason);
    pill.classList.toggle("ended", ended);
    pill.textContent = state === "live" ? session.role : ended ? "ended" : WORDS[state];
    pill.title = state === "live" ? `Connected as ${session.client}. ${ROLES[session.role] ?? ""}` : "";
    if (state === "live" || state === "refused") {
      clearTimeout(timer);
      timer = 0;
      banner.hidden = true;
    }
    if (state === "refused") showBanner("refused", headingOf(detail), sentence(detail), "Try again");
    if (state === "waiting") timer ||= setTimeout(showLost, BANNER_DELAY);
  });
  session.on("scene", (scene) => {
    showTitle(scene.title || session.world.name || "Paddock");
    showAbout();
  });
  session.on("exercise", () => session.exercise && showTitle(session.exercise.title));
  session.on("robots", showAbout);

  function headingOf(reason) {
    if (/requires a token/.test(reason)) return NEEDS_CODE;
    if (session.wasDisconnected) return /locked out/.test(reason) ? LOCKED : SENT;
    return /version/.test(reason) ? OLD : WRONG;
  }

  /** Show a banner; a server that was stopped on purpose is not shown as an error. */
  function showLost() {
    const { endReason } = session.link;
    if (endReason) showBanner("ended", sentence(endReason), BACK, "Try now");
    else showBanner("lost", "Connection lost", LOST, "Try now");
  }

  function showBanner(kind, heading, text, again) {
    banner.dataset.kind = kind;
    banner.role = kind === "ended" ? "status" : "alert";
    bannerTitle.textContent = heading;
    bannerText.textContent = text;
    retry.textContent = again;
    banner.hidden = false;
  }

  function showTitle(text) {
    title.textContent = title.title = text;
    document.title = `${text} · Paddock`;
  }

  function showAbout() {
    const { scene, robots, world } = session;
    if (!scene) return;
    const [x0, y0, x1, y1] = scene.bounds.map((bound) => Math.round(1000 * bound) / 1000);
    const count = robots.length === 1 ? "1 robot" : `${robots.length} robots`;
    about.textContent = `${world.name} · ${round(x1 - x0)} × ${round(y1 - y0)} m · ${count}`;
  }
}

function round(length) {
  return Number(length.toPrecision(3));
}

/** The text of a refusal as a sentence, without the field name at its start. */
function sentence(refusal) {
  const text = refusal.replace(/^[\w.]+: /, "");
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
