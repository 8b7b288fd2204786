import { isJsonObject } from "#api/problem.ts";
import { type Crd, type CrdOptions, type CrdVerdict, crdPolicy } from "#core/crd/crd-policy.ts";
import type { Fault } from "#core/fault.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import { crdResource, pathOf } from "./resource.ts";
import { parseJson, statusOf } from "./status.ts";
import type { ApiCall, Transport } from "./transport.ts";

const callMsMax = 30_000;
/** The API server begins to serve a new kind within a few seconds. */
const establishedMsMax = 60_000;
const pollMs = 500;

export interface CrdReport {
  readonly name: string;
  readonly verdict: CrdVerdict;
  /** Why the verdict could not be carried out. */
  readonly fault?: Fault;
}

/** Decides about each CRD and carries it out; none is written when one is refused. */
export async function installCrds(
  transport: Transport,
  crds: readonly Crd[],
  options: CrdOptions,
): Promise<readonly CrdReport[]> {
  const installer = new CrdInstaller(transport);
  const reports: (CrdReport & { readonly crd: Crd; readonly version?: string })[] = [];
  for (const crd of crds) reports.push(await installer.decide(crd, options));
  if (reports.some(({ verdict, fault }) => verdict.kind === "refuse" || fault !== undefined)) return reports.map(shown);
  const carriedOut: CrdReport[] = [];
  for (const report of reports) {
    const fault = await installer.carryOut(report.crd, report.verdict, report.version);
    carriedOut.push({ ...shown(report), ...(fault === undefined ? {} : { fault }) });
  }
  return carriedOut;
}

function shown({ name, verdict, fault }: CrdReport): CrdReport {
  return { name, verdict, ...(fault === undefined ? {} : { fault }) };
}

class CrdInstaller {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async decide(crd: Crd, options: CrdOptions): Promise<CrdReport & { readonly crd: Crd; readonly version?: string }> {
    const { name } = crd.metadata;
    const found = await this.#read(name);
    if (found.kind === "failed")
      return { name, crd, verdict: { kind: "refuse", missing: [], message: found.fault.message }, fault: found.fault };
    const version = found.crd?.metadata.resourceVersion;
    const verdict = crdPolicy(crd, found.crd, options);
    return { name, crd, verdict, ...(version === undefined ? {} : { version }) };
  }

  async carryOut(crd: Crd, verdict: CrdVerdict, version: string | undefined): Promise<Fault | undefined> {
    if (verdict.kind !== "create" && verdict.kind !== "upgrade") return undefined;
    const { name } = crd.metadata;
    const written = await this.#send(
      verdict.kind === "create"
        ? { method: "POST", path: pathOf(crdResource), body: crd }
        : {
            // Its labels and annotations stay whose they are.
            method: "PATCH",
            path: pathOf(crdResource, undefined, name),
            contentType: "application/merge-patch+json",
            body: { metadata: { resourceVersion: version }, spec: crd.spec },
          },
    );
    return written.kind === "failed" ? written.fault : this.#established(name);
  }

  async #established(name: string): Promise<Fault | undefined> {
    const untilMs = Date.now() + establishedMsMax;
    while (Date.now() < untilMs) {
      const found = await this.#read(name);
      if (found.kind === "failed") return found.fault;
      const conditions =
        (found.crd?.status as { readonly conditions?: readonly unknown[] } | undefined)?.conditions ?? [];
      if (conditions.some((one) => isJsonObject(one) && one.type === "Established" && one.status === "True"))
        return undefined;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    const message = `${name} was not served within ${establishedMsMax / 1000} s`;
    return { kind: "unavailable", code: "NotEstablished", message };
  }

  async #read(
    name: string,
  ): Promise<{ readonly kind: "read"; readonly crd?: Crd } | { readonly kind: "failed"; readonly fault: Fault }> {
    const answer = await this.#send({ method: "GET", path: pathOf(crdResource, undefined, name) });
    if (answer.kind === "failed") return answer.fault.kind === "not-found" ? { kind: "read" } : answer;
    return { kind: "read", crd: answer.body as Crd };
  }

  async #send(
    call: Omit<ApiCall, "timeoutMs">,
  ): Promise<
    { readonly kind: "answered"; readonly body: unknown } | { readonly kind: "failed"; readonly fault: Fault }
  > {
    const answer = await this.#transport.call({ ...call, timeoutMs: callMsMax });
    if (answer.kind === "broken") return { kind: "failed", fault: faultOfBroken(answer) };
    if (answer.status < 200 || answer.status > 299) return { kind: "failed", fault: faultOf(statusOf(answer)) };
    return { kind: "answered", body: parseJson(answer.body) };
  }
}
