import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Credentials } from "./endpoint.ts";

export interface AwsIdentity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export interface EksTokenOptions {
  readonly clusterName: string;
  readonly region: string;
  /** As the SDK's credential chain. */
  readonly identity: () => Promise<AwsIdentity>;
  readonly nowMs: () => number;
  /** `host[:port]` of STS; default: the region's own. */
  readonly stsHost?: string;
}

const prefix = "k8s-aws-v1.";
/** EKS takes a token for 15 min after its signature, whatever the signature says; renewed a minute before. */
const tokenMs = 14 * 60_000;
/** How long the signature itself is valid. EKS: at most 15 min are taken, 60 s is what its own tools ask for. */
const signatureSeconds = 60;
/** A signature by credentials that are about to expire would die with them. */
const identityMarginMs = 60_000;

/** A bearer token that says by a presigned call of STS who we are, made anew in time. */
export function eksCredentials(options: EksTokenOptions): Credentials {
  let known: { readonly header: string; readonly untilMs: number } | undefined;
  return {
    authorization: async (renew) => {
      if (known !== undefined && !renew && options.nowMs() < known.untilMs) return known.header;
      const identity = await options.identity();
      const token = await presignedToken(identity, options);
      const expiresMs = identity.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
      const untilMs = Math.min(options.nowMs() + tokenMs, expiresMs - identityMarginMs);
      known = { header: `Bearer ${token}`, untilMs };
      return known.header;
    },
    remedy:
      `the caller's IAM role needs an access entry in EKS cluster ${options.clusterName} ` +
      `(aws eks create-access-entry --cluster-name ${options.clusterName} --principal-arn ROLE_ARN)`,
  };
}

/** EKS: GetCallerIdentity, signed for this cluster by the header x-k8s-aws-id, as base64url without padding. */
export async function presignedToken(identity: AwsIdentity, options: EksTokenOptions): Promise<string> {
  const { clusterName, region, nowMs } = options;
  const host = options.stsHost ?? `sts.${region}.${domainOf(region)}`;
  const [hostname = "", port] = host.split(":");
  const signer = new SignatureV4({ service: "sts", region, credentials: identity, sha256: Sha256 });
  const signed = await signer.presign(
    {
      method: "GET",
      protocol: "https:",
      hostname,
      ...(port === undefined ? {} : { port: Number(port) }),
      path: "/",
      query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
      headers: { host, "x-k8s-aws-id": clusterName },
    },
    {
      expiresIn: signatureSeconds,
      signingDate: new Date(nowMs()),
      // Unsigned, the header would travel in the query instead, where EKS does not look.
      unhoistableHeaders: new Set(["x-k8s-aws-id"]),
      signableHeaders: new Set(["host", "x-k8s-aws-id"]),
    },
  );
  const query = Object.entries(signed.query ?? {}).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`,
  );
  return prefix + Buffer.from(`https://${host}/?${query.join("&")}`).toString("base64url");
}

function domainOf(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

/** What the signer wants of a hash, by Node's own. */
export class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    throw new Error("a digest is used once");
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
