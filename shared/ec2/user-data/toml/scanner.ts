import type { TomlTable, TomlValue } from "./toml-value.ts";

/** Leaves the parser at the first thing that is not TOML; caught where the parser begins. */
export class TomlProblem {
  readonly line: number;
  readonly message: string;

  constructor(line: number, message: string) {
    this.line = line;
    this.message = message;
  }
}

const depthMax = 50;
const escapes: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };
const number = /^[+-]?(0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|inf|nan|\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d[\d_]*)?)$/;
const date = /^(\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}:\d{2}(\.\d+)?)$/;

/** Reads keys and values of TOML 1.0 from a text. Each step moves on or leaves, so that every loop ends with the text. */
export class Scanner {
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
    this.#at = end < 0 ? this.#text.length : end;
  }

  #value(): TomlValue {
    if (this.take('"""')) return this.#multiLine('"""');
    if (this.take("'''")) return this.#multiLine("'''");
    if (this.peek() === '"' || this.peek() === "'") return this.#string();
    if (this.take("[")) return this.#array();
    if (this.take("{")) return this.#inlineTable();
    const match = /^[^\s,\]}#=[]+( \d{2}:\d{2}:\d{2}[^\s,\]}#]*)?/.exec(this.#text.slice(this.#at, this.#at + 100));
    const raw = match?.[0] ?? "";
    if (raw !== "true" && raw !== "false" && !number.test(raw) && !date.test(raw)) {
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
      this.#at += 1;
      if (character !== "\\" || quote === "'''") text += character;
      else if (/^[ \t]*\n/.test(this.#text.slice(this.#at, this.#at + 200)))
        while (/\s/.test(this.peek() ?? "")) this.#at += 1;
      else text += this.#escape();
    }
    // Up to two quotes may stand before the closing ones.
    while (this.take(quote.slice(0, 1))) text += quote.slice(0, 1);
    return text;
  }

  #escape(): string {
    const name = this.peek() ?? "";
    this.#at += 1;
    const plain = Object.hasOwn(escapes, name) ? escapes[name] : undefined;
    if (plain !== undefined) return plain;
    const digits = name === "u" ? 4 : name === "U" ? 8 : 0;
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const code = Number.parseInt(hex, 16);
    if (digits === 0 || !/^[0-9A-Fa-f]+$/.test(hex) || hex.length !== digits || code > 0x10ffff) {
      this.fail(`\\${name} is no escape`);
    }
    this.#at += digits;
    return String.fromCodePoint(code);
  }

  #array(): TomlValue[] {
    const items: TomlValue[] = [];
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
    if (this.take("}")) return table;
    do {
      const keys = this.keys();
      this.expect("=");
      this.skipBlanks();
      put(table, keys, this.value(), this);
      this.skipBlanks();
    } while (this.take(","));
    this.expect("}");
    return table;
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

/** Puts a value under a dotted key; a key may be given once. */
export function put(table: TomlTable, keys: readonly string[], value: TomlValue, scanner: Scanner): void {
  let at = table;
  for (const key of keys.slice(0, -1)) {
    const next = at.get(key);
    if (next !== undefined && !(next instanceof Map)) scanner.fail(`${keys.join(".")}: ${key} is a value, not a table`);
    const inner = next instanceof Map ? next : new Map<string, TomlValue>();
    at.set(key, inner);
    at = inner;
  }
  const last = keys.at(-1) ?? "";
  if (at.has(last)) scanner.fail(`${keys.join(".")} is given twice`);
  at.set(last, value);
}
