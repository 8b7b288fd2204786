import { isJsonObject, shown } from "#api/problem.ts";

/** The most that are told of one file. */
export const problemsMax = 20;

/** What is wrong with a value, each with the field: nothing of it is thrown. */
export class Checks {
  readonly problems: string[] = [];

  wrong(field: string, wanted: string, value: unknown): undefined {
    this.tell(`${field} must be ${wanted}; got ${shown(value)}`);
  }

  tell(problem: string): void {
    if (this.problems.length < problemsMax) this.problems.push(problem);
  }

  record(field: string, value: unknown): Readonly<Record<string, unknown>> {
    if (isJsonObject(value)) return value;
    this.wrong(field, "an object", value);
    return {};
  }

  list(field: string, value: unknown): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.wrong(field, "a list", value);
    return [];
  }

  text(field: string, value: unknown): string {
    return typeof value === "string" ? value : (this.wrong(field, "a text", value) ?? "");
  }

  time(field: string, value: unknown): number {
    return Number.isSafeInteger(value) ? Number(value) : (this.wrong(field, "a whole number", value) ?? 0);
  }

  oneOf<Word extends string>(field: string, value: unknown, words: readonly [Word, ...Word[]]): Word {
    return words.find((word) => word === value) ?? this.wrong(field, words.join(", "), value) ?? words[0];
  }

  texts(field: string, value: unknown): readonly string[] {
    return this.list(field, value).map((one, index) => this.text(`${field}[${index}]`, one));
  }

  textMap(field: string, value: unknown): Readonly<Record<string, string>> {
    const entries = Object.entries(this.record(field, value));
    return Object.fromEntries(entries.map(([key, one]) => [key, this.text(`${field}[${key}]`, one)]));
  }
}
