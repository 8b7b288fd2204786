import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import {
  karpenterLeaseName,
  type LeaseAnswer,
  type LeaseRecord,
  type Leases,
  successorAnnotation,
} from "#ports/lease.ts";
import type { Answer } from "./api-server/answer.ts";
import type { ApiServer } from "./api-server/api-server.ts";
import { faultOf } from "./fault-table.ts";

/** The Lease kube-system/outrigger of a simulated API server, and Karpenter's. */
export class LeaseClient implements Leases {
  readonly #api: ApiServer;

  constructor(api: ApiServer) {
    this.#api = api;
  }

  readonly read = async (): Promise<LeaseAnswer> => this.#answer(this.#api.get("Lease", stateName, stateNamespace));

  readonly write = async (next: Omit<LeaseRecord, "version">, basedOn: string | undefined): Promise<LeaseAnswer> => {
    const content = contentOf(next);
    if (basedOn === undefined) {
      const metadata = { name: stateName, namespace: stateNamespace, annotations: content.annotations };
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: content.spec };
      return this.#answer(this.#api.create(lease));
    }
    const metadata = { annotations: content.annotations, resourceVersion: basedOn };
    return this.#answer(this.#api.patch("Lease", stateName, stateNamespace, { metadata, spec: content.spec }));
  };

  readonly readKarpenter: Leases["readKarpenter"] = async () => {
    const answer = this.#api.list("Lease", { fieldSelector: `metadata.name=${karpenterLeaseName}` });
    if (answer.kind === "refused") return { kind: "failed", fault: faultOf(answer) };
    return { kind: "read", records: answer.items.map(recordOf), serverNowMs: this.#serverNowMs() };
  };

  #answer(answer: Answer): LeaseAnswer {
    const serverNowMs = this.#serverNowMs();
    if (answer.kind === "ok") return { kind: "read", record: recordOf(answer.object), serverNowMs };
    if (answer.code === 404) return { kind: "read", serverNowMs };
    return { kind: "failed", fault: faultOf(answer) };
  }

  /** HTTP dates have whole seconds. */
  #serverNowMs(): number {
    return Math.floor(this.#api.clock.nowMs() / 1000) * 1000;
  }
}

function contentOf({ holder, successor, renewedAtMs, durationMs, transitions }: Omit<LeaseRecord, "version">) {
  return {
    annotations: { [successorAnnotation]: successor },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: Math.round(durationMs / 1000),
      renewTime: new Date(renewedAtMs).toISOString(),
      leaseTransitions: transitions,
    } satisfies Json,
  };
}

function recordOf(lease: KubeObject): LeaseRecord {
  const { spec = {} } = lease as { readonly spec?: Readonly<Record<string, Json>> };
  const renewedAtMs = Date.parse(String(spec.renewTime));
  return {
    holder: String(spec.holderIdentity ?? ""),
    successor: lease.metadata.annotations?.[successorAnnotation] ?? "",
    renewedAtMs: Number.isNaN(renewedAtMs) ? 0 : renewedAtMs,
    durationMs: Number(spec.leaseDurationSeconds ?? 0) * 1000,
    transitions: Number(spec.leaseTransitions ?? 0),
    version: lease.metadata.resourceVersion ?? "",
  };
}
