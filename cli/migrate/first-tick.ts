import type { ShownPlan } from "#controllers/migration/migration-ports.ts";
import { conditionOf } from "#core/condition.ts";
import { drifted } from "#core/nodeclaim/conditions.ts";
import type { Reason } from "#core/reason.ts";
import { type ClusterOptions, lookAtCluster } from "../plan/cluster-source.ts";
import type { Look } from "../plan/decide.ts";
import { planDocument } from "../plan/document.ts";
import { planLines } from "../plan/text.ts";

/** What ends a node for another cause than Karpenter's own: consolidation is none. */
const ending: ReadonlySet<Reason["code"]> = new Set(["claim-drifted", "claim-deleted", "instance-collected"]);

/** What the loop's first tick would decide on the cluster as it is now; nothing is written anywhere. */
export async function firstTick(options: ClusterOptions): Promise<ShownPlan | { readonly problem: string }> {
  const seen = await lookAtCluster(options);
  if (seen.kind === "unseen") return { problem: `the first tick cannot be shown: ${seen.message}` };
  const { look, notes } = seen;
  return { lines: planLines(planDocument(look, notes)), endings: endingsOf(look) };
}

export function endingsOf({ reasons, observed }: Pick<Look, "reasons" | "observed">): readonly string[] {
  const before = new Set(
    observed.cluster.nodeClaims
      .filter((claim) => conditionOf(claim, drifted)?.status === "True")
      .map(({ metadata }) => metadata.name),
  );
  return reasons
    .filter(({ code, about }) => ending.has(code) && !(code === "claim-drifted" && before.has(about.name)))
    .map(({ about, message }) => `${about.kind}/${about.name}: ${message}`);
}
