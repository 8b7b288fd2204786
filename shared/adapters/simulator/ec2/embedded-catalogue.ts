import { readFileSync } from "node:fs";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import { readCatalogue } from "#ec2/instance-type/read-catalogue.ts";

/** The real types of us-east-1 that come with Outrigger; spot prices in it are synthesised. Throws when the file is damaged. */
export function embeddedCatalogue(): Catalogue {
  const file = new URL("../data/us-east-1.json", import.meta.url);
  const answer = readCatalogue(JSON.parse(readFileSync(file, "utf8")));
  if (answer.kind === "problems") throw new Error(`us-east-1.json is damaged: ${answer.problems.join("; ")}`);
  return answer.catalogue;
}

/** How often the `catalog` function writes the prices anew. */
const rewrittenEachMs = 3_600_000;

/**
 * The catalogue as a region's `catalog` function keeps it: written at most an hour ago. The same object for as long as
 * its time holds, since readers remember what they derived from it.
 */
export class KeptCatalogue {
  #current: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#current = catalogue;
  }

  at(nowMs: number): Catalogue {
    const writtenAtMs = Math.floor(nowMs / rewrittenEachMs) * rewrittenEachMs;
    if (this.#current.writtenAtMs !== writtenAtMs) this.#current = { ...this.#current, writtenAtMs };
    return this.#current;
  }
}
