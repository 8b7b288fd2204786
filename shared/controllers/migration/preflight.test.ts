import { describe, expect, test } from "vitest";
import {
  conditionOf,
  type KarpenterLeaves,
  leftNodeClaim,
  leftNodeClass,
  leftNodePool,
} from "../../../test/support/karpenter-objects.ts";
import { crdNames } from "../../../test/support/migration-checks.ts";
import { MigrationWorld, type MigrationWorldOptions } from "../../../test/support/migration-world.ts";
import type { MigrationOptions } from "./step.ts";
import { stepsForth } from "./steps.ts";

const leaves: KarpenterLeaves = { classHashVersion: "v5" };

const poolTemplate = {
  nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
  requirements: [],
};

interface Refusal extends MigrationWorldOptions {
  readonly change?: (world: MigrationWorld) => void;
  readonly options?: Partial<MigrationOptions>;
}

function withClaim(more: object, status: object = {}): MigrationWorldOptions {
  const claim = leftNodeClaim("claim-a", leaves, more) as { readonly status: object };
  const changed = { ...claim, status: { ...claim.status, ...status } };
  return { objects: [leftNodeClass(leaves), leftNodePool(), changed] };
}

const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const kubelet = { "compatibility.karpenter.sh/v1beta1-kubelet-conversion": '{"maxPods":40}' };

/** As Karpenter 1.0 let it be. */
const groupless = leftNodePool({
  template: { spec: { nodeClassRef: { kind: "EC2NodeClass", name: "default" }, requirements: [] } },
});

const refusals: readonly (readonly [string, Refusal, RegExp])[] = [
  [
    "a pool whose class reference has no group",
    { objects: [leftNodeClass(leaves)], change: (world) => world.force(groupless) },
    /NodePool\/default: spec\.template\.spec\.nodeClassRef\.group/,
  ],
  [
    "0.37, which stores v1beta1",
    { release: "0.37", version: "0.37.0" },
    /stores v1beta1; go through 0\.37\.7 and 1\.0\.9.*helm upgrade/,
  ],
  ["a Karpenter of 0.31", { version: "0.31.4" }, /0\.31\.4; convert its manifests.*1\.0\.9/],
  ["a Karpenter of 0.37 under CRDs of 1.0", { release: "1.0", version: "0.37.7" }, /Karpenter 0\.37\.7; go through/],
  ["a Karpenter whose version nobody says", { version: "latest" }, /says which version it is/],
  [
    "two Karpenters",
    {
      change: (world) =>
        world.load({
          ...world.get("Deployment", "karpenter", "kube-system"),
          metadata: { name: "second", namespace: "kube-system", labels: { "app.kubernetes.io/name": "karpenter" } },
        }),
    },
    /more than one Karpenter/,
  ],
  ["a claim that is being deleted", withClaim({ ...deletion }), /being deleted: claim-a/],
  [
    "a claim that is not initialized",
    withClaim({}, { conditions: [conditionOf("Launched")] }),
    /not initialized: claim-a/,
  ],
  [
    "a claim that is about to be disrupted",
    withClaim({}, { conditions: [conditionOf("Initialized"), conditionOf("DisruptionReason")] }),
    /about to be disrupted: claim-a/,
  ],
  ["a Karpenter of 2.x", { version: "2.0.0" }, /Karpenter 2\.0\.0; Outrigger follows 1\.14 and takes over 1\.x/],
  ["a Karpenter that nobody released", { version: "0-abcdef0" }, /says which version it is/],
  [
    "another setting than the deployed loop's",
    { env: { BATCH_MAX_DURATION: "30s" } },
    /\{ name: "e2e", batchMaxSeconds: 30 \}/,
  ],
  [
    "other intervals than the deployed loop's",
    { env: { AMI_REFRESH_INTERVAL: "5m", DISABLE_CLUSTER_STATE_OBSERVABILITY: "true" } },
    /\{ name: "e2e", amiRefreshSeconds: 300, disableClusterStateObservability: true \}/,
  ],
  [
    "another gate than the deployed loop's",
    { env: { FEATURE_GATES: "SpotToSpotConsolidation=true" } },
    /, spotToSpotConsolidation: true \}/,
  ],
  [
    "a setting that cannot be read",
    { env: { BATCH_IDLE_DURATION: "soon" } },
    /BATCH_IDLE_DURATION of Karpenter's Deployment is "soon", which cannot be read/,
  ],
  [
    "no deployed loop",
    {
      change: (world) => {
        world.deployed = "function outrigger-e2e-reconcile does not exist";
      },
    },
    /deploy Outrigger first: function/,
  ],
  [
    "kubelet settings that ride in an annotation",
    { objects: [leftNodeClass(leaves), leftNodePool({}, kubelet)] },
    /write \{"maxPods":40\} to spec\.kubelet of EC2NodeClass default/,
  ],
  [
    "a NodePool with a field that came after the loop's own baseline",
    {
      change: (world) => world.force(leftNodePool({ template: { spec: { ...poolTemplate, tenancy: "shared" } } })),
    },
    /NodePool\/default: spec\.template\.spec\.tenancy: Outrigger does not know this field/,
  ],
  [
    "a node that Karpenter has marked to be ended, as 1.0 and older do it",
    {
      change: (world) =>
        world.load({
          ...{ apiVersion: "v1", kind: "Node", metadata: { name: "claim-b.ec2.internal" } },
          spec: { taints: [{ key: "karpenter.sh/disruption", value: "disrupting", effect: "NoSchedule" }] },
        }),
    },
    /about to be disrupted: claim-b; wait until Karpenter/,
  ],
  [
    "rights that are missing, each by its name",
    {
      ...{ release: "1.0", version: "1.0.9" },
      change: (world) => {
        world.raw.may = async ({ verb, resource }) => verb !== "patch" || !/crd|customresource|deploy/.test(resource);
      },
      options: { adoptCrds: true },
    },
    /may not patch deployments\.apps in kube-system, patch customresourcedefinitions\.apiextensions\.k8s\.io, patch customresourcedefinitions\/status/,
  ],
  [
    "an admission webhook that Karpenter alone answers",
    {
      change: (world) => {
        const hook = {
          ...{ name: "validation.webhook.karpenter.sh", failurePolicy: "Fail" },
          clientConfig: { service: { namespace: "kube-system", name: "karpenter" } },
          rules: [{ apiGroups: ["karpenter.sh"], apiVersions: ["v1beta1"], resources: ["nodepools"] }],
        };
        const object = { metadata: { name: "validation.webhook.karpenter.sh" }, webhooks: [hook] };
        world.raw.admission.push({ kind: "ValidatingWebhookConfiguration", object });
      },
    },
    /kubectl delete validatingwebhookconfiguration\/validation\.webhook\.karpenter\.sh/,
  ],
  [
    "no CRDs (users' row 87)",
    {
      change: (world) => {
        for (const name of crdNames) world.api.delete("CustomResourceDefinition", name, undefined);
      },
    },
    /not installed/,
  ],
  [
    "a missing CRD",
    {
      change: (world) => {
        world.api.delete("CustomResourceDefinition", crdNames[0] ?? "", undefined);
      },
    },
    /the CRD ec2nodeclasses.karpenter.k8s.aws is missing/,
  ],
];

describe("refused, with nothing written,", () => {
  test.each(refusals)("%s", async (_, { change, options, ...world }, words) => {
    const made = new MigrationWorld(world);
    change?.(made);
    const end = await made.run(stepsForth, options);
    expect(end).toMatchObject({ kind: "stopped", step: "preflight" });
    expect(end.kind === "stopped" ? end.problems.join("\n") : "").toMatch(words);
    expect(made.writes).toBe(0);
  });

  test("kubelet settings that the class already has are no obstacle", async () => {
    const objects = [leftNodeClass(leaves, { kubelet: { maxPods: 40 } }), leftNodePool({}, kubelet)];
    expect(await new MigrationWorld({ objects }).run(stepsForth)).toEqual({ kind: "done" });
  });

  test("settings that both have, in other words, are none either", async () => {
    const world = new MigrationWorld({
      env: { BATCH_MAX_DURATION: "1m0s", FEATURE_GATES: "NodeRepair=false,NodeOverlay=false" },
    });
    world.deployed = { BATCH_MAX_DURATION: "60s" };
    expect(await world.run(stepsForth)).toEqual({ kind: "done" });
  });
});
