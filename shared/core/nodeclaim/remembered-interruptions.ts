/**
 * Karpenter counterpart: pkg/controllers/interruption of its AWS provider, which leaves a message in the queue that it
 * cannot act on yet. It differs: the notice is remembered in the state, so that the loop acts in the tick that knows the
 * claim, and not when the queue shows the message again.
 */
import type { CloudProvider } from "../cloud-provider.ts";
import type { PatchState } from "../command.ts";
import { nothing, together } from "../decision.ts";
import type { InterruptionNotice } from "../interruption-notice.ts";
import type { Stage } from "../stage.ts";
import { keyFamilies } from "../state/key-families.ts";
import { type State, statePatches } from "../state/state-patch.ts";
import { instanceIdOf } from "./instance-presence.ts";
import { interrupt, isInterruptionKind } from "./interruption.ts";

const { prefix } = keyFamilies.interruption;

/** Keeps the notices until a claim records their instance, or they are over. The first of an instance stays. */
export function rememberNotices(
  state: State,
  notices: readonly InterruptionNotice[],
  nowMs: number,
): readonly PatchState[] {
  const rows = notices.map(({ instanceId, kind, atMs }) => [`${prefix}${instanceId}`, `${atMs ?? nowMs} ${kind}`]);
  const data = Object.fromEntries(rows.filter(([key = ""]) => /^[-._\w]+$/.test(key) && state[key] === undefined));
  return statePatches("interruption", state, data);
}

/** Acts on the remembered notices whose instances are recorded now, and forgets them. */
export function rememberedInterruptions<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "remembered-interruptions",
    decide: ({ cluster, nowMs }) => {
      const remembered = noticesIn(cluster.state);
      if (remembered.length === 0) return nothing;
      const recorded = new Set(cluster.nodeClaims.map(({ status }) => instanceIdOf(status?.providerID ?? "")));
      const notices = remembered.filter(({ instanceId }) => recorded.has(instanceId));
      const known = Object.fromEntries(notices.map(({ instanceId }) => [`${prefix}${instanceId}`, null]));
      return together([
        { commands: statePatches("interruption", cluster.state, known), reasons: [] },
        interrupt({ ...cluster, nowMs, nodeClass: provider.nodeClass, notices }),
      ]);
    },
  };
}

function noticesIn(state: State): readonly InterruptionNotice[] {
  return Object.entries(state).flatMap(([key, value]): readonly InterruptionNotice[] => {
    if (!key.startsWith(prefix)) return [];
    const [at = "", kind = ""] = value.split(" ");
    const atMs = Number(at);
    if (!Number.isSafeInteger(atMs) || !isInterruptionKind(kind)) return [];
    return [{ instanceId: key.slice(prefix.length), kind, atMs }];
  });
}
