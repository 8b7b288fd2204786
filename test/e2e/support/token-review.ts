import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { stringify } from "yaml";
import { isJsonObject } from "#api/problem.ts";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";

/** EKS takes a token for so long after its signature, ms. */
const tokenMs = 15 * 60_000;

/** What EKS's authenticator knows: whose keys sign for which role, and which role is in which groups. */
export interface AccessEntry {
  readonly identity: AwsIdentity;
  readonly arn: string;
  readonly groups: readonly string[];
}

/**
 * EKS's token authenticator: the API server asks it who a bearer token speaks for. It does what EKS does: unpacks the
 * presigned call, checks that it is for this cluster, and lets STS's rule (Signature Version 4) say who signed it.
 */
export class TokenReview {
  readonly entries: AccessEntry[] = [];
  readonly #clusterName: string;
  readonly #server: Server;
  /** How often it was asked, and how often it knew the caller. */
  reviews = 0;
  accepted = 0;
  #oldestMs = 0;

  private constructor(clusterName: string, server: Server) {
    this.#clusterName = clusterName;
    this.#server = server;
  }

  static async start(
    clusterName: string,
    port: number,
    pem: { readonly key: string; readonly cert: string },
  ): Promise<TokenReview> {
    const server = createServer(pem);
    const review = new TokenReview(clusterName, server);
    server.on("request", (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString("utf8");
      });
      request.on("end", () => response.end(JSON.stringify(review.#answer(JSON.parse(body)))));
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return review;
  }

  /** Tokens that were signed before now are refused from now on, as if their time were over. */
  refuseOlder(): void {
    this.#oldestMs = Math.floor(Date.now() / 1000) * 1000;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(review: unknown): object {
    const { spec, apiVersion } = isJsonObject(review) ? review : {};
    const token = isJsonObject(spec) && typeof spec.token === "string" ? spec.token : "";
    this.reviews++;
    const entry = this.#callerOf(token);
    if (entry !== undefined) this.accepted++;
    const user = entry === undefined ? {} : { user: { username: entry.arn, uid: entry.arn, groups: entry.groups } };
    return { apiVersion, kind: "TokenReview", status: { authenticated: entry !== undefined, ...user } };
  }

  #callerOf(token: string): AccessEntry | undefined {
    if (!token.startsWith("k8s-aws-v1.")) return undefined;
    const url = new URL(Buffer.from(token.slice("k8s-aws-v1.".length), "base64url").toString("utf8"));
    const date = url.searchParams.get("X-Amz-Date") ?? "";
    const signedMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const isFresh = signedMs >= this.#oldestMs && signedMs <= Date.now() + 60_000 && Date.now() < signedMs + tokenMs;
    const isForUs = url.searchParams.get("X-Amz-SignedHeaders")?.split(";").includes("x-k8s-aws-id") === true;
    if (!isFresh || !isForUs) return undefined;
    return this.entries.find(({ identity }) => this.#isSignedBy(url, date, identity));
  }

  #isSignedBy(url: URL, date: string, { accessKeyId, secretAccessKey }: AwsIdentity): boolean {
    const [keyId, day = "", region = "", service = ""] = (url.searchParams.get("X-Amz-Credential") ?? "").split("/");
    if (keyId !== accessKeyId) return false;
    const query = url.search.slice(1).split("&");
    const signed = query
      .filter((pair) => !pair.startsWith("X-Amz-Signature="))
      .sort()
      .join("&");
    const headers = `host:${url.host}\nx-k8s-aws-id:${this.#clusterName}\n`;
    const canonical = ["GET", "/", signed, headers, "host;x-k8s-aws-id", sha256("")].join("\n");
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
    const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
    const expected = hmac(key, toSign).toString("hex");
    const given = url.searchParams.get("X-Amz-Signature") ?? "";
    return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  }
}

/** The flags by which an API server asks the authenticator. Answers are kept for a second only. */
export function tokenReviewFlags(root: string, caFile: string, port: number): readonly string[] {
  const file = join(root, "token-review.kubeconfig");
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "x" },
    clusters: [{ name: "c", cluster: { server: `https://127.0.0.1:${port}/`, "certificate-authority": caFile } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  };
  writeFileSync(file, stringify(config));
  return [
    `--authentication-token-webhook-config-file=${file}`,
    "--authentication-token-webhook-version=v1",
    "--authentication-token-webhook-cache-ttl=1s",
  ];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
