/** Karpenter counterpart: none, because it reads TOML with a library. */
/** Leaves the parser at the first thing that is not TOML; caught where the parser begins. */
export class TomlProblem {
  readonly line: number;
  readonly message: string;

  constructor(line: number, message: string) {
    this.line = line;
    this.message = message;
  }
}
