import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { notSupportedReasons } from "#core/provisioning/not-supported.ts";
import { simulated } from "../simulation/command-line.ts";

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");

/** The objects in the table of what is acted on. */
const objects = [
  ...(/## What of Karpenter's API is acted on\n(.*?)\n## /s.exec(readme)?.[1] ?? "").matchAll(/^\| ([A-Z][^|]*?) \|/gm),
].map(([, object]) => object);

describe("README.md", () => {
  test("names the kinds of Karpenter's API that are left alone, as the event does", () => {
    const kinds = ["NodeOverlay", "CapacityBuffer"];
    const left = kinds.map((kind) => ({ apiVersion: "autoscaling.x-k8s.io/v1", kind, metadata: { name: "a" } }));
    expect(notSupportedReasons(left).map(({ about }) => about.kind)).toEqual(kinds);
    expect(objects).toContain(kinds.join(", "));
  });

  test("names the fields of the document that --json writes, in their order", async () => {
    const { result } = await simulated(undefined, "--minutes", "1");
    const skeleton = /`\{("claims".*?)\}`/.exec(readme)?.[1] ?? "";
    const document = JSON.parse(`{${skeleton.replaceAll("[…]", "[]").replaceAll(/:n\b/g, ":0")}}`) as object;
    expect(Object.keys(document)).toEqual(Object.keys(result));
  });
});
