import type { Look } from "./decide.ts";

/** So many are named one by one. */
const namesMax = 5;

/**
 * Live claims beside the simulated account: the images that it finds for a node class have ids of their own, so that a
 * machine from elsewhere is never of one of them.
 */
export function foreignImageNotes({ observed }: Look): readonly string[] {
  const answers = Object.values(observed.cloud.view.images);
  const known = new Set(answers.flatMap((images) => images.map(({ id }) => id)));
  const foreign = observed.cluster.nodeClaims
    .filter(({ status }) => status?.imageID !== undefined && !known.has(status.imageID))
    .map(({ metadata }) => metadata.name)
    .sort();
  if (foreign.length === 0 || known.size === 0) return [];
  const more = foreign.length > namesMax ? ` and ${foreign.length - namesMax} more` : "";
  return [
    `the simulated account has images of its own: AMIDrift of NodeClaim ${foreign.slice(0, namesMax).join(", ")}${more} may be none in yours (--kubeconfig looks there)`,
  ];
}
