import { gunzipSync, gzipSync } from "node:zlib";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import { type CatalogueAnswer, readCatalogue } from "#ec2/instance-type/read-catalogue.ts";

/** A region's file unpacked; a broken one must not fill the memory of a function. */
const bytesMax = 16 * 1024 * 1024;

/** The catalogue as its file: JSON, compressed. Version 1; a reader refuses what it does not know. */
export function encodeCatalogue(catalogue: Catalogue): Uint8Array {
  return gzipSync(JSON.stringify(catalogue), { level: 9 });
}

/** Never throws: what is wrong with a file is a problem in words. */
export function decodeCatalogue(file: Uint8Array): CatalogueAnswer {
  try {
    return readCatalogue(JSON.parse(gunzipSync(file, { maxOutputLength: bytesMax }).toString("utf8")));
  } catch (error) {
    return {
      kind: "problems",
      problems: [`not a catalogue file: ${error instanceof Error ? error.message : "unreadable"}`],
    };
  }
}
