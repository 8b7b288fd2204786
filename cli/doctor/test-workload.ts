import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseObject } from "#api/parse.ts";
import { isJsonObject } from "#api/problem.ts";
import { conditionOf } from "#core/condition.ts";
import { readKubeconfig } from "../../shared/adapters/kubernetes/kubeconfig.ts";
import { pathOf, resourceOf } from "../../shared/adapters/kubernetes/resource.ts";
import { parseJson, statusOf } from "../../shared/adapters/kubernetes/status.ts";
import { type ApiAnswer, type ApiCall, Transport } from "../../shared/adapters/kubernetes/transport.ts";
import { isReady, stateOfTestPod, type TestOutcome, testPodNamespace } from "./test-pod.ts";

export interface TestRun {
  readonly name: string;
  readonly manifest: object;
  /** How long it may take to run, ms. */
  readonly waitMs: number;
  /** Somebody wants it to end now. */
  readonly isStopped: () => boolean;
}

const callMsMax = 10_000;
const pollMs = 1_000;
/** The loop looks each minute, and more often while something changes. */
const nextLookMsMax = 90_000;
const pods = resourceOf("Pod");
const claims = resourceOf("NodeClaim");

/** Starts the pod, has `look` look while it runs, and takes it away, whatever happened. */
export async function withTestPod<Seen>(
  transport: Transport,
  run: TestRun,
  look: () => Promise<Seen>,
): Promise<{ readonly outcome: TestOutcome; readonly seen?: Seen }> {
  const made = await call(transport, { method: "POST", path: pathOf(pods, testPodNamespace), body: run.manifest });
  if (!isDone(made)) return { outcome: { kind: "failed", found: `the pod was refused: ${wordsOf(made)}` } };
  const path = pathOf(pods, testPodNamespace, run.name);
  try {
    const outcome = await untilItRuns(transport, path, run);
    if (outcome.kind !== "ran") return { outcome };
    await untilClaimIsReady(transport, outcome.node, run);
    return { outcome, seen: await look() };
  } finally {
    await call(transport, { method: "DELETE", path });
  }
}

async function untilItRuns(transport: Transport, path: string, { waitMs, isStopped }: TestRun): Promise<TestOutcome> {
  const beganMs = Date.now();
  let state = "is not bound to a node";
  while (Date.now() - beganMs < waitMs && !isStopped()) {
    const pod = podOf(await call(transport, { method: "GET", path }));
    if (pod !== undefined && isReady(pod)) {
      return { kind: "ran", node: pod.spec.nodeName ?? "", seconds: Math.round((Date.now() - beganMs) / 1000) };
    }
    if (pod !== undefined) state = stateOfTestPod(pod);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const seconds = Math.round((Date.now() - beganMs) / 1000);
  return { kind: "failed", found: `the pod does not run after ${seconds} s; it ${state}` };
}

/** The pod runs as soon as its node does; the loop says so of the claim at its next look. A claim that stays behind is told of. */
async function untilClaimIsReady(transport: Transport, node: string, { waitMs, isStopped }: TestRun): Promise<void> {
  const untilMs = Date.now() + Math.min(waitMs, nextLookMsMax);
  while (Date.now() < untilMs && !isStopped()) {
    const answer = await call(transport, { method: "GET", path: pathOf(claims) });
    const items = isDone(answer) && answer.kind === "answered" ? itemsOf(parseJson(answer.body)) : [];
    if (items.some((claim) => claim.status?.nodeName === node && conditionOf(claim, "Ready")?.status === "True"))
      return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Their form is the API server's own. */
function itemsOf(list: unknown): readonly NodeClaim[] {
  return isJsonObject(list) && Array.isArray(list.items) ? (list.items as NodeClaim[]) : [];
}

function call(transport: Transport, rest: Pick<ApiCall, "method" | "path" | "body">): Promise<ApiAnswer> {
  return transport.call({ ...rest, timeoutMs: callMsMax });
}

function isDone(answer: ApiAnswer): boolean {
  return answer.kind === "answered" && answer.status >= 200 && answer.status <= 299;
}

function wordsOf(answer: ApiAnswer): string {
  return answer.kind === "broken" ? answer.message : statusOf(answer).message;
}

function podOf(answer: ApiAnswer): Pod | undefined {
  if (answer.kind === "broken" || !isDone(answer)) return undefined;
  const parsed = parseObject(parseJson(answer.body));
  return parsed.kind === "object" && parsed.object.kind === "Pod" ? (parsed.object as Pod) : undefined;
}

/** The API server of a kubeconfig that has been read already. */
export async function openTransport(kubeconfig: string, context?: string): Promise<Transport | string> {
  const file = await readKubeconfig(kubeconfig, context);
  return file.kind === "unusable" ? file.message : new Transport(file.endpoint, file.credentials);
}
