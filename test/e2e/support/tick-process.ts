/**
 * Run as a process of its own, bundled as a function is: takes the Lease, makes one tick, or stays as a function does,
 * hands the Lease back, ends.
 */
import { randomUUID } from "node:crypto";
import { acquireLease } from "#controllers/lease.ts";
import { runLeasedInvocation } from "#controllers/leased-invocation.ts";
import { leasedPorts } from "#controllers/leased-ports.ts";
import type { Configuration, Ports } from "#controllers/ports.ts";
import { reconcile } from "#controllers/reconcile.ts";
import type { Outcome } from "#core/outcome.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cloud } from "#ports/cloud.ts";
import { eksCredentials } from "../../../shared/adapters/kubernetes/eks-token.ts";
import { KubernetesCluster } from "../../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../../shared/adapters/kubernetes/lease-store.ts";
import { Transport } from "../../../shared/adapters/kubernetes/transport.ts";
import { realClock } from "../../../shared/adapters/system/real-clock.ts";
import { requestLimits } from "./request-limits.ts";
import type { CloudAnswer, CloudCall, FromTick, TickOrder } from "./tick-messages.ts";

/** How long it waits for a holder to hand over. */
const leaseMsMax = 20_000;

const waiting = new Map<number, (value: unknown) => void>();
process.on("message", (message: TickOrder | CloudAnswer) => {
  if (message.kind === "order") void run(message);
  else waiting.get(message.id)?.(message.value);
});

async function run(order: TickOrder): Promise<void> {
  try {
    end({ kind: "ended", ending: await act(order) });
  } catch (error) {
    end({ kind: "died", message: error instanceof Error ? error.message : String(error) });
  }
}

function end(message: FromTick): void {
  process.send?.(message, () => process.disconnect());
}

async function act({ url, caPem, identity, settings, seed, aheadMs, stays }: TickOrder): Promise<string> {
  const credentials = eksCredentials({
    ...{ clusterName: settings.clusterName, region: "us-east-1", nowMs: Date.now },
    identity: async () => identity,
  });
  const transport = new Transport({ url, caPem }, credentials, () => {});
  const cluster = new KubernetesCluster(transport);
  const clock: Clock = {
    nowMs: () => Date.now() + aheadMs,
    sleepUntil: (atMs) => realClock.sleepUntil(atMs - aheadMs),
  };
  const telemetry: Ports<Ec2Query, Ec2View>["telemetry"] = {
    tick: ({ decisions, steps }) => tell({ kind: "ticked", note: { decisions, steps } }),
  };
  const ports = { cluster, cloud: cloudOfParent, clock, telemetry };
  const configuration = { provider: ec2Provider, settings, seed };
  const name = randomUUID();
  const leases = new LeaseStore(transport);
  try {
    if (stays === undefined) return await oneTick(name, leases, ports, configuration);
    const invocation = { name, leases, limits: requestLimits, reaction: stays };
    return (await runLeasedInvocation(invocation, ports, configuration)).kind;
  } finally {
    cluster.close();
    transport.close();
  }
}

async function oneTick(
  name: string,
  leases: LeaseStore,
  ports: Ports<Ec2Query, Ec2View>,
  configuration: Configuration<Ec2Query, Ec2View>,
): Promise<string> {
  const { clock } = ports;
  const result = await acquireLease({ leases, clock }, name, clock.nowMs() + leaseMsMax);
  if (result.kind !== "held") return result.kind;
  try {
    await reconcile(leasedPorts(ports, result.lease, requestLimits), configuration);
  } finally {
    await result.lease.release();
  }
  return result.kind;
}

const cloudOfParent: Cloud<Ec2Query, Ec2View> = {
  observe: (argument) => ask({ kind: "call", id: waiting.size, method: "observe", argument }),
  apply: (argument) => ask({ kind: "call", id: waiting.size, method: "apply", argument }),
};

function ask(call: CloudCall & { readonly method: "observe" }): Promise<CloudObservation<Ec2View>>;
function ask(call: CloudCall & { readonly method: "apply" }): Promise<Outcome>;
function ask(call: CloudCall): Promise<unknown> {
  return new Promise((resolve) => {
    waiting.set(call.id, resolve);
    tell(call);
  });
}

function tell(message: FromTick): void {
  process.send?.(message);
}
