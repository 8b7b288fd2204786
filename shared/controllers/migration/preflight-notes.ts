import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import { type MigrationView, titleOf } from "./view.ts";

/** What a person should know before it begins; nothing of it stands in the way. */
export function preflightNotes({ crds, deployments, objects, karpenter }: MigrationView): readonly string[] {
  const claims = objects.filter(({ kind }) => kind === "NodeClaim").length;
  return [
    `${objects.length} objects, ${claims} of them NodeClaims`,
    ...crds.flatMap(ownerOf),
    ...deployments.map(
      ({ namespace, name, version, replicas }) =>
        `Deployment ${namespace}/${name}: Karpenter ${version}, ${replicas} replicas`,
    ),
    ...karpenter.map(({ name, isAlive }) => `Karpenter's lease: ${isAlive ? `held by ${name}` : "free"}`),
    ...objects.filter(({ kind }) => kind === "NodePool").flatMap(budgetNote),
  ];
}

function ownerOf({ metadata }: Crd): readonly string[] {
  const release = metadata.annotations?.["meta.helm.sh/release-name"];
  const app = metadata.annotations?.["argocd.argoproj.io/tracking-id"];
  if (release !== undefined)
    return [`${metadata.name}: of the Helm release ${release}, whose next upgrade writes it again`];
  return app === undefined ? [] : [`${metadata.name}: of Argo CD (${app}), which may write it again`];
}

function budgetNote(pool: JsonObject): readonly string[] {
  const budgets = fieldAt(pool, ["spec", "disruption", "budgets"]);
  const isClosed =
    Array.isArray(budgets) &&
    budgets.some((one) => isJsonObject(one) && one.nodes === "0" && one.schedule === undefined);
  return isClosed ? [`${titleOf(pool)}: its budget lets no node go`] : [];
}
