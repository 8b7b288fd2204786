import { SignatureV4 } from "@smithy/signature-v4";
import { type AwsIdentity, Sha256 } from "../shared/adapters/kubernetes/eks-token.ts";
import type { SentHeaders } from "../shared/adapters/telemetry/prometheus/remote-write.ts";

/** Amazon Managed Service for Prometheus takes signed requests only; any other endpoint is sent to as it is. */
export function ampSignature(
  url: string,
  region: string,
  identity: () => Promise<AwsIdentity>,
): ((url: URL, headers: SentHeaders, body: Uint8Array) => Promise<SentHeaders>) | undefined {
  const host = new URL(url).hostname;
  if (!/^aps-workspaces\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(host)) return undefined;
  return async ({ hostname, pathname }, headers, body) => {
    const signer = new SignatureV4({ service: "aps", region, credentials: identity, sha256: Sha256 });
    const signed = await signer.sign({
      ...{ method: "POST", protocol: "https:", hostname, path: pathname, body },
      headers: { ...headers, host: hostname },
    });
    return signed.headers;
  };
}
