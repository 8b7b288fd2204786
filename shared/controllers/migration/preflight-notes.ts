import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { versionNotes } from "./karpenter-version.ts";
import { type MigrationView, titleOf } from "./view.ts";

/** What a person should know before it begins; nothing of it stands in the way. */
export function preflightNotes(view: MigrationView): readonly string[] {
  const { crds, relics, deployments, objects, karpenter } = view;
  const claims = objects.filter(({ kind }) => kind === "NodeClaim").length;
  return [
    `${objects.length} objects, ${claims} of them NodeClaims`,
    ...crds.flatMap(({ metadata }) => ownerOf(metadata.name, metadata.annotations)),
    ...relics.map((name) => `${name}: of v1alpha5, read by nobody any more; it stays as it is`),
    ...deployments.map(
      ({ namespace, name, version, replicas, replicasBy }) =>
        `Deployment ${namespace}/${name}: Karpenter ${version}, ${replicas} replicas${replicasBy === undefined ? "" : `, written by ${replicasBy}`}`,
    ),
    ...versionNotes(view),
    ...deployments.flatMap(({ namespace, name, annotations, secrets }) => [
      ...ownerOf(`Deployment ${namespace}/${name}`, annotations),
      ...secrets.map((secret) => `variables from the Secret ${secret} are not read: settings in it are not compared`),
    ]),
    ...karpenter.map(({ name, isAlive }) => `Karpenter's lease: ${isAlive ? `held by ${name}` : "free"}`),
    ...objects.filter(({ kind }) => kind === "NodePool").flatMap(budgetNote),
  ];
}

/** What brings an object back to what it was; for the Deployment that is Karpenter with its replicas. */
function ownerOf(title: string, annotations: Readonly<Record<string, string>> = {}): readonly string[] {
  const release = annotations["meta.helm.sh/release-name"];
  const app = annotations["argocd.argoproj.io/tracking-id"];
  return [
    ...(release === undefined ? [] : [`${title}: of the Helm release ${release}, whose next upgrade writes it again`]),
    ...(app === undefined ? [] : [`${title}: of Argo CD (${app}), which may write it again`]),
  ];
}

function budgetNote(pool: JsonObject): readonly string[] {
  const budgets = fieldAt(pool, ["spec", "disruption", "budgets"]);
  const isClosed =
    Array.isArray(budgets) &&
    budgets.some((one) => isJsonObject(one) && one.nodes === "0" && one.schedule === undefined);
  return isClosed ? [`${titleOf(pool)}: its budget lets no node go`] : [];
}
