// Event emitter.

export class Emitter {
  #listeners = new Map();

  /** Call `listener` whenever `event` happens. */
  on(event, listener) {
    const known = this.#listeners.get(event) ?? [];
    this.#listeners.set(event, [...known, listener]);
    return this;
  }

  emit(event, ...details) {
    for (const listener of this.#listeners.get(event) ?? []) listener(...details);
  }
}
