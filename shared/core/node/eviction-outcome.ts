/**
 * Karpenter counterpart: pkg/controllers/node/termination/terminator/eviction.go, what it does with the API's answers.
 * It differs: a refusal is remembered in the state ConfigMap, a node at a time.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { interruptedAtAnnotation } from "#api/outrigger-names.ts";
import { parseTime } from "#api/time.ts";
import type { EvictPod } from "../command.ts";
import { type Decision, together } from "../decision.ts";
import { refOf } from "../object-ref.ts";
import type { Outcome, Step } from "../outcome.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { podsByNode } from "../state/node-index.ts";
import { type State, statePatches } from "../state/state-patch.ts";
import { evictionKey, type Refusals, refusalsAfter, refusalsOf, refusalsText, retryAtMs } from "./eviction-retry.ts";
import { warningMs } from "./interruption-wait.ts";

type EvictStep = Step & { readonly command: EvictPod };

export const evictionOutcome: Stage = {
  name: "eviction-outcome",
  decide: (snapshot) => {
    const steps = snapshot.steps.filter((step): step is EvictStep => step.command.kind === "evict-pod");
    const { state, nodes, pods } = snapshot.cluster;
    const byUid = new Map(steps.map((step) => [step.command.target.uid ?? "", step]));
    const onNode = podsByNode(pods);
    const ending = endingMachines(snapshot);
    const answered = nodes
      .map((node) => answersOf(node, onNode.get(node.metadata.name) ?? [], byUid, ending.has(node.spec.providerID)))
      .filter(({ node, answers }) => answers.length > 0 || state[evictionKey(node)] !== undefined);
    const remembered = answered.map((one) => ({ one, refusals: rememberedOf(one, state, snapshot.nowMs) }));
    const data = remembered.map(({ one, refusals }) => [
      evictionKey(one.node),
      refusals === undefined ? null : refusalsText(refusals),
    ]);
    return together([
      { commands: statePatches("eviction", state, Object.fromEntries(data)), reasons: [] },
      ...remembered.map(({ one, refusals }) => told(one, refusals)),
    ]);
  },
};

interface NodeAnswers {
  readonly node: Node;
  /** All of the node's. */
  readonly pods: readonly Pod[];
  readonly answers: readonly { readonly pod: Pod; readonly outcome: Outcome }[];
  readonly refused: readonly Pod[];
  readonly isHurried: boolean;
}

/** Provider IDs of machines whose spot warning runs: a budget that lets pods go one by one must not be asked rarely. */
function endingMachines({ cluster, nowMs }: Snapshot): ReadonlySet<string | undefined> {
  const claims = cluster.nodeClaims.filter(({ metadata }) => {
    const warnedMs = parseTime(metadata.annotations?.[interruptedAtAnnotation]);
    return warnedMs !== undefined && nowMs < warnedMs + warningMs;
  });
  return new Set(claims.flatMap(({ status }) => status?.providerID ?? []));
}

function answersOf(
  node: Node,
  pods: readonly Pod[],
  steps: ReadonlyMap<string, EvictStep>,
  isEnding: boolean,
): NodeAnswers {
  const answers = pods.flatMap((pod) => {
    const step = steps.get(pod.metadata.uid ?? "");
    return step === undefined ? [] : [{ pod, outcome: step.outcome }];
  });
  const refused = answers.filter(({ outcome }) => isRefusal(outcome)).map(({ pod }) => pod);
  const isHurried = isEnding || answers.some(({ outcome }) => outcome.kind === "done");
  return { node, pods, answers, refused, isHurried };
}

function rememberedOf(round: NodeAnswers, state: State, nowMs: number): Refusals | undefined {
  const { node, pods, refused, isHurried } = round;
  return refusalsAfter(refusalsOf(state, node), { refused, present: pods, isHurried }, nowMs);
}

function told({ node, answers, refused }: NodeAnswers, refusals: Refusals | undefined): Decision {
  const atMs = refused.length === 0 || refusals === undefined ? undefined : retryAtMs(refusals);
  return {
    commands: [],
    reasons: answers.flatMap(({ pod, outcome }) => evictedReason(node, pod, outcome)),
    ...(atMs === undefined ? {} : { againAtMs: atMs }),
  };
}

/** Any answer but success and "it is gone": the pod pauses. */
function isRefusal(outcome: Outcome): boolean {
  return outcome.kind === "failed" && outcome.fault.kind !== "not-found" && outcome.fault.kind !== "conflict";
}

function evictedReason(node: Node, pod: Pod, outcome: Outcome): readonly Reason[] {
  const about = refOf("Pod", pod);
  if (outcome.kind === "done") {
    const message = `Evicted from ${node.metadata.name}, which is being terminated`;
    return [{ about, code: "node-draining", message, event: { type: "Normal", reason: "Evicted" } }];
  }
  if (!isRefusal(outcome)) return [];
  return [
    { about, code: "node-draining", message: `Not evicted from ${node.metadata.name}: ${outcome.fault.message}` },
  ];
}
