import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Crd } from "#core/crd/crd-policy.ts";

/** Outrigger's CRDs, one a file of the folder, in the order of their names. */
export function readCrds(folder: URL): readonly Crd[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => parse(readFileSync(new URL(name, folder), "utf8")) as Crd);
}
