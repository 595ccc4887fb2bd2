// The connection to the server: one WebSocket with requests and answers, which reconnects automatically.

import { decode, encode } from "./msgpack.js";

const VERSION = 1;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 5000;
const HELLO_TIMEOUT = 8000;
const QUIET = 4000; // [ms] without a message before the connection is probed, and timeout of the probe
const ENDINGS = new Set([1000, 1001, 1012]); // close codes of a server that was stopped on purpose
const DISCONNECTED = 4403; // close code: disconnected by the supervisor
const FINAL = new Set([1008, 4401, 4426, DISCONNECTED]); // close codes of refusals: not allowed, another version

/** A refusal by the server. */
export class Refusal extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * A connection that reconnects automatically. Callbacks:
 *   onState(state, detail)  "connecting", "live", "waiting" (detail: milliseconds) or "refused" (detail: the reason)
 *   onMessage(message)      every message that is not an answer to a request
 */
export class Link {
  wasDisconnected = false; // by the supervisor
  endReason = ""; // reason of a server that was stopped on purpose; empty once it is connected again

  constructor({ url, name, token, onState, onMessage }) {
    Object.assign(this, { url, name, token, onState, onMessage });
    this.wait = FIRST_WAIT;
    this.pending = new Map();
    this.number = 0;
    this.state = "connecting";
  }

  connect() {
    clearTimeout(this.timer);
    this.setState("connecting");
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.sendHello(socket);
    socket.onmessage = (event) => this.receive(decode(event.data));
    socket.onclose = (event) => socket === this.socket && this.handleClose(event.code, event.reason);
    const isStuck = () => socket === this.socket && this.state === "connecting";
    this.timer = setTimeout(() => isStuck() && this.abandon(), HELLO_TIMEOUT);
  }

  async sendHello(socket) {
    try {
      const welcome = await this.request("hello", { version: VERSION, name: this.name, token: this.token });
      clearTimeout(this.timer);
      this.wait = FIRST_WAIT;
      this.endReason = "";
      this.wasDisconnected = false;
      this.setState("live", welcome);
    } catch (error) {
      if (error instanceof Refusal && error.kind !== "LinkError" && socket === this.socket) this.refuse(error.message);
    }
  }

  /** Send a request; resolve with the answer, or reject with a Refusal. */
  request(type, fields = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Refusal("LinkError", "not connected"));
    const id = (this.number = (this.number + 1) % 2 ** 31);
    this.socket.send(encode({ type, id, ...fields }));
    return new Promise((done, failed) => this.pending.set(id, { done, failed }));
  }

  /** Send a message that is not answered. */
  send(type, fields) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(encode({ type, ...fields }));
  }

  /** Check that the server still answers, with a harmless request, if no message has arrived for a while. */
  async probe(type, fields) {
    if (this.state !== "live" || performance.now() - this.receivedAt < QUIET) return;
    const { socket } = this;
    const timer = setTimeout(() => socket === this.socket && this.abandon(), QUIET);
    await this.request(type, fields).catch(() => {}); // a refusal is an answer, too
    clearTimeout(timer);
  }

  /** Give up a dead connection without waiting for its close event. */
  abandon() {
    this.socket.onclose = null;
    this.socket.close();
    this.handleClose(1006, "");
  }

  receive(message) {
    this.receivedAt = performance.now();
    const waiting = message.id === undefined ? undefined : this.pending.get(message.id);
    if (!waiting) return this.onMessage(message);
    this.pending.delete(message.id);
    if (message.type === "refused") waiting.failed(new Refusal(message.error, message.message));
    else waiting.done(message);
  }

  handleClose(code, reason) {
    this.rejectPending("the connection was lost");
    if (this.state === "refused") return;
    this.wasDisconnected = code === DISCONNECTED;
    if (FINAL.has(code)) return this.refuse(reason || "the server closed the connection");
    if (ENDINGS.has(code)) this.endReason = reason || "the server has ended";
    this.setState("waiting", this.wait);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
  }

  refuse(reason) {
    clearTimeout(this.timer);
    this.setState("refused", reason);
    this.socket.close();
  }

  rejectPending(why) {
    for (const { failed } of this.pending.values()) failed(new Refusal("LinkError", why));
    this.pending.clear();
  }

  setState(state, detail) {
    this.state = state;
    this.onState(state, detail);
  }
}
