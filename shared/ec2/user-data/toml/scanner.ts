/** Karpenter counterpart: none, because it reads TOML with a library. */
import { Characters } from "./characters.ts";
import { isNumber, isTime } from "./plain-value.ts";
import { quotedText, textOfLines } from "./quoted-text.ts";
import { type OpenDocument, put } from "./table-keys.ts";
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

const depthMax = 50;

/** Reads keys and values of TOML 1.0 from a text. Each step moves on or leaves, so that every loop ends with the text. */
export class Scanner extends Characters implements OpenDocument {
  readonly closed = new Set<TomlValue>();
  readonly dotted = new Set<TomlTable>();
  #depth = 0;

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

  #value(): TomlValue {
    if (this.take('"""')) return textOfLines(this, '"""');
    if (this.take("'''")) return textOfLines(this, "'''");
    if (this.peek() === '"' || this.peek() === "'") return quotedText(this);
    if (this.take("[")) return this.#array();
    if (this.take("{")) return this.#inlineTable();
    const raw = this.ahead(/^[^\s,\]}#=[]+( \d{2}:\d{2}:\d{2}[^\s,\]}#]*)?/, 100) ?? "";
    if (raw !== "true" && raw !== "false" && !isNumber(raw) && !isTime(raw)) {
      this.fail(raw === "" ? `a value is missing before ${this.shown()}` : `${raw} is no value: a text needs quotes`);
    }
    this.pass(raw.length);
    return { raw };
  }

  #key(): string {
    if (this.peek() === '"' || this.peek() === "'") return quotedText(this);
    const key = this.ahead(/^[A-Za-z0-9_-]+/, 300);
    if (key === undefined) this.fail(`a key is missing before ${this.shown()}`);
    this.pass(key.length);
    return key;
  }

  #array(): TomlValue[] {
    const items: TomlValue[] = [];
    this.closed.add(items);
    for (;;) {
      this.skipLines();
      if (this.take("]")) return items;
      items.push(this.value());
      this.skipLines();
      if (!this.take(",") && this.peek() !== "]") this.fail(`"," or "]" is missing before ${this.shown()}`);
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
}
