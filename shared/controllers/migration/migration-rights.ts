/** What whoever migrates must be allowed to, asked before anything is written. */
import { groupOf, kinds } from "#api/kinds.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { karpenterLeaseName } from "#ports/lease.ts";
import type { AccessRight, RawObjects } from "#ports/raw-objects.ts";
import { clusterObservation } from "#ports/rights.ts";
import { viewKinds } from "#ports/view-kinds.ts";
import { admissionKinds, crdKind, deploymentKind, karpenterKinds, servedKind } from "./served-kinds.ts";
import { type MigrationView, oldVersionsOf } from "./view.ts";

const crds = { group: groupOf(crdKind.apiVersion), resource: crdKind.plural };
const deployments = { group: groupOf(deploymentKind.apiVersion), resource: deploymentKind.plural };
const state = { group: "", resource: "configmaps", namespace: stateNamespace };
const leases = { group: "coordination.k8s.io", resource: "leases" };

/** For a look, that of a tick included. A kind that the cluster may not know is not asked for. */
export const readingRights: readonly AccessRight[] = [
  { ...crds, verb: "list" },
  { ...deployments, verb: "list" },
  { ...state, verb: "list", name: stateName },
  { ...leases, verb: "list", name: karpenterLeaseName },
  { ...leases, verb: "get", namespace: stateNamespace, name: stateName },
  ...admissionKinds.map(({ apiVersion, plural }) => ({
    ...({ verb: "list", group: groupOf(apiVersion), resource: plural } as const),
  })),
  ...clusterObservation
    .filter(({ resource }) => resource !== "configmaps" && isServed(resource))
    .map(({ apiGroup, resource }) => ({ verb: "list", group: apiGroup, resource }) as const),
];

function isServed(resource: string): boolean {
  const known = [...Object.values(viewKinds), "EC2NodeClass" as const].map((kind) => kinds[kind].plural);
  return known.includes(resource);
}

/** For the writes of the steps that are left; on the way back the objects stay as they are. */
export function writingRights({
  crds: installed,
  deployments: karpenter,
}: Pick<MigrationView, "crds" | "deployments">) {
  const isOld = installed.some((crd) => oldVersionsOf(crd).length > 0);
  const isConverting = installed.some(
    ({ spec }) => (spec.conversion?.strategy ?? "None") !== "None" || spec.versions.some(({ name }) => name !== "v1"),
  );
  const both: readonly AccessRight[] = [
    { ...state, verb: "create" },
    { ...state, verb: "patch", name: stateName },
    ...karpenter.map(({ namespace, name }) => ({ ...deployments, verb: "patch" as const, namespace, name })),
  ];
  const forth: readonly AccessRight[] = [
    ...karpenterKinds.map((kind) => {
      const { apiVersion, plural } = servedKind(kind);
      return { verb: "patch" as const, group: groupOf(apiVersion), resource: plural };
    }),
    ...(isOld || isConverting ? [{ ...crds, verb: "patch" as const }] : []),
    ...(isOld ? [{ ...crds, verb: "patch" as const, subresource: "status" }] : []),
  ];
  return { both, forth };
}

/** Those of them that are not given, in words. One that nobody judges counts as given: the write itself will say. */
export async function missingOf(raw: RawObjects, rights: readonly AccessRight[]): Promise<readonly string[]> {
  const answers = await Promise.all(rights.map((right) => raw.may(right)));
  return [...new Set(rights.filter((_, index) => answers[index] === false).map(wordsOf))];
}

/** `patch deployments.apps in kube-system`. */
function wordsOf({ verb, group, resource, subresource, namespace }: AccessRight): string {
  const whole = `${resource}${subresource === undefined ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;
  return `${verb} ${whole}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
