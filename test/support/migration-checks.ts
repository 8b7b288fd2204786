import { expect } from "vitest";
import type { MigrationOptions } from "#controllers/migration/step.ts";
import type { MigrationWorld, MigrationWorldOptions } from "./migration-world.ts";

/** A cluster of Karpenter 1.0 that still stores v1beta1. */
export const from10: MigrationWorldOptions = { release: "1.0", version: "1.0.9", leaves: { classHashVersion: "v3" } };
/** The CRDs of 1.0 lack what the loop writes: they are brought up to date. */
export const adopting: Partial<MigrationOptions> = { adoptCrds: true };
export const crdNames = ["ec2nodeclasses.karpenter.k8s.aws", "nodeclaims.karpenter.sh", "nodepools.karpenter.sh"];

/** Never both act, and the loop not before its plan was seen: it is held from before Karpenter goes until it is on. */
export function assertSafe(world: MigrationWorld): void {
  const { replicas } = world.get("Deployment", "karpenter", "kube-system").spec as { readonly replicas: number };
  const { pause, migration } = world.state();
  if (migration?.startsWith("on ") === true) expect(replicas).toBe(0);
  else if (migration !== undefined || replicas === 0) expect(pause).toBe("all");
}

export function assertHandedOver(world: MigrationWorld): void {
  expect(world.get("Deployment", "karpenter", "kube-system")).toMatchObject({
    spec: { replicas: 0 },
    metadata: { annotations: { "outrigger.dev/replicas": "2" } },
  });
  expect(world.state()).toEqual({ migration: expect.stringMatching(/^on \d+$/) });
  for (const name of crdNames) {
    const { spec, status } = world.get("CustomResourceDefinition", name) as unknown as {
      readonly spec: { readonly versions: readonly { readonly name: string }[]; readonly conversion?: object };
      readonly status: object;
    };
    expect(spec.versions.map((version) => version.name)).toEqual(["v1"]);
    expect(spec.conversion ?? { strategy: "None" }).toEqual({ strategy: "None" });
    expect(status).toMatchObject({ storedVersions: ["v1"] });
  }
  const { annotations: ofClass = {} } = world.get("EC2NodeClass", "default").metadata;
  expect(ofClass["karpenter.k8s.aws/ec2nodeclass-hash-version"]).toBe("outrigger-1");
  for (const name of ["claim-a", "claim-b"]) {
    const { annotations = {} } = world.get("NodeClaim", name).metadata;
    expect(annotations["karpenter.k8s.aws/ec2nodeclass-hash"]).toBe(ofClass["karpenter.k8s.aws/ec2nodeclass-hash"]);
    expect(annotations["karpenter.k8s.aws/ec2nodeclass-hash-version"]).toBe("outrigger-1");
  }
}
