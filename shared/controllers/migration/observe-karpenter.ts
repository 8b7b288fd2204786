/** What a look sees of Karpenter's controller beside its objects. */
import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { disruptedTaintKey } from "#api/karpenter-v1/labels.ts";
import { kinds } from "#api/kinds.ts";
import { isJsonObject } from "#api/problem.ts";
import type { RawList, RawObjects, RawSelection, ServedKind } from "#ports/raw-objects.ts";
import { type ConfigMaps, configMapNames } from "./container-variables.ts";
import { karpenterContainer, karpenterLabel, readDeployment } from "./karpenter-deployment.ts";
import { admissionKinds, configMapKind, deploymentKind } from "./served-kinds.ts";
import { dataOf, type KarpenterDeployment, metadataOf } from "./view.ts";

/** Karpenter 1.0 and older: `karpenter.sh/disruption`. */
const disruptedTaints: readonly string[] = [disruptedTaintKey, "karpenter.sh/disruption"];
const karpenterGroups: readonly string[] = ["karpenter.sh", "karpenter.k8s.aws"];

/** A list that must be read; else the answer is thrown to `observeMigration`. */
export class Unlisted extends Error {
  readonly answer: Exclude<RawList, { kind: "listed" }>;
  readonly what: string;

  constructor(answer: Exclude<RawList, { kind: "listed" }>, what: string) {
    super(what);
    this.answer = answer;
    this.what = what;
  }
}

export async function listed(
  raw: RawObjects,
  kind: ServedKind,
  what: string,
  selection: RawSelection = {},
): Promise<readonly JsonObject[]> {
  const answer = await raw.list(kind, selection);
  if (answer.kind !== "listed") throw new Unlisted(answer, what);
  return answer.items;
}

/** By the label of its chart; where nothing has it, by what its container is. */
export async function karpenterDeployments(raw: RawObjects): Promise<readonly KarpenterDeployment[]> {
  const labelled = await listed(raw, deploymentKind, "the Deployments", { labelSelector: karpenterLabel });
  const found = labelled.some(karpenterContainer) ? labelled : await listed(raw, deploymentKind, "the Deployments");
  const read: KarpenterDeployment[] = [];
  for (const object of found) {
    const container = karpenterContainer(object);
    if (container === undefined) continue;
    const maps = await configMapsOf(raw, String(metadataOf(object).namespace), configMapNames(container));
    const deployment = readDeployment(object, maps);
    if (deployment !== undefined) read.push(deployment);
  }
  return read;
}

async function configMapsOf(raw: RawObjects, namespace: string, names: readonly string[]): Promise<ConfigMaps> {
  const maps = new Map<string, Readonly<Record<string, string>>>();
  for (const name of names) {
    const fieldSelector = `metadata.name=${name}`;
    const [map] = await listed(raw, configMapKind, `ConfigMap ${namespace}/${name}`, { namespace, fieldSelector });
    if (map !== undefined) maps.set(name, dataOf(map));
  }
  return maps;
}

/** Names of nodes that are marked to be ended. */
export async function disruptedNodes(raw: RawObjects): Promise<readonly string[]> {
  const nodes = await listed(raw, { kind: "Node", ...kinds.Node }, "the Nodes");
  return nodes
    .filter((node) => {
      const taints = fieldAt(node, ["spec", "taints"]);
      return Array.isArray(taints) && taints.filter(isJsonObject).some(({ key }) => disruptedTaints.includes(`${key}`));
    })
    .map((node) => String(metadataOf(node).name));
}

/** Admission webhooks that judge Karpenter's objects by a Service: while nobody answers there, nothing is written. */
export async function karpenterWebhooks(raw: RawObjects): Promise<readonly string[]> {
  const names: string[] = [];
  for (const kind of admissionKinds) {
    for (const object of await listed(raw, kind, `the ${kind.plural}`)) {
      const hooks = Array.isArray(object.webhooks) ? object.webhooks.filter(isJsonObject) : [];
      if (hooks.some(isKarpenters)) names.push(`${kind.kind}/${String(metadataOf(object).name)}`);
    }
  }
  return names;
}

function isKarpenters(hook: JsonObject): boolean {
  if (fieldAt(hook, ["clientConfig", "service"]) === undefined || hook.failurePolicy === "Ignore") return false;
  const rules = Array.isArray(hook.rules) ? hook.rules.filter(isJsonObject) : [];
  const groups = rules.flatMap(({ apiGroups }) => (Array.isArray(apiGroups) ? apiGroups.map(String) : []));
  // One for every group is a policy of the cluster's own, and no relic.
  return groups.some((group) => karpenterGroups.includes(group)) && /karpenter/.test(JSON.stringify(hook.clientConfig));
}
