// Small settings that outlive a reload; without storage they last as long as the page.

let view = ""; // which page this is: empty, or "projector"

export function recall(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`paddock.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(`paddock.${key}`, JSON.stringify(value));
  } catch {
    // forbidden: nothing is lost but a habit
  }
}

/** Token, robot and view of a join link `#token=…&robot=…`. The token leaves the address but survives a reload. */
export function joinLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  const robot = given.get("robot") ?? "";
  view = given.get("view") ?? "";
  let token = given.get("token") ?? "";
  try {
    if (token) sessionStorage.setItem("paddock.token", token);
    else token = sessionStorage.getItem("paddock.token") ?? "";
    if (given.has("token")) noteRobot(robot);
  } catch {
    // forbidden: the token stays in the address
  }
  return { token, robot, view };
}

/** A token that was refused is not tried again after a reload. */
export function forgetToken() {
  try {
    sessionStorage.removeItem("paddock.token");
  } catch {
    // there is none
  }
}

/** Keep the chosen robot in the address, so that a reload or a bookmark finds it again. */
export function noteRobot(robot) {
  const kept = new URLSearchParams({ ...(view && { view }), ...(robot && { robot }) });
  history.replaceState(null, "", kept.size ? `#${kept}` : location.pathname);
}
