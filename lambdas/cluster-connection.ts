import type { EKSClient } from "@aws-sdk/client-eks";
import type { Settings } from "#core/settings.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cluster } from "#ports/cluster.ts";
import { describeEksCluster, type EksCluster } from "../shared/adapters/kubernetes/eks-endpoint.ts";
import { eksCredentials } from "../shared/adapters/kubernetes/eks-token.ts";
import { type OutageListener, Transport } from "../shared/adapters/kubernetes/transport.ts";
import type { CommonEnvironment } from "./environment.ts";

/** A cluster's version and endpoint change hardly ever. */
const knownForMs = 10 * 60_000;

export interface ConnectedCluster {
  readonly transport: Transport;
  /** What the cluster itself says of the settings. */
  readonly facts: { readonly clusterIdentity: string; readonly kubernetesVersion: string };
}

/** The settings of a deployment with what its cluster says. */
export function settingsWith(settings: Omit<Settings, "clusterIdentity">, facts: ConnectedCluster["facts"]): Settings {
  const { clusterIdentity, kubernetesVersion } = facts;
  return { ...settings, clusterIdentity, provider: { ...settings.provider, kubernetesVersion } };
}

/** The way to the cluster's API server: found by EKS once, kept by a warm function, looked at again now and then. */
export class ClusterConnection {
  readonly #environment: CommonEnvironment;
  readonly #eks: EKSClient;
  readonly #clock: Clock;
  readonly #onOutage: OutageListener;
  #known: (ConnectedCluster & { readonly cluster: EksCluster; readonly askedAtMs: number }) | undefined;

  constructor(environment: CommonEnvironment, eks: EKSClient, clock: Clock, onOutage: OutageListener) {
    this.#environment = environment;
    this.#eks = eks;
    this.#clock = clock;
    this.#onOutage = onOutage;
  }

  /** Throws where EKS refuses, cannot be reached, or has no endpoint of the cluster yet. */
  async open(): Promise<ConnectedCluster> {
    const known = this.#known;
    const nowMs = this.#clock.nowMs();
    if (known !== undefined && nowMs < known.askedAtMs + knownForMs) return known;
    const answer = await describeEksCluster(this.#eks, this.#environment.clusterName);
    if (answer.kind === "unknown") throw new Error(answer.message);
    const { cluster } = answer;
    const facts = { clusterIdentity: cluster.identity, kubernetesVersion: cluster.kubernetesVersion };
    const transport = this.#transportTo(cluster);
    this.#known = { transport, facts, cluster, askedAtMs: nowMs };
    return this.#known;
  }

  /** A cluster that is connected to when it is first asked something: most batches of messages ask nothing. */
  lazily(make: (transport: Transport) => Cluster): Cluster {
    let made: Promise<Cluster> | undefined;
    const cluster = (): Promise<Cluster> => {
      made ??= this.open().then(({ transport }) => make(transport));
      return made;
    };
    return {
      observe: async (scope) => (await cluster()).observe(scope),
      apply: async (command) => (await cluster()).apply(command),
      nextChange: async (deadlineMs, of) => (await cluster()).nextChange(deadlineMs, of),
    };
  }

  /** Its connections are kept as long as the endpoint is the same. */
  #transportTo({ endpoint }: EksCluster): Transport {
    const known = this.#known;
    if (known?.cluster.endpoint.url === endpoint.url && known.cluster.endpoint.caPem === endpoint.caPem) {
      return known.transport;
    }
    known?.transport.close();
    const { clusterName, region } = this.#environment;
    const identity = () => this.#eks.config.credentials();
    const credentials = eksCredentials({ clusterName, region, identity, nowMs: this.#clock.nowMs });
    return new Transport(endpoint, credentials, this.#onOutage);
  }
}
