/** What must be so before anything is touched: all that stands in the way is told at once. */

import { crdProblems } from "./crd-problems.ts";
import { differingSettings, settingObstacles } from "./deployed-settings.ts";
import { versionProblems } from "./karpenter-version.ts";
import { objectProblems } from "./object-problems.ts";
import { done, type MigrationStep, refused } from "./step.ts";
import { isKarpenterThere, type MigrationView, oldVersionsOf, phaseOf } from "./view.ts";

export const preflight: MigrationStep = {
  name: "preflight",
  does: "looks at rights, versions, CRDs, the running Karpenter, its settings and what it is doing",
  undo: "nothing was written",
  judge: (view, options) => {
    const problems = [
      ...rightProblems([...view.missingRights, ...view.missingForth]),
      ...crdProblems(view, options),
      ...versionProblems(view),
      ...controllerProblems(view),
      ...objectProblems(view, options),
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
  judge: (view, options) => {
    const problems = objectProblems(view, options);
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

export function rightProblems(missing: readonly string[]): readonly string[] {
  if (missing.length === 0) return [];
  return [`whoever is signed in may not ${missing.join(", ")}: sign in as one who may, or be given it`];
}

/** A Karpenter that is seen by its lease alone could not be ended, and one whose webhooks stay would stop every write. */
function controllerProblems({ deployments, karpenter, webhooks }: MigrationView): readonly string[] {
  const alive = deployments.length === 0 ? karpenter.filter(({ isAlive }) => isAlive) : [];
  return [
    ...alive.map(({ name }) => `${name} holds Karpenter's lease, and no Deployment of it is known: end it`),
    ...webhooks.map(
      (webhook) =>
        `${webhook} is answered by Karpenter alone, and would refuse every write once it is gone: \`kubectl delete ${webhook.toLowerCase()}\` (1.0 and later do without)`,
    ),
  ];
}

function settingProblems(view: MigrationView): readonly string[] {
  const { deployments, deployed: loop, crds } = view;
  const [karpenter] = deployments;
  const isDue = crds.every((crd) => oldVersionsOf(crd).length === 0);
  const unknown = loop.kind === "known" || !isDue ? [] : [`deploy Outrigger first: ${loop.message}`];
  // Once it is handed over, the loop's settings are nobody's but its own.
  const isOver = phaseOf(view) === "on" && !isKarpenterThere(view);
  if (karpenter === undefined || isOver) return unknown;
  const lines = differingSettings(view);
  const name = karpenter.settings.CLUSTER_NAME;
  const entry = [...(name === undefined ? [] : [`name: ${JSON.stringify(name)}`]), ...lines].join(", ");
  return [
    ...unknown,
    ...settingObstacles(karpenter, view),
    ...(lines.length === 0
      ? []
      : [
          `Karpenter is told otherwise than the deployed loop; in outrigger.config.ts the cluster's entry needs { ${entry} }: deploy it so first`,
        ]),
  ];
}
