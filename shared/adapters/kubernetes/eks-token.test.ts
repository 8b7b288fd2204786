import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type AwsIdentity, type EksTokenOptions, eksCredentials, presignedToken } from "./eks-token.ts";

const identity: AwsIdentity = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "secret",
  sessionToken: "session/token+1",
};
const options = (change: Partial<EksTokenOptions> = {}): EksTokenOptions => ({
  ...{ clusterName: "shop", region: "eu-west-1", identity: async () => identity },
  nowMs: () => Date.parse("2026-01-31T12:00:00Z"),
  ...change,
});
const urlOf = (token: string): URL => new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString());

describe("the EKS token", () => {
  test("is a presigned GetCallerIdentity of the region's STS, without padding", async () => {
    const token = await presignedToken(identity, options());
    expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
    const url = urlOf(token);
    expect(url.origin + url.pathname).toBe("https://sts.eu-west-1.amazonaws.com/");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Date": "20260131T120000Z",
      "X-Amz-Expires": "60",
      "X-Amz-Security-Token": "session/token+1",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
    });
  });

  test("carries the signature that AWS computes when the cluster's name is sent as x-k8s-aws-id", async () => {
    const url = urlOf(await presignedToken(identity, options()));
    expect(url.searchParams.get("X-Amz-Signature")).toBe(signatureOf(url, "shop", "eu-west-1"));
    expect(url.searchParams.get("X-Amz-Signature")).not.toBe(signatureOf(url, "other", "eu-west-1"));
  });

  test("in China it asks the STS there", async () => {
    const url = urlOf(await presignedToken(identity, options({ region: "cn-north-1" })));
    expect(url.hostname).toBe("sts.cn-north-1.amazonaws.com.cn");
  });

  test("is kept for fourteen minutes, and made anew when it was refused", async () => {
    let nowMs = Date.parse("2026-01-31T12:00:00Z");
    const credentials = eksCredentials(options({ nowMs: () => nowMs }));
    const first = await credentials.authorization(false);
    nowMs += 14 * 60_000 - 1;
    expect(await credentials.authorization(false)).toBe(first);
    nowMs += 1;
    const second = await credentials.authorization(false);
    expect(second).not.toBe(first);
    nowMs += 1_000;
    expect(await credentials.authorization(true)).not.toBe(second);
  });

  test("does not outlive the credentials that signed it", async () => {
    let nowMs = Date.parse("2026-01-31T12:00:00Z");
    const expiration = new Date(nowMs + 5 * 60_000);
    const expiring = async (): Promise<AwsIdentity> => ({ ...identity, expiration });
    const credentials = eksCredentials(options({ nowMs: () => nowMs, identity: expiring }));
    const first = await credentials.authorization(false);
    nowMs += 4 * 60_000;
    expect(await credentials.authorization(false)).not.toBe(first);
  });
});

/** Signature Version 4 written out: canonical request, string to sign, derived key. */
function signatureOf(url: URL, cluster: string, region: string): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const query = url.search
    .slice(1)
    .split("&")
    .filter((pair) => !pair.startsWith("X-Amz-Signature="))
    .sort()
    .join("&");
  const headers = `host:${url.host}\nx-k8s-aws-id:${cluster}\n`;
  const canonical = ["GET", "/", query, headers, "host;x-k8s-aws-id", hash("")].join("\n");
  const scope = `20260131/${region}/sts/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", "20260131T120000Z", scope, hash(canonical)].join("\n");
  const key = ["20260131", region, "sts", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${identity.secretAccessKey}`,
  );
  return hmac(key, toSign).toString("hex");
}
