/** Karpenter's v1beta1 on a real API server that converts by our function: from the first object to the last of v1beta1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { crdsOf } from "../support/karpenter-crds.ts";
import { betaClaimStatus, betaNodeClaim, betaNodeClass, betaNodePool } from "./support/beta-objects.ts";
import { ConversionWorld } from "./support/conversion-world.ts";

const kinds = [
  ["nodepools", "default"],
  ["nodeclaims", "claim-a"],
  ["nodeclaims", "claim-b"],
  ["ec2nodeclasses", "default"],
] as const;

let world: ConversionWorld;
/** As they were made, by plural and name. */
const made = new Map<string, KubeObject>();

beforeAll(async () => {
  world = await ConversionWorld.start("0.37");
  for (const [plural, body] of [
    ["ec2nodeclasses", betaNodeClass],
    ["nodepools", betaNodePool],
    ["nodeclaims", betaNodeClaim("claim-a")],
    ["nodeclaims", betaNodeClaim("claim-b")],
  ] as const) {
    const created = await world.create("v1beta1", plural, body);
    made.set(`${plural}/${created.metadata.name}`, created);
  }
  for (const name of ["claim-a", "claim-b"]) {
    const path = `/apis/karpenter.sh/v1beta1/nodeclaims/${name}/status`;
    const contentType = "application/merge-patch+json" as const;
    const reply = await world.admin.call({ method: "PATCH", path, contentType, body: { status: betaClaimStatus } });
    if (reply.kind === "refused") throw new Error(reply.message);
    made.set(`nodeclaims/${name}`, reply.object as KubeObject);
  }
}, 300_000);
afterAll(() => world.stop());

describe("a cluster that stores v1beta1", () => {
  test("serves its objects in v1 as soon as the CRDs of 1.0 name our function", async () => {
    await world.apply(crdsOf("1.0", world.conversion));
    const pool = await world.read("v1", "nodepools", "default");
    expect(pool).toMatchObject({
      apiVersion: "karpenter.sh/v1",
      spec: {
        template: { spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass" }, expireAfter: "240h" } },
        disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" },
      },
    });
    expect(pool.metadata.annotations).toHaveProperty("compatibility.karpenter.sh/v1beta1-kubelet-conversion");
    const nodeClass = await world.read("v1", "ec2nodeclasses", "default");
    expect(nodeClass).toMatchObject({ spec: { amiSelectorTerms: [{ alias: "al2023@latest" }] } });
    expect(world.url.answered.length).toBeGreaterThan(0);
    expect(new Set(world.url.answered)).toEqual(new Set([200]));
  });

  test.each(kinds)("gives %s/%s back in v1beta1 as it was made, while v1beta1 is in etcd", async (plural, name) => {
    expect((await world.stored(plural, name)).apiVersion).toMatch(/\/v1beta1$/);
    expect(await world.read("v1beta1", plural, name)).toEqual(made.get(`${plural}/${name}`));
  });

  test("lists all claims in v1, in one review", async () => {
    const reply = await world.admin.list("NodeClaim");
    if (reply.kind === "refused") throw new Error(reply.message);
    expect(reply.object.items.map(({ metadata }) => metadata.uid)).toEqual(
      ["claim-a", "claim-b"].map((name) => made.get(`nodeclaims/${name}`)?.metadata.uid),
    );
  });

  test("a client of v1beta1 still writes, and v1 sees it", async () => {
    const path = "/apis/karpenter.sh/v1beta1/nodepools/default";
    const body = { spec: { disruption: { expireAfter: "300h" } } };
    const contentType = "application/merge-patch+json" as const;
    expect(await world.admin.call({ method: "PATCH", path, contentType, body })).toMatchObject({ kind: "ok" });
    expect(await world.read("v1", "nodepools", "default")).toMatchObject({
      spec: { template: { spec: { expireAfter: "300h" } } },
    });
    expect((await world.stored("nodepools", "default")).apiVersion).toBe("karpenter.sh/v1");
    made.set("nodepools/default", await world.read("v1beta1", "nodepools", "default"));
  });
});
