/**
 * What was changed while something was tried, so that it can be taken back without looking at anything else. Karpenter
 * counterpart: none; it copies the whole cluster for each trial.
 */
export class UndoLog {
  readonly #entries: (() => unknown)[] = [];

  /** Now: a mark to come back to. */
  get mark(): number {
    return this.#entries.length;
  }

  /** `undo` takes back a change that was just made, or is about to be. */
  push(undo: () => unknown): void {
    this.#entries.push(undo);
  }

  /** The last change first. */
  backTo(mark: number): void {
    while (this.#entries.length > mark) this.#entries.pop()?.();
  }
}
