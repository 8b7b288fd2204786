import { describe, expect, test } from "vitest";
import type { Filter } from "#ec2/view.ts";
import { Images } from "./images.ts";
import { usualLatestVersions } from "./published-image.ts";

const account = "123456789012";
const recommended = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id";
const query = (filters: readonly Filter[], owners?: readonly string[]) => ({
  key: "q",
  filters,
  ...(owners === undefined ? {} : { owners }),
});

describe("Images", () => {
  test("a release moves the parameter that names no version, and leaves the older image in place", () => {
    const images = new Images(account, true, usualLatestVersions);
    const before = images.parameter(recommended);
    images.release({ al2023: "v20250801" });
    const after = images.parameter(recommended);
    expect(after).not.toBe(before);
    expect(images.byId(before ?? "")?.name).toContain(usualLatestVersions.al2023);
    const both = images.describe(query([{ name: "name", values: ["amazon-eks-node-al2023-x86_64-*"] }], ["amazon"]));
    expect(both.map(({ id }) => id)).toEqual([after, before]);
  });

  test("an obliging account holds the images that a user names by id, name or tags", () => {
    const images = new Images(account, true, usualLatestVersions);
    const id = "ami-0123456789abcdef0";
    expect(images.describe(query([{ name: "image-id", values: [id] }])).map((image) => image.id)).toEqual([id]);
    const named = images.describe(query([{ name: "name", values: ["golden-*"] }], ["self", "amazon"]));
    expect(named.map(({ arch }) => arch).sort()).toEqual(["amd64", "arm64"]);
    const tagged = images.describe(query([{ name: "tag:team", values: ["web"] }]));
    expect(tagged).toHaveLength(2);
    expect(images.describe(query([{ name: "tag:team", values: ["web"] }]))).toEqual(tagged);
    expect(images.parameter("/my/golden")).toMatch(/^ami-/);
  });

  test("a malformed id exists nowhere", () => {
    const images = new Images(account, true, usualLatestVersions);
    expect(images.describe(query([{ name: "image-id", values: ["ami-nonsense"] }]))).toEqual([]);
  });

  test("another account does not oblige: only what was registered, and only for its owner", () => {
    const images = new Images(account, false, usualLatestVersions);
    expect(images.describe(query([{ name: "image-id", values: ["ami-0123456789abcdef0"] }]))).toEqual([]);
    expect(images.parameter("/my/golden")).toBeUndefined();
    images.setParameter("/my/golden", "ami-0a");
    expect(images.parameter("/my/golden")).toBe("ami-0a");
    images.register({
      image: { id: "ami-0a", name: "golden", arch: "arm64", createdAt: "2025-01-01T00:00:00.000Z" },
      owner: "999999999999",
      tags: { team: "web" },
    });
    const byTag: readonly Filter[] = [{ name: "tag-key", values: ["team"] }];
    expect(images.describe(query(byTag, ["self"]))).toEqual([]);
    expect(images.describe(query(byTag, ["999999999999"])).map(({ id }) => id)).toEqual(["ami-0a"]);
  });
});
