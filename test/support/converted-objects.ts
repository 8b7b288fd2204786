import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { Json } from "#api/core-v1/meta.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { Fault } from "#core/fault.ts";
import type { AccessRight, MergePatch, RawList, RawObjects, RawSelection, ServedKind } from "#ports/raw-objects.ts";
import type { ApiServer } from "#simulator/kubernetes/api-server/api-server.ts";

/** Where the conversion function is said to be. */
export const conversionUrl = "https://conversion.example/path";

/** Raw objects of a simulated API server, which reads what is stored in v1beta1 only while somebody converts it. */
export class ConvertedObjects implements RawObjects {
  /** Whether Karpenter's own webhook converts. */
  webhook = true;
  /** What a patch meets in the place of being done. */
  patchFault: (patch: MergePatch) => Fault | undefined = () => undefined;
  /** Whether whoever migrates is allowed to. */
  may: (right: AccessRight) => Promise<boolean | undefined> = async () => true;
  /** Admission webhooks, by kind. */
  readonly admission: { readonly kind: string; readonly object: JsonObject }[] = [];
  /** What each patch takes. */
  writeMs = 0;
  readonly #api: ApiServer;
  readonly #wrote: () => void;

  /** `wrote` is told before each patch. */
  constructor(api: ApiServer, wrote: () => void) {
    this.#api = api;
    this.#wrote = wrote;
  }

  readonly list = async (kind: ServedKind, selection: RawSelection = {}): Promise<RawList> => {
    const { namespace, fieldSelector, labelSelector } = selection;
    if (kind.kind.endsWith("WebhookConfiguration")) {
      const items = this.admission.filter((each) => each.kind === kind.kind).map(({ object }) => object);
      return { kind: "listed", items };
    }
    const ofKarpenter = ["NodePool", "NodeClaim", "EC2NodeClass"].includes(kind.kind);
    const crd = ofKarpenter ? this.#crds().find(({ metadata }) => metadata.name.startsWith(kind.plural)) : undefined;
    if (crd !== undefined && !crd.spec.versions.some(({ name, served }) => name === "v1" && served === true)) {
      return { kind: "unknown-kind" };
    }
    if (crd !== undefined && !this.#converts(crd)) {
      const message = `conversion webhook for ${kind.kind} failed: no endpoints available`;
      return { kind: "failed", fault: { kind: "unavailable", code: "500", message } };
    }
    const selectors = { ...(fieldSelector && { fieldSelector }), ...(labelSelector && { labelSelector }) };
    const page = this.#api.list(kind.kind, selectors);
    if (page.kind === "refused") return { kind: "unknown-kind" };
    const items = page.items.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    return { kind: "listed", items: items.map((item) => item as unknown as JsonObject) };
  };

  readonly patch = async (patch: MergePatch): Promise<Fault | undefined> => {
    const { resource, namespace, name, subresource, body } = patch;
    await this.#api.clock.runUntil(this.#api.clock.nowMs() + this.writeMs);
    const fault = this.patchFault(patch);
    if (fault !== undefined) return fault;
    this.#wrote();
    const answer = this.#api.patch(resource.kind, name, namespace, body as Json, subresource);
    if (answer.kind === "ok") return undefined;
    const kind = answer.code === 409 ? ("conflict" as const) : ("invalid" as const);
    return { kind, code: String(answer.code), message: answer.message };
  };

  /** Objects that were not written again are stored in v1beta1 as long as the CRD says so. */
  #converts({ spec, status }: Crd): boolean {
    if (status?.storedVersions?.includes("v1beta1") !== true) return true;
    const { clientConfig } = spec.conversion?.webhook ?? {};
    return clientConfig?.url === conversionUrl || (clientConfig?.service != null && this.webhook);
  }

  #crds(): readonly Crd[] {
    return this.#api.store.list("CustomResourceDefinition") as unknown as readonly Crd[];
  }
}
