import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { stringify } from "yaml";
import { isJsonObject } from "#api/problem.ts";

/** EKS takes a token for so long after its signature, ms. */
const tokenMs = 15 * 60_000;
const prefix = "k8s-aws-v1.";

/** An access entry of the cluster: which groups an IAM role is in. */
export interface AccessEntry {
  /** `arn:aws:iam::ACCOUNT:role/NAME`. */
  readonly principalArn: string;
  readonly groups: readonly string[];
}

/** A caller as the API server knows it. */
interface Caller {
  readonly username: string;
  readonly groups: readonly string[];
}

/**
 * EKS's token authenticator: the API server asks it who a bearer token speaks for. It does what EKS does: unpacks the
 * presigned call, checks that it is one of GetCallerIdentity at the region's STS and for this cluster, makes that very
 * call at STS, and looks the role that STS names up among the access entries.
 */
export class TokenReview {
  readonly entries: AccessEntry[] = [];
  /** Where else to look. */
  moreEntries: () => Promise<readonly AccessEntry[]> = async () => [];
  readonly #clusterName: string;
  readonly #server: Server;
  readonly #stsPort: number;
  /** How often it was asked, and how often it knew the caller. */
  reviews = 0;
  accepted = 0;
  #oldestMs = 0;

  private constructor(clusterName: string, server: Server, stsPort: number) {
    this.#clusterName = clusterName;
    this.#server = server;
    this.#stsPort = stsPort;
  }

  /** `stsPort`: where STS answers on loopback. */
  static async start(
    clusterName: string,
    port: number,
    pem: { readonly key: string; readonly cert: string },
    stsPort: number,
  ): Promise<TokenReview> {
    const server = createServer(pem);
    const review = new TokenReview(clusterName, server, stsPort);
    server.on("request", (incoming, response) => {
      let body = "";
      incoming.on("data", (chunk: Buffer) => {
        body += chunk.toString("utf8");
      });
      incoming.on("end", () => {
        review.#answer(JSON.parse(body)).then((answer) => response.end(JSON.stringify(answer)));
      });
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

  async #answer(review: unknown): Promise<object> {
    const { spec, apiVersion } = isJsonObject(review) ? review : {};
    const token = isJsonObject(spec) && typeof spec.token === "string" ? spec.token : "";
    this.reviews++;
    const caller = await this.#callerOf(token);
    if (caller !== undefined) this.accepted++;
    const user = caller === undefined ? {} : { user: { ...caller, uid: caller.username } };
    return { apiVersion, kind: "TokenReview", status: { authenticated: caller !== undefined, ...user } };
  }

  async #callerOf(token: string): Promise<Caller | undefined> {
    if (!token.startsWith(prefix)) return undefined;
    const url = new URL(Buffer.from(token.slice(prefix.length), "base64url").toString("utf8"));
    if (!this.#isTaken(url)) return undefined;
    const arn = await this.#identityOf(url);
    const entry = [...this.entries, ...(await this.moreEntries())].find(
      ({ principalArn }) => principalArn === roleOf(arn),
    );
    return arn === undefined || entry === undefined ? undefined : { username: arn, groups: entry.groups };
  }

  #isTaken({ protocol, host, pathname, searchParams }: URL): boolean {
    const date = searchParams.get("X-Amz-Date") ?? "";
    const signedMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const isFresh = signedMs >= this.#oldestMs && Date.now() < signedMs + tokenMs;
    const isSts = protocol === "https:" && /^sts\.[a-z0-9-]+\.amazonaws\.com$/.test(host) && pathname === "/";
    const isForUs = searchParams.get("X-Amz-SignedHeaders")?.split(";").includes("x-k8s-aws-id") === true;
    return isFresh && isSts && isForUs && searchParams.get("Action") === "GetCallerIdentity";
  }

  /** The ARN that STS answers to the call as it was signed; undefined when STS refuses. */
  #identityOf({ host, pathname, search }: URL): Promise<string | undefined> {
    return new Promise((resolve) => {
      const call = request(
        {
          ...{ host: "127.0.0.1", port: this.#stsPort, method: "GET", path: `${pathname}${search}`, agent: false },
          headers: { host, "x-k8s-aws-id": this.#clusterName, accept: "application/json" },
        },
        (response) => {
          let body = "";
          response.on("data", (chunk: Buffer) => {
            body += chunk.toString("utf8");
          });
          response.once("end", () => resolve(response.statusCode === 200 ? arnIn(JSON.parse(body)) : undefined));
        },
      );
      call.once("error", () => resolve(undefined));
      call.end();
    });
  }
}

function arnIn(answer: unknown): string | undefined {
  const { GetCallerIdentityResponse: response } = isJsonObject(answer) ? answer : {};
  const { GetCallerIdentityResult: result } = isJsonObject(response) ? response : {};
  return isJsonObject(result) && typeof result.Arn === "string" ? result.Arn : undefined;
}

/** Access entries name roles; STS answers with a session of one. */
function roleOf(arn: string | undefined): string | undefined {
  const parts = /^arn:(aws[a-z-]*):sts::(\d+):assumed-role\/([^/]+)\//.exec(arn ?? "");
  return parts === null ? arn : `arn:${parts[1]}:iam::${parts[2]}:role/${parts[3]}`;
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
