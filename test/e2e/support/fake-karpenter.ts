import { leaseResource, pathOf } from "../../../shared/adapters/kubernetes/resource.ts";
import { karpenterDeployment } from "../../support/karpenter-objects.ts";
import type { RealAdmin } from "./admin-client.ts";

const namespace = "kube-system";
const leaseName = "karpenter-leader-election";
const everyMs = 500;

/**
 * A Karpenter as a handover meets it: a Deployment, and a lease that is renewed while the Deployment asks for replicas,
 * and let go when it asks for none. It decides nothing.
 */
export class FakeKarpenter {
  readonly #admin: RealAdmin;
  readonly #timer: NodeJS.Timeout;

  private constructor(admin: RealAdmin) {
    this.#admin = admin;
    this.#timer = setInterval(() => void this.#renew(), everyMs);
  }

  static async start(admin: RealAdmin, version: string): Promise<FakeKarpenter> {
    const deployment = karpenterDeployment(version) as { readonly spec: object };
    // No pods of it: nothing here runs them, and the loop would make nodes for them.
    await admin.create({ ...deployment, spec: { ...deployment.spec, paused: true } });
    const spec = { holderIdentity: "karpenter-1", leaseDurationSeconds: 15, renewTime: now() };
    const metadata = { name: leaseName, namespace };
    await admin.call({
      method: "POST",
      path: pathOf(leaseResource, namespace),
      body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec },
    });
    return new FakeKarpenter(admin);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const found = await this.#admin.get("Deployment", "karpenter", namespace);
    if (found.kind === "refused") return;
    const { replicas = 1 } = (found.object as unknown as { readonly spec: { readonly replicas?: number } }).spec;
    const spec = { holderIdentity: replicas > 0 ? "karpenter-1" : "", renewTime: now() };
    await this.#admin.call({
      ...{ method: "PATCH", path: pathOf(leaseResource, namespace, leaseName) },
      contentType: "application/merge-patch+json",
      body: { spec },
    });
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
}
