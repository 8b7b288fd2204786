import type { KubeObject, LabelSelector } from "./core-v1/meta.ts";
import type { Pod } from "./core-v1/pod.ts";
import type { NodeClaim } from "./karpenter-v1/nodeclaim.ts";
import { nodeClaimTransitions } from "./karpenter-v1/nodeclaim-validation.ts";
import type { NodePool } from "./karpenter-v1/nodepool.ts";
import { nodePoolTransitions } from "./karpenter-v1/nodepool-validation.ts";
import { type KnownKind, kinds } from "./kinds.ts";
import type { Problem } from "./problem.ts";
import { sameJson } from "./same-json.ts";
import { problemsOf, type Rule } from "./shape/shape.ts";

/**
 * What is wrong with turning one object into another of the same kind: the transition rules of Karpenter's CRDs, and
 * the immutable fields of Kubernetes' kinds that Outrigger reads. Both came through `parseObject`, which is why their
 * kind says their type. Empty: the update is allowed.
 */
export function validateUpdate(before: KubeObject, after: KubeObject): readonly Problem[] {
  if (is("NodePool", before)) return problemsOf([before as NodePool, after as NodePool], [nodePoolTransitions]);
  if (is("NodeClaim", before)) return problemsOf([before as NodeClaim, after as NodeClaim], [nodeClaimTransitions]);
  if (is("Pod", before)) return problemsOf([before as Pod, after as Pod], [podStaysOnItsNode]);
  const selecting = (["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"] as const).some((kind) =>
    is(kind, before),
  );
  return selecting ? problemsOf([before as Selecting, after as Selecting], [selectorStays]) : [];
}

function is(kind: KnownKind, object: KubeObject): boolean {
  return object.kind === kind && object.apiVersion === kinds[kind].apiVersion;
}

type Selecting = KubeObject & { readonly spec: { readonly selector: LabelSelector } };

const selectorStays: Rule<readonly [Selecting, Selecting]> = ([before, after], note) => {
  if (!sameJson(before.spec.selector, after.spec.selector)) note("must not change", "spec", "selector");
};

const podStaysOnItsNode: Rule<readonly [Pod, Pod]> = ([before, after], note) => {
  const { nodeName } = before.spec;
  if (nodeName !== undefined && after.spec.nodeName !== nodeName) note(`must stay ${nodeName}`, "spec", "nodeName");
};
