import { fieldManager, stateName, stateNamespace } from "#api/outrigger-names.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Fault } from "#core/fault.ts";
import {
  karpenterLeaseName,
  type LeaseAnswer,
  type LeaseRecord,
  type Leases,
  successorAnnotation,
} from "#ports/lease.ts";
import { writeTimeoutMs } from "./command-writer.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import { leaseResource, pathOf } from "./resource.ts";
import { parseJson, statusOf } from "./status.ts";
import type { ApiCall, Transport } from "./transport.ts";

/** The Lease kube-system/outrigger, and Karpenter's. */
export class LeaseStore implements Leases {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  readonly read = async (): Promise<LeaseAnswer> => {
    const answer = await this.#send({ method: "GET", path: pathOf(leaseResource, stateNamespace, stateName) });
    return answer.kind === "failed" ? answer : leaseAnswerOf(answer);
  };

  readonly write = async (next: Omit<LeaseRecord, "version">, basedOn: string | undefined): Promise<LeaseAnswer> => {
    const body = leaseOf(next, basedOn);
    const answer = await this.#send(
      basedOn === undefined
        ? { method: "POST", path: `${pathOf(leaseResource, stateNamespace)}?fieldManager=${fieldManager}`, body }
        : {
            method: "PATCH",
            path: `${pathOf(leaseResource, stateNamespace, stateName)}?fieldManager=${fieldManager}`,
            contentType: "application/merge-patch+json",
            body,
          },
    );
    if (answer.kind === "failed") return answer;
    if (answer.body !== undefined) return leaseAnswerOf(answer);
    return { kind: "failed", fault: { kind: "conflict", code: "404", message: "the Lease is gone" } };
  };

  readonly readKarpenter: Leases["readKarpenter"] = async () => {
    const query = new URLSearchParams({ fieldSelector: `metadata.name=${karpenterLeaseName}` });
    const answer = await this.#send({ method: "GET", path: `${pathOf(leaseResource)}?${query}` });
    if (answer.kind === "failed") return answer;
    const items = isJsonObject(answer.body) && Array.isArray(answer.body.items) ? answer.body.items : [];
    return { kind: "read", records: items.map(recordOf), serverNowMs: answer.serverNowMs };
  };

  /** `body` is absent for 404. */
  async #send(
    call: Omit<ApiCall, "timeoutMs">,
  ): Promise<
    | { readonly kind: "answered"; readonly body?: unknown; readonly serverNowMs: number }
    | { readonly kind: "failed"; readonly fault: Fault }
  > {
    const answer = await this.#transport.call({ ...call, timeoutMs: writeTimeoutMs });
    if (answer.kind === "broken") return { kind: "failed", fault: faultOfBroken(answer) };
    const { status, serverTimeMs } = answer;
    if (serverTimeMs === undefined) {
      const message = "the API server's answer has no Date, by which a Lease's expiry is judged";
      return { kind: "failed", fault: { kind: "unavailable", code: "NoDate", message } };
    }
    if (status === 404) return { kind: "answered", serverNowMs: serverTimeMs };
    if (status < 200 || status > 299) return { kind: "failed", fault: faultOf(statusOf(answer)) };
    return { kind: "answered", body: parseJson(answer.body), serverNowMs: serverTimeMs };
  }
}

function leaseAnswerOf({ body, serverNowMs }: { readonly body?: unknown; readonly serverNowMs: number }): LeaseAnswer {
  return { kind: "read", serverNowMs, ...(body === undefined ? {} : { record: recordOf(body) }) };
}

function leaseOf(next: Omit<LeaseRecord, "version">, basedOn: string | undefined): object {
  const { holder, successor, renewedAtMs, durationMs, transitions } = next;
  return {
    ...{ apiVersion: leaseResource.apiVersion, kind: leaseResource.kind },
    metadata: {
      ...{ name: stateName, namespace: stateNamespace },
      annotations: { [successorAnnotation]: successor },
      ...(basedOn === undefined ? {} : { resourceVersion: basedOn }),
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: Math.round(durationMs / 1000),
      renewTime: microTime(renewedAtMs),
      leaseTransitions: transitions,
    },
  };
}

/** Kubernetes' MicroTime: six digits of a second, neither more nor less. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
}

function recordOf(lease: unknown): LeaseRecord {
  const { metadata, spec } = isJsonObject(lease) ? lease : {};
  const { annotations, resourceVersion } = isJsonObject(metadata) ? metadata : {};
  const { holderIdentity, renewTime, leaseDurationSeconds, leaseTransitions } = isJsonObject(spec) ? spec : {};
  const successor = isJsonObject(annotations) ? annotations[successorAnnotation] : undefined;
  const renewedAtMs = typeof renewTime === "string" ? Date.parse(renewTime) : Number.NaN;
  return {
    holder: typeof holderIdentity === "string" ? holderIdentity : "",
    successor: typeof successor === "string" ? successor : "",
    // Never renewed, or not readable: long expired.
    renewedAtMs: Number.isNaN(renewedAtMs) ? 0 : renewedAtMs,
    durationMs: typeof leaseDurationSeconds === "number" ? leaseDurationSeconds * 1000 : 0,
    transitions: typeof leaseTransitions === "number" ? leaseTransitions : 0,
    version: typeof resourceVersion === "string" ? resourceVersion : "",
  };
}
