const signals = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C, once: what is being written is written, and nothing after it. The second one ends the process at once. */
export class Interrupt {
  #heard = false;

  listen(): void {
    for (const signal of signals) process.once(signal, this.#hear);
  }

  forget(): void {
    for (const signal of signals) process.removeListener(signal, this.#hear);
  }

  readonly isHeard = (): boolean => this.#heard;

  readonly #hear = (): void => {
    this.#heard = true;
  };
}
