import { type Decision, nothing, together } from "#core/decision.ts";
import type { InterruptionNotice, MessageAnswer } from "#core/interruption-notice.ts";
import {
  concernsUs,
  endsWaiting,
  type InterruptionInput,
  interrupt,
  unrecordedNotices,
} from "#core/nodeclaim/interruption.ts";
import { rememberNotices } from "#core/nodeclaim/remembered-interruptions.ts";
import type { Step } from "#core/outcome.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { isPaused } from "#core/state/pause.ts";
import type { Leases } from "#ports/lease.ts";
import { act, noCloud } from "./act.ts";
import { eventsOf } from "./events.ts";
import { isFree } from "./lease-rules.ts";
import type { Configuration, Ports } from "./ports.ts";
import { toldReasons } from "./told-reasons.ts";
import { writtenObject } from "./written-object.ts";

/** Writes begin only with so much time left, ms: a call that is cut off is one whose end nobody knows. */
const callMsMax = 5_000;

/** One message of the queue, as it came. */
export interface Message {
  readonly id: string;
  readonly body: unknown;
}

export interface InterruptionReport {
  readonly decision: Decision;
  readonly steps: readonly Step[];
  /** Ids of the messages that return to the queue: what they ask for could not be read or written. All others are acknowledged. */
  readonly failed: readonly string[];
  /** How many messages were of each kind: of the notice, or why one asks for nothing. */
  readonly counts: Readonly<Record<string, number>>;
  /** How old the messages were that name instances, ms. */
  readonly agesMs: readonly number[];
  /** What messages that ask for nothing say of themselves. */
  readonly ignored: readonly string[];
  /** Something is to be done for which `reconcile` should be woken. */
  readonly acted: boolean;
  /** Why the cluster could not be looked at. */
  readonly unreadable?: string;
  /** Everything is paused: nothing was written, and what concerns us returns to the queue. */
  readonly held?: true;
}

interface InterruptionPorts extends Pick<Ports<never, unknown>, "cluster" | "clock"> {
  /** Where Karpenter's own lease is looked for; absent: there is none. */
  readonly leases?: Pick<Leases, "readKarpenter">;
}
type Read = { readonly id: string; readonly notices: readonly InterruptionNotice[] };

/**
 * Handles a batch of interruption messages: at most one list of the claims for the whole batch and nothing else when none
 * of ours is concerned; every claim marked in parallel, commutative writes only (no Lease needed). Beside a Karpenter that
 * holds its lease nothing is done: it hears of its warnings by its own queue.
 */
export async function handleInterruptions<Query, View>(
  messages: readonly Message[],
  { provider }: Pick<Configuration<Query, View>, "provider">,
  ports: InterruptionPorts,
  endAtMs = Number.POSITIVE_INFINITY,
): Promise<InterruptionReport> {
  const { cluster, clock } = ports;
  const answers = messages.map(({ id, body }) => ({ id, answer: provider.readMessage(body) }));
  const idle: InterruptionReport = {
    ...{ decision: nothing, steps: [], failed: [], acted: false },
    agesMs: agesOf(answers, clock.nowMs()),
    counts: countBy(answers.map(({ answer }) => kindOf(answer))),
    ignored: answers.flatMap(({ answer }) => (answer.kind === "notices" ? [] : [`${answer.kind}: ${answer.message}`])),
  };
  const read = answers.flatMap(({ id, answer }): readonly Read[] =>
    answer.kind === "notices" ? [{ id, notices: answer.notices }] : [],
  );
  if (read.length === 0) return idle;
  const looked = await look(read, provider.nodeClass, ports, endAtMs);
  if (looked.kind === "unconcerned") return idle;
  if (looked.kind === "karpenter-alive") {
    const ignored = `Karpenter runs in the cluster and holds its lease (${looked.holder}): its warnings are its own`;
    return { ...idle, ignored: [...idle.ignored, ignored] };
  }
  if (looked.kind === "unreadable") {
    return { ...idle, failed: read.map(({ id }) => id), unreadable: looked.message };
  }
  const { input } = looked;
  if (isPaused(input.state, input.nowMs)) return { ...idle, failed: concerning(read, input), held: true };
  return { ...idle, ...(await carryOut(read, input, cluster)) };
}

type Looked =
  | { readonly kind: "unconcerned" }
  | { readonly kind: "unreadable"; readonly message: string }
  | { readonly kind: "karpenter-alive"; readonly holder: string }
  | { readonly kind: "concerned"; readonly input: InterruptionInput };

async function look(
  read: readonly Read[],
  nodeClass: InterruptionInput["nodeClass"],
  { cluster, clock, leases }: InterruptionPorts,
  endAtMs: number,
): Promise<Looked> {
  const notices = read.flatMap((each) => each.notices);
  let view: ClusterView | undefined;
  try {
    const { nodeClaims } = await cluster.observe("claims");
    const concern = { nodeClaims, nodeClass, notices, nowMs: clock.nowMs() };
    if (!concernsUs(concern)) return { kind: "unconcerned" };
    const karpenter = await leases?.readKarpenter();
    // Not to be read: two minutes are too short to wait for it.
    const [records, nowMs] = karpenter?.kind === "read" ? [karpenter.records, karpenter.serverNowMs] : [[], 0];
    const alive = records.find((record) => !isFree(record, nowMs));
    if (alive !== undefined) return { kind: "karpenter-alive", holder: alive.holder };
    view = { ...(await cluster.observe("around-claims")), nodeClaims };
  } catch (error) {
    return { kind: "unreadable", message: error instanceof Error ? error.message : String(error) };
  }
  const nowMs = clock.nowMs();
  if (nowMs + callMsMax > endAtMs) return { kind: "unreadable", message: "no time is left to act" };
  const { nodeClaims, nodes, nodePools, state } = view;
  return { kind: "concerned", input: { nodeClaims, nodes, nodePools, state, nowMs, nodeClass, notices } };
}

async function carryOut(
  read: readonly Read[],
  all: InterruptionInput,
  cluster: InterruptionPorts["cluster"],
): Promise<Omit<InterruptionReport, "counts" | "agesMs" | "ignored">> {
  const writers = { cluster, cloud: noCloud };
  const decided = decide(all);
  const steps = await act("interruption", decided.commands, writers);
  const reasons = toldReasons(decided.reasons, decided.commands, steps);
  const events = await act("events", eventsOf(reasons, all.nowMs, new Set()), writers);
  const broken = new Set(steps.filter(asksForAnotherTry).map(({ command }) => writtenObject(command)));
  const isBroken = ({ notices }: Read): boolean =>
    decide({ ...all, notices }).commands.some((command) => broken.has(writtenObject(command)));
  return {
    decision: { ...decided, reasons },
    steps: [...steps, ...events],
    failed: broken.size === 0 ? [] : read.filter(isBroken).map(({ id }) => id),
    acted: endsWaiting(all) || steps.some(({ outcome }) => outcome.kind === "done"),
  };
}

/** The queue keeps these for whoever ends the pause; those of foreign instances would only come back. */
function concerning(read: readonly Read[], all: InterruptionInput): readonly string[] {
  return read.filter(({ notices }) => concernsUs({ ...all, notices })).map(({ id }) => id);
}

function decide(input: InterruptionInput): Decision {
  const commands = rememberNotices(input.state, unrecordedNotices(input), input.nowMs);
  return together([{ commands, reasons: [] }, interrupt(input)]);
}

/** A claim that is gone, or made anew, needs no second try. */
function asksForAnotherTry({ outcome }: Step): boolean {
  return outcome.kind === "failed" && outcome.fault.kind !== "not-found" && outcome.fault.kind !== "conflict";
}

function agesOf(answers: readonly { readonly answer: MessageAnswer }[], nowMs: number): readonly number[] {
  return answers.flatMap(({ answer }) => {
    const atMs = answer.kind === "notices" ? answer.notices[0]?.atMs : undefined;
    return atMs === undefined ? [] : [Math.max(0, nowMs - atMs)];
  });
}

function kindOf(answer: MessageAnswer): string {
  return answer.kind === "notices" ? (answer.notices[0]?.kind ?? "notices") : answer.kind;
}

function countBy(kinds: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
