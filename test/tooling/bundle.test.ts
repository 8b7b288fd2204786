import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bundleFunction, functionNames } from "../../infra/bundle.ts";

const root = mkdtempSync(join(tmpdir(), "outrigger-bundles-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each(functionNames)("the bundle of %s", (name) => {
  test("is small: the SDK's unused shapes are not in it, nor is the simulator", async () => {
    const { directory, bytes } = await bundleFunction(name, join(root, name));
    // A bundle may have 3.5 MB; at this size we would see that the SDK's form has changed.
    expect(bytes).toBeLessThan(1_450_000);
    const files = readdirSync(directory).filter((file) => /\.(mjs|json)$/.test(file));
    const texts = files.map((file) => readFileSync(join(directory, file), "utf8"));
    // The loop ends instances, and so does a removal by force.
    expect(texts.some((text) => text.includes("DescribeInstances"))).toBe(name === "reconcile" || name === "setup");
    // Of a service call that nothing makes, and of the simulator's catalogue.
    for (const foreign of ["AdvertiseByoipCidrResult", "workshop.example"]) {
      expect(texts.filter((text) => text.includes(foreign))).toEqual([]);
    }
  });
});
