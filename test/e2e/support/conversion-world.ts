import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Crd, CrdConversion } from "#core/crd/crd-policy.ts";
import { crdResource, pathOf } from "../../../shared/adapters/kubernetes/resource.ts";
import { crdsOf, type Release } from "../../support/karpenter-crds.ts";
import { type DeployedBundle, deployBundle } from "../../support/lambda-runtime/deployed-bundle.ts";
import { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";
import type { RealAdmin } from "./admin-client.ts";
import { FunctionUrl } from "./function-url.ts";
import { eventually, type RealCluster, startRealCluster } from "./real-cluster.ts";

const secret = "Conversion0Path0Of0Forty0Letters0And0Digits0";
const servedMsMax = 60_000;

/** A real API server that converts by the deployed bundle of the conversion function, over TLS. */
export class ConversionWorld {
  readonly real: RealCluster;
  readonly url: FunctionUrl;
  readonly #function: LambdaFunction;
  readonly #bundle: DeployedBundle;

  private constructor(real: RealCluster, url: FunctionUrl, fn: LambdaFunction, bundle: DeployedBundle) {
    this.real = real;
    this.url = url;
    this.#function = fn;
    this.#bundle = bundle;
  }

  /** CRDs as the release leaves them in a cluster that never had others. */
  static async start(release: Release): Promise<ConversionWorld> {
    const real = await startRealCluster();
    const bundle = await deployBundle("conversion");
    const fn = new LambdaFunction({
      ...{ deployed: bundle, name: "conversion", timeoutMs: 20_000, memoryMB: 512 },
      variables: { CONVERSION_SECRET: secret },
    });
    const { pem } = real.controlPlane;
    const url = await FunctionUrl.start(fn, { key: pem("webhook.key"), cert: pem("webhook.crt") });
    const world = new ConversionWorld(real, url, fn, bundle);
    await world.#beginWith(release);
    return world;
  }

  get admin(): RealAdmin {
    return this.real.admin;
  }

  /** By our function. */
  get conversion(): CrdConversion {
    const caBundle = Buffer.from(this.real.controlPlane.caPem).toString("base64");
    return {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { url: `${this.url.origin}/${secret}`, caBundle },
      },
    };
  }

  async stop(): Promise<void> {
    this.url.stop();
    await this.#function.chill();
    this.#bundle.remove();
    await this.real.stop();
  }

  /** As applying the CRDs of another release does. */
  async apply(crds: readonly Crd[]): Promise<void> {
    for (const { metadata, spec } of crds) {
      const reply = await this.admin.patch("CustomResourceDefinition", metadata.name, undefined, {
        spec: spec as never,
      });
      if (reply.kind === "refused") throw new Error(reply.message);
    }
    await this.#served(crds);
  }

  async crd(name: string): Promise<Crd> {
    const reply = await this.admin.get("CustomResourceDefinition", name);
    if (reply.kind === "refused") throw new Error(reply.message);
    return reply.object as Crd;
  }

  /** The object in the version that is asked for. */
  async read(version: string, plural: string, name: string): Promise<KubeObject> {
    const reply = await this.admin.call({
      method: "GET",
      path: `/apis/${groupOf(plural)}/${version}/${plural}/${name}`,
    });
    if (reply.kind === "refused") throw new Error(`${reply.code} ${reply.message}`);
    return reply.object as KubeObject;
  }

  async create(version: string, plural: string, body: object): Promise<KubeObject> {
    const path = `/apis/${groupOf(plural)}/${version}/${plural}`;
    const reply = await this.admin.call({ method: "POST", path, body });
    if (reply.kind === "refused") throw new Error(`${reply.code} ${reply.message}`);
    return reply.object as KubeObject;
  }

  /** What etcd holds, as it is stored. */
  async stored(plural: string, name: string): Promise<KubeObject> {
    const key = Buffer.from(`/registry/${groupOf(plural)}/${plural}/${name}`).toString("base64");
    const answer = await fetch(`${this.real.controlPlane.etcdUrl}/v3/kv/range`, {
      method: "POST",
      body: JSON.stringify({ key }),
    });
    const { kvs } = (await answer.json()) as { readonly kvs: readonly { readonly value: string }[] };
    return JSON.parse(Buffer.from(kvs[0]?.value ?? "", "base64").toString("utf8")) as KubeObject;
  }

  async #beginWith(release: Release): Promise<void> {
    const crds = crdsOf(release);
    for (const { metadata } of crds) await this.admin.delete("CustomResourceDefinition", metadata.name);
    for (const crd of crds) {
      const path = pathOf(crdResource, undefined, crd.metadata.name);
      const isGone = async () => (await this.admin.call({ method: "GET", path })).kind === "refused";
      await eventually(`${crd.metadata.name} is gone`, isGone, servedMsMax);
      const reply = await this.admin.create(crd);
      if (reply.kind === "refused") throw new Error(reply.message);
    }
    await this.#served(crds);
  }

  async #served(crds: readonly Crd[]): Promise<void> {
    for (const { metadata, spec } of crds) {
      const [plural = ""] = metadata.name.split(".");
      for (const { name, served } of spec.versions.filter((version) => version.served === true)) {
        const path = `/apis/${spec.group}/${name}/${plural}`;
        const isServed = async () => (await this.admin.call({ method: "GET", path })).kind === "ok" && served === true;
        await eventually(`${path} is served`, isServed, servedMsMax);
      }
    }
  }
}

function groupOf(plural: string): string {
  return plural === "ec2nodeclasses" ? "karpenter.k8s.aws" : "karpenter.sh";
}
