import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import { crdResource, pathOf } from "../../../shared/adapters/kubernetes/resource.ts";
import type { RealAdmin } from "./admin-client.ts";
import { eventually, type RealCluster } from "./real-cluster.ts";

const servedMsMax = 60_000;

/** Karpenter's CRDs on a real API server, and objects in the version that is asked for. */
export class InstalledCrds {
  readonly #admin: RealAdmin;
  readonly #etcdUrl: string;

  constructor({ admin, controlPlane }: Pick<RealCluster, "admin" | "controlPlane">) {
    this.#admin = admin;
    this.#etcdUrl = controlPlane.etcdUrl;
  }

  /** As applying the CRDs of another release does; answers when they are served. */
  async apply(crds: readonly Crd[]): Promise<void> {
    await this.change(crds);
    await this.#served(crds);
  }

  /** As `apply`, whether they can be served or not. */
  async change(crds: readonly Crd[]): Promise<void> {
    for (const { metadata, spec } of crds) {
      const reply = await this.#admin.patch("CustomResourceDefinition", metadata.name, undefined, {
        spec: spec as never,
      });
      if (reply.kind === "refused") throw new Error(reply.message);
    }
  }

  async crd(name: string): Promise<Crd> {
    const reply = await this.#admin.get("CustomResourceDefinition", name);
    if (reply.kind === "refused") throw new Error(reply.message);
    return reply.object as Crd;
  }

  /** The object in the version that is asked for. */
  async read(version: string, plural: string, name: string): Promise<KubeObject> {
    const reply = await this.#admin.call({
      method: "GET",
      path: `/apis/${groupOf(plural)}/${version}/${plural}/${name}`,
    });
    if (reply.kind === "refused") throw new Error(`${reply.code} ${reply.message}`);
    return reply.object as KubeObject;
  }

  async create(version: string, plural: string, body: object): Promise<KubeObject> {
    const path = `/apis/${groupOf(plural)}/${version}/${plural}`;
    const reply = await this.#admin.call({ method: "POST", path, body });
    if (reply.kind === "refused") throw new Error(`${reply.code} ${reply.message}`);
    return reply.object as KubeObject;
  }

  /** What etcd holds, as it is stored. */
  async stored(plural: string, name: string): Promise<KubeObject> {
    const key = Buffer.from(`/registry/${groupOf(plural)}/${plural}/${name}`).toString("base64");
    const answer = await fetch(`${this.#etcdUrl}/v3/kv/range`, {
      method: "POST",
      body: JSON.stringify({ key }),
    });
    const { kvs } = (await answer.json()) as { readonly kvs: readonly { readonly value: string }[] };
    return JSON.parse(Buffer.from(kvs[0]?.value ?? "", "base64").toString("utf8")) as KubeObject;
  }

  /** In the place of those that are installed, with all their objects. */
  async replace(crds: readonly Crd[]): Promise<void> {
    for (const { metadata } of crds) await this.#admin.delete("CustomResourceDefinition", metadata.name);
    for (const crd of crds) {
      const path = pathOf(crdResource, undefined, crd.metadata.name);
      const isGone = async () => (await this.#admin.call({ method: "GET", path })).kind === "refused";
      await eventually(`${crd.metadata.name} is gone`, isGone, servedMsMax);
      const reply = await this.#admin.create(crd);
      if (reply.kind === "refused") throw new Error(reply.message);
    }
    await this.#served(crds);
  }

  async #served(crds: readonly Crd[]): Promise<void> {
    for (const { metadata, spec } of crds) {
      const [plural = ""] = metadata.name.split(".");
      for (const { name, served } of spec.versions.filter((version) => version.served === true)) {
        const path = `/apis/${spec.group}/${name}/${plural}`;
        const isServed = async () => (await this.#admin.call({ method: "GET", path })).kind === "ok" && served === true;
        await eventually(`${path} is served`, isServed, servedMsMax);
      }
    }
  }
}

function groupOf(plural: string): string {
  return plural === "ec2nodeclasses" ? "karpenter.k8s.aws" : "karpenter.sh";
}
