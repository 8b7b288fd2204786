import { describe, expect, test } from "vitest";
import { nodeClassOf, nowMs, snapshotOf } from "../../../test/support/ec2-world.ts";
import type { Image } from "../view.ts";
import { imageQueries } from "./image-query.ts";
import { resolveImages } from "./resolve-images.ts";

function image(id: string, createdAt: string, more: Partial<Image> = {}): Image {
  return { id, name: id, arch: "amd64", createdAt, ...more };
}

/** The ids that a class selecting by tag ends with, when EC2 knows these images. */
function chosen(images: readonly Image[]): readonly string[] | undefined {
  const { spec } = nodeClassOf({ amiFamily: "AL2023", amiSelectorTerms: [{ tags: { a: "b" } }] });
  const answers = Object.fromEntries(imageQueries(spec, "1.32").map(({ key }) => [key, images]));
  const view = { ...snapshotOf({ nodeClasses: [] }).cloud.view, images: answers };
  return resolveImages(spec, view, "1.32", nowMs)?.map((resolved) => resolved.image.id);
}

describe("the choice between images for the same machines", () => {
  test("the newer one", () => {
    expect(chosen([image("ami-1", "2024-01-01T00:00:00Z"), image("ami-2", "2025-01-01T00:00:00Z")])).toEqual(["ami-2"]);
  });

  test("a deprecated one only when there is no other, whatever its age; a date to come does not count", () => {
    const old = image("ami-1", "2024-01-01T00:00:00Z");
    const deprecated = image("ami-2", "2025-01-01T00:00:00Z", { deprecatedAt: "2026-01-01T00:00:00Z" });
    const soon = image("ami-2", "2025-01-01T00:00:00Z", { deprecatedAt: "2027-01-01T00:00:00Z" });
    expect(chosen([old, deprecated])).toEqual(["ami-1"]);
    expect(chosen([old, soon])).toEqual(["ami-2"]);
    expect(chosen([deprecated])).toEqual(["ami-2"]);
  });

  test("of the same age the greater name, in any order", () => {
    const a = image("ami-1", "2024-01-01T00:00:00Z", { name: "a" });
    const b = image("ami-0", "2024-01-01T00:00:00Z", { name: "b" });
    expect(chosen([a, b])).toEqual(["ami-0"]);
    expect(chosen([b, a])).toEqual(["ami-0"]);
  });

  test("one for each architecture, newest first", () => {
    const images = [
      image("ami-1", "2024-01-01T00:00:00Z"),
      image("ami-2", "2025-01-01T00:00:00Z", { arch: "arm64" }),
      image("ami-3", "2023-01-01T00:00:00Z", { arch: "arm64" }),
    ];
    expect(chosen(images)).toEqual(["ami-2", "ami-1"]);
  });
});

describe("images of an alias", () => {
  test("each variant has its requirements; one image with two variants is listed twice", () => {
    const nodeClass = nodeClassOf({ amiSelectorTerms: [{ alias: "bottlerocket@v1.20.4" }] });
    const { view } = snapshotOf({ nodeClasses: [nodeClass] }).cloud;
    const resolved = resolveImages(nodeClass.spec, view, "1.32", nowMs) ?? [];
    const lines = resolved.map(({ image: { id }, requirements }) =>
      [
        id,
        ...requirements.map(({ key, operator, values }) => `${key.split("/")[1]} ${operator} ${values ?? ""}`.trim()),
      ].join("; "),
    );
    expect(lines).toEqual([
      "ami-0; arch In arm64; instance-gpu-count Exists",
      "ami-1; arch In amd64; instance-gpu-count Exists",
      "ami-2; arch In arm64; instance-gpu-count DoesNotExist; instance-accelerator-count DoesNotExist",
      "ami-3; arch In amd64; instance-accelerator-count Exists",
      "ami-3; arch In amd64; instance-gpu-count DoesNotExist; instance-accelerator-count DoesNotExist",
    ]);
  });

  test("windows names its build", () => {
    const nodeClass = nodeClassOf({ amiSelectorTerms: [{ alias: "windows2019@latest" }] });
    const { view } = snapshotOf({ nodeClasses: [nodeClass] }).cloud;
    const [resolved] = resolveImages(nodeClass.spec, view, "1.32", nowMs) ?? [];
    expect(resolved?.requirements).toEqual([
      { key: "kubernetes.io/os", operator: "In", values: ["windows"] },
      { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
      { key: "node.kubernetes.io/windows-build", operator: "In", values: ["10.0.17763"] },
    ]);
  });

  test("parameters that do not exist are passed over; without any nothing is found", () => {
    const nodeClass = nodeClassOf();
    const { view } = snapshotOf({ nodeClasses: [nodeClass] }).cloud;
    const [first] = Object.entries(view.parameters);
    const one = { ...view, parameters: Object.fromEntries(first === undefined ? [] : [first]) };
    expect(resolveImages(nodeClass.spec, one, "1.32", nowMs)).toHaveLength(1);
    expect(resolveImages(nodeClass.spec, { ...view, parameters: {} }, "1.32", nowMs)).toEqual([]);
  });

  test("a missing answer is not the same as no image", () => {
    const nodeClass = nodeClassOf();
    const { view } = snapshotOf({ nodeClasses: [nodeClass] }).cloud;
    expect(resolveImages(nodeClass.spec, { ...view, images: {} }, "1.32", nowMs)).toBeUndefined();
  });
});
