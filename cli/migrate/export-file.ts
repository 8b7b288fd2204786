import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { stringify } from "yaml";
import type { JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { writingProblem } from "../terminal.ts";

/** User data of a class may hold what is nobody else's business. */
const ownerOnly = 0o600;

/**
 * A file of YAML documents that only grows: what an earlier run wrote stays. Each document ends with a comment that says
 * which object it is, at which generation: half a document of a run that was killed has none.
 */
export class ExportFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** True when each of them is in it as it is asked for now. */
  holds(objects: readonly JsonObject[]): boolean {
    if (!existsSync(this.#path)) return false;
    const marks = new Set(readFileSync(this.#path, "utf8").match(/^# whole: .*$/gm));
    return objects.every((object) => marks.has(markOf(object)));
  }

  /** What went wrong, if anything did. */
  save(objects: readonly JsonObject[]): string | undefined {
    const text = objects.map((object) => `\n---\n${stringify(withoutWriters(object))}${markOf(object)}\n`).join("");
    try {
      appendFileSync(this.#path, text, { mode: ownerOnly });
      return undefined;
    } catch (error) {
      return `${this.#path} cannot be written: ${writingProblem(error)}`;
    }
  }
}

/** Kubernetes: the generation changes with the specification, and not with the status. */
function markOf({ metadata }: JsonObject): string {
  const { uid, generation } = isJsonObject(metadata) ? metadata : {};
  return `# whole: ${String(uid)} ${String(generation)}`;
}

/** Who wrote which field is of no use to whoever applies it again. */
function withoutWriters(object: JsonObject): JsonObject {
  if (!isJsonObject(object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
