import { isNumber, isTime } from "./plain-value.ts";
import { type OpenDocument, put } from "./table-keys.ts";
import { TomlProblem } from "./toml-problem.ts";
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

const depthMax = 50;
const escapes: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };
/** Reads keys and values of TOML 1.0 from a text. Each step moves on or leaves, so that every loop ends with the text. */
export class Scanner implements OpenDocument {
  readonly closed = new Set<TomlValue>();
  readonly dotted = new Set<TomlTable>();
  readonly #text: string;
  #at = 0;
  #depth = 0;

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
    if (!this.take(token)) this.fail(`${JSON.stringify(token)} is missing before ${this.#shown()}`);
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
    if (this.peek() !== undefined && this.peek() !== "\n") this.fail(`${this.#shown()} is too much on this line`);
  }

  /** a.b."c d" */
  keys(): readonly string[] {
    const keys: string[] = [];
    do {
      this.skipBlanks();
      keys.push(this.#key());
      this.skipBlanks();
    } while (this.take("."));
    return keys;
  }

  value(): TomlValue {
    this.#depth += 1;
    if (this.#depth > depthMax) this.fail("values are nested too deeply");
    const value = this.#value();
    this.#depth -= 1;
    return value;
  }

  #skipComment(): void {
    if (this.peek() !== "#") return;
    const end = this.#text.indexOf("\n", this.#at);
    const from = this.#at;
    this.#at = end < 0 ? this.#text.length : end;
    for (let i = from; i < this.#at; i++) this.#refuseControl(this.#text[i]);
  }

  #value(): TomlValue {
    if (this.take('"""')) return this.#multiLine('"""');
    if (this.take("'''")) return this.#multiLine("'''");
    if (this.peek() === '"' || this.peek() === "'") return this.#string();
    if (this.take("[")) return this.#array();
    if (this.take("{")) return this.#inlineTable();
    const match = /^[^\s,\]}#=[]+( \d{2}:\d{2}:\d{2}[^\s,\]}#]*)?/.exec(this.#text.slice(this.#at, this.#at + 100));
    const raw = match?.[0] ?? "";
    if (raw !== "true" && raw !== "false" && !isNumber(raw) && !isTime(raw)) {
      this.fail(raw === "" ? `a value is missing before ${this.#shown()}` : `${raw} is no value: a text needs quotes`);
    }
    this.#at += raw.length;
    return { raw };
  }

  #key(): string {
    if (this.peek() === '"' || this.peek() === "'") return this.#string();
    const match = /^[A-Za-z0-9_-]+/.exec(this.#text.slice(this.#at, this.#at + 300));
    if (match === null) this.fail(`a key is missing before ${this.#shown()}`);
    this.#at += match[0].length;
    return match[0];
  }

  #string(): string {
    const quote = this.peek() ?? "";
    this.#at += 1;
    let text = "";
    for (;;) {
      const character = this.peek();
      if (character === undefined || character === "\n") this.fail("a text does not end on its line");
      this.#refuseControl(character);
      this.#at += 1;
      if (character === quote) return text;
      text += character === "\\" && quote === '"' ? this.#escape() : character;
    }
  }

  #multiLine(quote: string): string {
    this.take("\n");
    let text = "";
    while (!this.take(quote)) {
      const character = this.peek();
      if (character === undefined) this.fail("a text of several lines does not end");
      if (character !== "\n") this.#refuseControl(character);
      this.#at += 1;
      if (character !== "\\" || quote === "'''") text += character;
      else text += this.#joinedLines() ? "" : this.#escape();
    }
    // Up to two quotes may stand before the closing ones.
    for (let i = 0; i < 2 && this.take(quote.slice(0, 1)); i++) text += quote.slice(0, 1);
    return text;
  }

  /** A backslash at the end of a line takes the blanks and lines after it away. */
  #joinedLines(): boolean {
    if (!/^[ \t]*\n/.test(this.#text.slice(this.#at, this.#at + 200))) return false;
    while (/\s/.test(this.peek() ?? "")) this.#at += 1;
    return true;
  }

  #escape(): string {
    const name = this.peek() ?? "";
    this.#at += 1;
    const plain = Object.hasOwn(escapes, name) ? escapes[name] : undefined;
    if (plain !== undefined) return plain;
    const digits = name === "u" ? 4 : name === "U" ? 8 : 0;
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const code = Number.parseInt(hex, 16);
    if (digits === 0 || !/^[0-9A-Fa-f]+$/.test(hex) || hex.length !== digits || !isCharacter(code)) {
      this.fail(`\\${name} is no escape`);
    }
    this.#at += digits;
    return String.fromCodePoint(code);
  }

  #refuseControl(character: string | undefined): void {
    const code = character?.charCodeAt(0) ?? 0x20;
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) this.fail("a control character needs an escape");
  }

  #array(): TomlValue[] {
    const items: TomlValue[] = [];
    this.closed.add(items);
    for (;;) {
      this.skipLines();
      if (this.take("]")) return items;
      items.push(this.value());
      this.skipLines();
      if (!this.take(",") && this.peek() !== "]") this.fail(`"," or "]" is missing before ${this.#shown()}`);
    }
  }

  #inlineTable(): TomlTable {
    const table: TomlTable = new Map();
    this.skipBlanks();
    if (this.take("}")) {
      this.closed.add(table);
      return table;
    }
    do {
      const keys = this.keys();
      this.expect("=");
      this.skipBlanks();
      put(table, keys, this.value(), this);
      this.skipBlanks();
    } while (this.take(","));
    this.expect("}");
    this.#close(table);
    return table;
  }

  /** With the tables that its dotted keys made; those are no deeper than a key is long. */
  #close(table: TomlTable): void {
    this.closed.add(table);
    for (const value of table.values()) if (isTable(value) && !this.closed.has(value)) this.#close(value);
  }

  #shown(): string {
    const rest = this.#text.slice(this.#at, this.#at + 20).split("\n")[0] ?? "";
    return rest === ""
      ? this.peek() === undefined
        ? "the end of the text"
        : "the end of the line"
      : JSON.stringify(rest);
  }
}

/** Half of a surrogate pair is no character. */
function isCharacter(code: number): boolean {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
