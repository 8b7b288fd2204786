import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { stringify } from "yaml";
import type { JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { writingProblem } from "../terminal.ts";

/** User data of a class may hold what is nobody else's business. */
const ownerOnly = 0o600;

/** A file of YAML documents that only grows: what an earlier run wrote stays. */
export class ExportFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** True when each of them is in it. */
  holds(objects: readonly JsonObject[]): boolean {
    if (!existsSync(this.#path)) return false;
    const text = readFileSync(this.#path, "utf8");
    return objects.every((object) => text.includes(`uid: ${uidOf(object)}`));
  }

  /** What went wrong, if anything did. */
  save(objects: readonly JsonObject[]): string | undefined {
    const text = objects.map((object) => `---\n${stringify(object)}`).join("");
    try {
      appendFileSync(this.#path, text, { mode: ownerOnly });
      return undefined;
    } catch (error) {
      return `${this.#path} cannot be written: ${writingProblem(error)}`;
    }
  }
}

function uidOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? String(metadata.uid) : "";
}
