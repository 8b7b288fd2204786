import type { CrdConversion } from "#core/crd/crd-policy.ts";
import type { ControlPlane } from "../../support/control-plane/control-plane.ts";
import { type DeployedBundle, deployBundle } from "../../support/lambda-runtime/deployed-bundle.ts";
import { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";
import { FunctionUrl } from "./function-url.ts";

const secret = "Conversion0Path0Of0Forty0Letters0And0Digits0";

/** The deployed bundle of the conversion function, behind a URL of its own. */
export class ConversionFunction {
  readonly url: FunctionUrl;
  readonly #controlPlane: ControlPlane;
  readonly #function: LambdaFunction;
  readonly #bundle: DeployedBundle;

  private constructor(controlPlane: ControlPlane, url: FunctionUrl, fn: LambdaFunction, bundle: DeployedBundle) {
    this.#controlPlane = controlPlane;
    this.url = url;
    this.#function = fn;
    this.#bundle = bundle;
  }

  static async start(controlPlane: ControlPlane): Promise<ConversionFunction> {
    const bundle = await deployBundle("conversion");
    const fn = new LambdaFunction({
      ...{ deployed: bundle, name: "conversion", timeoutMs: 20_000, memoryMB: 512 },
      variables: { CONVERSION_SECRET: secret },
    });
    const { pem } = controlPlane;
    const url = await FunctionUrl.start(fn, { key: pem("webhook.key"), cert: pem("webhook.crt") });
    return new ConversionFunction(controlPlane, url, fn, bundle);
  }

  /** Of the authority that signed its certificate, in base64. */
  get caBundle(): string {
    return Buffer.from(this.#controlPlane.caPem).toString("base64");
  }

  get path(): string {
    return `${this.url.origin}/${secret}`;
  }

  /** What a CRD says that is converted by it. */
  get conversion(): CrdConversion {
    const clientConfig = { url: this.path, caBundle: this.caBundle };
    return { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
  }

  async stop(): Promise<void> {
    this.url.stop();
    await this.#function.chill();
    this.#bundle.remove();
  }
}
