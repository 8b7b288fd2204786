/** Karpenter counterpart: none, because it reads TOML with a library. */
import { TomlProblem } from "./toml-problem.ts";

/** The characters of a TOML text, one after the other. */
export class Characters {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character; undefined at the end. */
  peek(): string | undefined {
    return this.#text[this.#at];
  }

  get line(): number {
    return this.#text.slice(0, this.#at).split("\n").length;
  }

  fail(message: string): never {
    throw new TomlProblem(this.line, message);
  }

  /** Moves past `token` if it is next. */
  take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) this.fail(`${JSON.stringify(token)} is missing before ${this.shown()}`);
  }

  skipBlanks(): void {
    while (this.peek() === " " || this.peek() === "\t") this.#at += 1;
  }

  /** Blanks, comments and ends of lines. */
  skipLines(): void {
    for (;;) {
      this.skipBlanks();
      this.#skipComment();
      if (this.peek() !== "\n") return;
      this.#at += 1;
    }
  }

  /** After a key's value or a header nothing but a comment may follow. */
  endLine(): void {
    this.skipBlanks();
    this.#skipComment();
    if (this.peek() !== undefined && this.peek() !== "\n") this.fail(`${this.shown()} is too much on this line`);
  }

  /** What follows, if it is so within the next `longest` characters; it is not passed. */
  ahead(pattern: RegExp, longest: number): string | undefined {
    return pattern.exec(this.#text.slice(this.#at, this.#at + longest))?.[0];
  }

  pass(count: number): void {
    this.#at += count;
  }

  refuseControl(character: string | undefined): void {
    const code = character?.charCodeAt(0) ?? 0x20;
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) this.fail("a control character needs an escape");
  }

  shown(): string {
    const rest = this.#text.slice(this.#at, this.#at + 20).split("\n")[0] ?? "";
    return rest === ""
      ? this.peek() === undefined
        ? "the end of the text"
        : "the end of the line"
      : JSON.stringify(rest);
  }

  #skipComment(): void {
    if (this.peek() !== "#") return;
    const end = this.#text.indexOf("\n", this.#at);
    const from = this.#at;
    this.#at = end < 0 ? this.#text.length : end;
    for (let i = from; i < this.#at; i++) this.refuseControl(this.#text[i]);
  }
}
