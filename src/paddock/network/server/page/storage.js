// Small settings that persist across reloads; without storage they last as long as the page.

let view = ""; // kind of page: empty, or "projector"

export function loadSetting(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`paddock.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function storeSetting(key, value) {
  try {
    localStorage.setItem(`paddock.${key}`, JSON.stringify(value));
  } catch {
    // storage is forbidden: the setting is not kept
  }
}

/** Token, robot and view of a join link `#token=…&robot=…`. The token leaves the address, but is kept on reload. */
export function joinLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  const robot = given.get("robot") ?? "";
  view = given.get("view") ?? "";
  let token = given.get("token") ?? "";
  try {
    if (token) sessionStorage.setItem("paddock.token", token);
    else token = sessionStorage.getItem("paddock.token") ?? "";
    if (given.has("token")) storeRobot(robot);
  } catch {
    // storage is forbidden: the token stays in the address
  }
  return { token, robot, view };
}

/** Store a token for reloads of this page. */
export function storeToken(token) {
  try {
    sessionStorage.setItem("paddock.token", token);
  } catch {
    // storage is forbidden: the token is lost with the page
  }
}

/** Delete a refused token, so that it is not used again after a reload. */
export function removeToken() {
  try {
    sessionStorage.removeItem("paddock.token");
  } catch {
    // storage is forbidden: there is no token
  }
}

/** Store the selected robot in the address, for reloads and bookmarks. */
export function storeRobot(robot) {
  const kept = new URLSearchParams({ ...(view && { view }), ...(robot && { robot }) });
  history.replaceState(null, "", kept.size ? `#${kept}` : location.pathname);
}
