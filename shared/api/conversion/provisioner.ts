/**
 * Karpenter counterpart: the migration of v0.32, Provisioner (karpenter.sh/v1alpha5) to NodePool. It differs: straight to
 * v1; the requirements that v1alpha5 added by itself are written down, so that the same machines are chosen.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { withAnnotation } from "./annotations.ts";
import { type Finding, toDecide, toKnow } from "./finding.ts";
import { freshMetadata } from "./fresh-metadata.ts";
import { given, type JsonObject, objectOr, textOr } from "./json-fields.ts";
import { betaKubeletAnnotation } from "./node-slots.ts";
import { type Conversion, type GlobalDefaults, nodeClassOf } from "./node-template.ts";

export function convertProvisioner(provisioner: JsonObject, defaults: GlobalDefaults): Conversion {
  const metadata = freshMetadata(objectOr(provisioner.metadata));
  const spec = objectOr(provisioner.spec);
  const name = textOr(metadata.name, "");
  const findings: Finding[] = [];
  const inline = isJsonObject(spec.provider)
    ? nodeClassOf({ name }, spec.provider, defaults, "spec.provider")
    : { objects: [], findings: [] };
  // Left as it is: a pool without its class makes no node.
  if (isJsonObject(spec.provider) && inline.objects.length === 0) {
    return { objects: [provisioner], findings: inline.findings };
  }
  const className = isJsonObject(spec.provider) ? name : textOr(objectOr(spec.providerRef).name, undefined);
  if (className === undefined) {
    findings.push(toDecide("spec.providerRef", "names no node template; write spec.template.spec.nodeClassRef.name"));
  }
  const pool: JsonObject = {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata,
    spec: {
      template: {
        ...templateMetadata(spec),
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: className ?? "" },
          requirements: requirementsOf(spec.requirements, findings),
          ...given("taints", spec.taints),
          ...given("startupTaints", spec.startupTaints),
          expireAfter: secondsOf(spec.ttlSecondsUntilExpired) ?? "Never",
        },
      },
      disruption: disruptionOf(spec, findings),
      ...given("limits", objectOr(spec.limits).resources),
      ...given("weight", spec.weight),
    },
  };
  return {
    objects: [...inline.objects, withKubelet(pool, spec.kubeletConfiguration)],
    findings: [...inline.findings, ...findings],
  };
}

/** Rides as it does from v1beta1, until it is moved to the class. */
function withKubelet(pool: JsonObject, kubelet: Json | undefined): JsonObject {
  if (!isJsonObject(kubelet)) return pool;
  const { containerRuntime: _, ...settings } = kubelet;
  return withAnnotation(pool, betaKubeletAnnotation, JSON.stringify(settings));
}

function templateMetadata({ labels, annotations }: JsonObject): JsonObject {
  if (labels === undefined && annotations === undefined) return {};
  return { metadata: { ...given("labels", labels), ...given("annotations", annotations) } };
}

/** Without a setting of either kind v1alpha5 left nodes alone. */
function disruptionOf(spec: JsonObject, findings: Finding[]): JsonObject {
  if (objectOr(spec.consolidation).enabled === true) {
    return { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" };
  }
  const after = secondsOf(spec.ttlSecondsAfterEmpty);
  if (after === undefined) {
    findings.push(toKnow("spec.ttlSecondsAfterEmpty", "empty nodes were kept, and are: consolidateAfter is Never"));
  }
  return { consolidationPolicy: "WhenEmpty", consolidateAfter: after ?? "Never" };
}

const typeKeys = /^(node\.kubernetes\.io\/instance-type|karpenter\.k8s\.aws\/instance-.+)$/;
const poolKey = "karpenter.sh/nodepool";

/** Karpenter v1alpha5: Provisioner.SetDefaults of the AWS provider. */
function requirementsOf(written: Json | undefined, findings: Finding[]): readonly Json[] {
  const requirements = Array.isArray(written) ? written : [];
  const kept = requirements.filter((one) => keyOf(one) !== poolKey);
  if (kept.length < requirements.length) {
    findings.push(toKnow("spec.requirements", `${poolKey} is left out: a pool's own name is no requirement`));
  }
  const has = (test: (key: string) => boolean): boolean => kept.some((one) => test(keyOf(one)));
  const added = [
    ...(has((key) => key === "kubernetes.io/os") ? [] : [isIn("kubernetes.io/os", "linux")]),
    ...(has((key) => key === "kubernetes.io/arch") ? [] : [isIn("kubernetes.io/arch", "amd64")]),
    ...(has((key) => key === "karpenter.sh/capacity-type") ? [] : [isIn("karpenter.sh/capacity-type", "on-demand")]),
    ...(has((key) => typeKeys.test(key))
      ? []
      : [
          isIn("karpenter.k8s.aws/instance-category", "c", "m", "r"),
          { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["2"] },
        ]),
  ];
  if (added.length > 0) {
    const keys = added.map(({ key }) => key).join(", ");
    findings.push(toKnow("spec.requirements", `what v1alpha5 added by itself is written down: ${keys}`));
  }
  return [...kept, ...added];
}

function keyOf(requirement: Json): string {
  return isJsonObject(requirement) ? textOr(requirement.key, "") : "";
}

function isIn(key: string, ...values: readonly string[]): { readonly key: string } & JsonObject {
  return { key, operator: "In", values };
}

function secondsOf(seconds: Json | undefined): string | undefined {
  return typeof seconds === "number" ? `${seconds}s` : undefined;
}
