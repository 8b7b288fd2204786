import { expect, test } from "vitest";
import { MigrationWorld } from "../../../test/support/migration-world.ts";
import { preflightNotes } from "./preflight-notes.ts";
import { stepsForth } from "./steps.ts";

test("a person is told what brings things back, what is not read, and what is left of older versions", async () => {
  const world = new MigrationWorld({ version: "1.15.0" });
  const { metadata, spec, ...rest } = world.get("Deployment", "karpenter", "kube-system") as unknown as {
    readonly metadata: object;
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly object[] } } };
  };
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    envFrom: [{ secretRef: { name: "karpenter-secret" } }],
  }));
  world.api.delete("Deployment", "karpenter", "kube-system");
  world.load(
    {
      ...rest,
      metadata: {
        ...metadata,
        annotations: { "argocd.argoproj.io/tracking-id": "karpenter:apps/Deployment:kube-system/karpenter" },
        managedFields: [
          { manager: "kubectl-scale", time: "2026-01-01T00:00:00Z", fieldsV1: { "f:spec": { "f:replicas": {} } } },
          { manager: "argocd-controller", time: "2026-01-02T00:00:00Z", fieldsV1: { "f:spec": { "f:replicas": {} } } },
          { manager: "kubelet", time: "2026-01-03T00:00:00Z", fieldsV1: { "f:status": {} } },
        ],
      },
      spec: { ...spec, template: { ...spec.template, spec: { containers } } },
    },
    {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
      metadata: { name: "provisioners.karpenter.sh" },
      spec: { group: "karpenter.sh", versions: [] },
    },
  );
  expect(await world.run(stepsForth, {}, false)).toMatchObject({ kind: "to-do" });
  const [first] = world.news;
  if (first === undefined) throw new Error("the preflight is told");
  expect(preflightNotes(first.view)).toEqual([
    "4 objects, 2 of them NodeClaims",
    "provisioners.karpenter.sh: of v1alpha5, read by nobody any more; it stays as it is",
    "Deployment kube-system/karpenter: Karpenter 1.15.0, 2 replicas, written by argocd-controller",
    "Karpenter 1.15.0 is newer than 1.14, which Outrigger follows",
    "Deployment kube-system/karpenter: of Argo CD (karpenter:apps/Deployment:kube-system/karpenter), which may write it again",
    "variables from the Secret karpenter-secret are not read: settings in it are not compared",
    "Karpenter's lease: held by karpenter-7d9c",
  ]);
});
