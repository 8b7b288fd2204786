import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";

/** Whose keys sign for which identity, as `arn:aws:sts::…:assumed-role/ROLE/SESSION`. */
export interface Signer {
  readonly identity: AwsIdentity;
  readonly arn: string;
}

/** STS takes this call for so long after its signature, ms, whatever X-Amz-Expires says. */
const signatureMs = 15 * 60_000;

/**
 * STS as far as EKS's authenticator calls it: GetCallerIdentity by a presigned URL. Like STS it knows the caller by
 * nothing but the signature (Signature Version 4) over the very request that reaches it, host and headers included.
 */
export class StandInSts {
  readonly signers: Signer[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<StandInSts> {
    const server = createServer();
    const sts = new StandInSts(server);
    server.on("request", (request, response) => {
      const arn = sts.#callerOf(request);
      response.statusCode = arn === undefined ? 403 : 200;
      response.end(JSON.stringify(arn === undefined ? refusal : answerFor(arn)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address !== null && typeof address === "object") sts.#port = address.port;
    return sts;
  }

  /** Where it listens, in place of `sts.REGION.amazonaws.com:443`. */
  get port(): number {
    return this.#port;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #callerOf({ method, url = "", headers }: IncomingMessage): string | undefined {
    const { searchParams, pathname } = new URL(url, "https://sts.amazonaws.com");
    const date = searchParams.get("X-Amz-Date") ?? "";
    const signedMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    const isNow = signedMs <= Date.now() + 60_000 && Date.now() < signedMs + signatureMs;
    if (!isNow || method !== "GET" || pathname !== "/") return undefined;
    if (searchParams.get("Action") !== "GetCallerIdentity") return undefined;
    return this.signers.find(({ identity }) => isSignedBy(searchParams, headers, date, identity))?.arn;
  }
}

const refusal = {
  Error: { Code: "SignatureDoesNotMatch", Message: "The request signature does not match", Type: "Sender" },
};

function answerFor(arn: string): object {
  const [, , , , account = ""] = arn.split(":");
  const GetCallerIdentityResult = { Account: account, Arn: arn, UserId: "AROAEXAMPLE:session" };
  return { GetCallerIdentityResponse: { GetCallerIdentityResult, ResponseMetadata: { RequestId: "1" } } };
}

function isSignedBy(
  query: URLSearchParams,
  headers: IncomingMessage["headers"],
  date: string,
  { accessKeyId, secretAccessKey }: AwsIdentity,
): boolean {
  const [keyId, day = "", region = "", service = ""] = (query.get("X-Amz-Credential") ?? "").split("/");
  if (keyId !== accessKeyId || service !== "sts") return false;
  const signedHeaders = query.get("X-Amz-SignedHeaders") ?? "";
  const canonicalHeaders = signedHeaders.split(";").map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`);
  const pairs = [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort();
  const canonical = ["GET", "/", pairs.join("&"), canonicalHeaders.join(""), signedHeaders, sha256("")].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", date, `${day}/${region}/${service}/aws4_request`, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const expected = hmac(key, toSign).toString("hex");
  const given = query.get("X-Amz-Signature") ?? "";
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

/** RFC 3986, which SigV4 wants: encodeURIComponent leaves five characters more alone. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
