/** What must be so before anything is touched: all that stands in the way is told at once. */

import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { betaKubeletAnnotation } from "#api/conversion/node-slots.ts";
import { parseObject } from "#api/parse.ts";
import { isJsonObject } from "#api/problem.ts";
import { sameJson } from "#api/same-json.ts";
import { differingSettings, foreignGates, unknownSettings } from "./deployed-settings.ts";
import { crdNameOf, crdOf, karpenterKinds } from "./served-kinds.ts";
import { done, type MigrationStep, refused } from "./step.ts";
import {
  annotationsOf,
  isOurs,
  type KarpenterDeployment,
  type MigrationView,
  metadataOf,
  oldVersionsOf,
  phaseOf,
  storesV1,
  titleOf,
} from "./view.ts";

const namedMax = 5;

export const preflight: MigrationStep = {
  name: "preflight",
  does: "looks at versions, CRDs, the running Karpenter, its settings and what it is doing",
  undo: "nothing was written",
  judge: (view) => {
    const problems = [
      ...crdProblems(view),
      ...versionProblems(view),
      ...objectProblems(view),
      ...settingProblems(view),
    ];
    return problems.length === 0 ? done : refused(...problems);
  },
};

/** Again, once what nobody could convert before can be read. */
export const objectsFit: MigrationStep = {
  name: "objects",
  does: "looks whether each object can be read, and whether Karpenter is in the middle of something",
  undo: "nothing was written",
  judge: (view) => {
    const problems = objectProblems(view);
    return problems.length === 0 ? done : refused(...problems);
  },
};

/** On a cluster that still stored v1beta1 nothing could be deployed before this. */
export const deployed: MigrationStep = {
  name: "deployment",
  does: "looks whether the loop is deployed, and told what Karpenter is told",
  undo: "nothing was written",
  judge: (view) => {
    const problems = settingProblems(view);
    return problems.length === 0 ? done : refused(...problems);
  },
};

/** Whether the deployed loop has all that the running Karpenter is told; looked at first, so that nothing stops half way. */
export const settingsTakenOver: MigrationStep = {
  name: "settings",
  does: "compares the settings and gates of Karpenter's Deployment with those of the deployed loop",
  undo: "nothing was written",
  judge: (view) => {
    const problems = settingProblems(view);
    return problems.length === 0 ? done : refused(...problems);
  },
};

function crdProblems({ crds }: MigrationView): readonly string[] {
  const missing = karpenterKinds.filter((kind) => crdOf(crds, kind) === undefined).map(crdNameOf);
  if (missing.length === karpenterKinds.length)
    return ["Karpenter's CRDs are not installed: there is nothing to migrate"];
  return [
    ...missing.map((name) => `the CRD ${name} is missing; apply those of the running Karpenter`),
    ...crds.filter((crd) => !storesV1(crd)).map(({ metadata }) => `${metadata.name} stores v1beta1; ${roadTo1}`),
  ];
}

/** Karpenter: upgrade guide; the last patches with which a way back is left. */
const roadTo1 = [
  "go through 0.37.7 and 1.0.9 first:",
  "`helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 0.37.7 -n kube-system --reuse-values --set webhook.enabled=true`,",
  "`helm upgrade --install karpenter-crd oci://public.ecr.aws/karpenter/karpenter-crd --version 1.0.9 -n kube-system --set webhook.enabled=true`,",
  "`helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.0.9 -n kube-system --reuse-values`",
].join(" ");

function versionProblems({ deployments }: MigrationView): readonly string[] {
  if (deployments.length > 1) {
    const names = deployments.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
    return [`${names}: more than one Karpenter; take away all but the one that runs this cluster`];
  }
  return deployments.flatMap(versionProblem);
}

function versionProblem({ namespace, name, version }: KarpenterDeployment): readonly string[] {
  const where = `Deployment ${namespace}/${name}`;
  const [major, minor] = (version ?? "").split(".").map(Number);
  if (version === undefined || major === undefined || minor === undefined || Number.isNaN(major + minor)) {
    return [`${where}: neither its label app.kubernetes.io/version nor its image says which version it is`];
  }
  if (major > 0) return [];
  if (minor < 33)
    return [`${where} is Karpenter ${version}; convert its manifests with \`outrigger convert\`, and ${roadTo1}`];
  return [`${where} is Karpenter ${version}; ${roadTo1}`];
}

/** Objects that the loop could not read would be left alone by it: that is no handover. */
function objectProblems(view: MigrationView): readonly string[] {
  const objects = view.objects.filter(isOurs);
  const isKarpenters = phaseOf(view) === "none" || phaseOf(view) === "back";
  return [
    ...objects.flatMap((object) => formProblems(object, objects)),
    ...(isKarpenters ? flightProblems(objects) : []),
  ];
}

function formProblems(object: JsonObject, objects: readonly JsonObject[]): readonly string[] {
  const parsed = parseObject(object);
  const unread =
    parsed.kind === "problems"
      ? parsed.problems.slice(0, namedMax).map(({ field, message }) => `${titleOf(object)}: ${field}: ${message}`)
      : [];
  return [...unread, ...kubeletProblems(object, objects)];
}

/** Karpenter 1.0 reads the kubelet's settings of v1beta1 out of an annotation; 1.1 and everything after it does not. */
function kubeletProblems(object: JsonObject, objects: readonly JsonObject[]): readonly string[] {
  const note = annotationsOf(object)[betaKubeletAnnotation];
  if (object.kind !== "NodePool" || note === undefined) return [];
  const name = fieldAt(object, ["spec", "template", "spec", "nodeClassRef", "name"]);
  const nodeClass = objects.find((other) => other.kind === "EC2NodeClass" && metadataOf(other).name === name);
  if (nodeClass !== undefined && sameJson(fieldAt(nodeClass, ["spec", "kubelet"]), jsonOf(note))) return [];
  const way = `write ${note} to spec.kubelet of EC2NodeClass ${String(name)} (\`outrigger convert\` does, and splits classes)`;
  return [`${titleOf(object)}: its kubelet settings ride in the annotation ${betaKubeletAnnotation}; ${way}`];
}

function jsonOf(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function settingProblems(view: MigrationView): readonly string[] {
  const { deployments, deployed: loop, crds } = view;
  const [karpenter] = deployments;
  const isDue = crds.every((crd) => oldVersionsOf(crd).length === 0);
  const unknown = loop.kind === "known" || !isDue ? [] : [`deploy Outrigger first: ${loop.message}`];
  if (karpenter === undefined) return unknown;
  const lines = differingSettings(view);
  return [
    ...unknown,
    ...foreignGates(karpenter).map(
      (gate) => `Karpenter runs with the gate ${gate}, which Outrigger does not act on: switch it off first`,
    ),
    ...unknownSettings(karpenter).map(
      (name) => `${name} of Karpenter's Deployment cannot be read; write its value into the Deployment`,
    ),
    ...(lines.length === 0
      ? []
      : [
          `Karpenter is told otherwise than the deployed loop; add to outrigger.config.ts and deploy: { ${lines.join(", ")} }`,
        ]),
  ];
}

/** What Karpenter is in the middle of, it ends. */
function flightProblems(objects: readonly JsonObject[]): readonly string[] {
  const claims = objects.filter(({ kind }) => kind === "NodeClaim");
  const states = [
    ["being deleted", (claim: JsonObject) => metadataOf(claim).deletionTimestamp !== undefined],
    ["not initialized", (claim: JsonObject) => statusOf(claim, "Initialized") !== "True"],
    ["about to be disrupted", (claim: JsonObject) => statusOf(claim, "DisruptionReason") === "True"],
  ] as const;
  return states.flatMap(([what, holds]) => {
    const names = claims.filter(holds).map((claim) => String(metadataOf(claim).name));
    if (names.length === 0) return [];
    const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : "";
    return [
      `NodeClaims are ${what}: ${names.slice(0, namedMax).join(", ")}${more}; wait until Karpenter is done with them`,
    ];
  });
}

function statusOf(claim: JsonObject, type: string): unknown {
  const conditions = fieldAt(claim, ["status", "conditions"]);
  const found = Array.isArray(conditions)
    ? conditions.find((condition) => isJsonObject(condition) && condition.type === type)
    : undefined;
  return isJsonObject(found) ? found.status : undefined;
}
