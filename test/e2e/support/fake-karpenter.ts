import { leaseResource, pathOf } from "../../../shared/adapters/kubernetes/resource.ts";
import { karpenterDeployment } from "../../support/karpenter-objects.ts";
import type { RealAdmin } from "./admin-client.ts";

const leaseName = "karpenter-leader-election";
const everyMs = 500;

/**
 * A Karpenter as a handover meets it: a Deployment, and a lease that is renewed while the Deployment asks for replicas,
 * and let go when it asks for none. It decides nothing.
 */
export class FakeKarpenter {
  readonly #admin: RealAdmin;
  readonly #namespace: string;
  readonly #name: string;
  #timer: NodeJS.Timeout | undefined;

  private constructor(admin: RealAdmin, namespace: string, name: string) {
    this.#admin = admin;
    this.#namespace = namespace;
    this.#name = name;
    this.goOn();
  }

  /** Under another name than the chart's it has no label of the chart's either. */
  static async start(
    admin: RealAdmin,
    version: string,
    namespace = "kube-system",
    name = "karpenter",
  ): Promise<FakeKarpenter> {
    const deployment = karpenterDeployment(version) as { readonly metadata: object; readonly spec: object };
    const metadataOfIt = { ...deployment.metadata, namespace, name, ...(name === "karpenter" ? {} : { labels: {} }) };
    // No pods of it: nothing here runs them, and the loop would make nodes for them.
    await admin.create({ ...deployment, metadata: metadataOfIt, spec: { ...deployment.spec, paused: true } });
    const spec = { holderIdentity: "karpenter-1", leaseDurationSeconds: 15, renewTime: now() };
    const metadata = { name: leaseName, namespace };
    await admin.call({
      method: "POST",
      path: pathOf(leaseResource, namespace),
      body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec },
    });
    return new FakeKarpenter(admin, namespace, name);
  }

  /** As a process that is killed: its lease runs out. */
  stop(): void {
    clearInterval(this.#timer);
  }

  goOn(): void {
    this.stop();
    // While the API server restarts it renews nothing, as any other.
    const renew = (): void => void this.#renew().catch(() => undefined);
    this.#timer = setInterval(renew, everyMs);
  }

  async #renew(): Promise<void> {
    const found = await this.#admin.get("Deployment", this.#name, this.#namespace);
    if (found.kind === "refused") return;
    const { replicas = 1 } = (found.object as unknown as { readonly spec: { readonly replicas?: number } }).spec;
    const spec = { holderIdentity: replicas > 0 ? "karpenter-1" : "", renewTime: now() };
    await this.#admin.call({
      ...{ method: "PATCH", path: pathOf(leaseResource, this.#namespace, leaseName) },
      contentType: "application/merge-patch+json",
      body: { spec },
    });
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
}
