import { randomUUID } from "node:crypto";
import { runLeasedInvocation } from "#controllers/leased-invocation.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Telemetry } from "#ports/telemetry.ts";
import { AwsCloud } from "../../shared/adapters/aws/aws-cloud.ts";
import { cloudWriteMsMax } from "../../shared/adapters/aws/clients.ts";
import { writeTimeoutMs } from "../../shared/adapters/kubernetes/command-writer.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../shared/adapters/kubernetes/lease-store.ts";
import type { Log } from "../../shared/adapters/telemetry/tick-log.ts";
import { settingsWith } from "../cluster-connection.ts";
import type { InstallationParts } from "./installation.ts";

/**
 * Ends what is being deleted without the loop, alone by the same Lease: a loop that runs takes its turn, one that is
 * broken is not waited for. What fails is tried again by the next look, and told until then.
 */
export async function endNodes({ environment, clock, log, endAtMs, connect }: InstallationParts): Promise<void> {
  const { clusterName } = environment;
  try {
    const { transport, facts } = await connect();
    const cluster = new KubernetesCluster(transport);
    const cloud = new AwsCloud(environment, clock);
    const name = randomUUID();
    const limits = { clusterMs: writeTimeoutMs, cloudMs: cloudWriteMsMax };
    const invocation = { name, leases: new LeaseStore(transport), limits, reaction: "minute", endAtMs } as const;
    const settings = settingsWith({ ...defaultSettings, clusterName }, facts);
    const seed = Number.parseInt(name.slice(0, 8), 16);
    const ports = { cluster, cloud, clock, telemetry: telling(log) };
    try {
      const { kind } = await runLeasedInvocation(invocation, ports, {
        provider: ec2Provider,
        settings,
        seed,
        only: "ending",
      });
      if (kind !== "held") log.warn("nodes are not ended here: the Lease is not to be had", { why: kind });
    } finally {
      cluster.close();
    }
  } catch (error) {
    log.error("nodes could not be ended here", { problem: error instanceof Error ? error.message : String(error) });
  }
}

function telling(log: Log): Telemetry {
  return {
    tick: ({ steps }) => {
      for (const { command, outcome } of steps) {
        const { kind } = command;
        if (outcome.kind === "done") log.info("ending nodes", { command: kind });
        else log.warn("ending nodes", { command: kind, fault: outcome.fault });
      }
    },
  };
}
