import type { RequestOptions } from "node:https";
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import type { ApiEndpoint, ClientCertificate, Credentials } from "./endpoint.ts";

export type KubeconfigAnswer =
  | {
      readonly kind: "usable";
      readonly endpoint: ApiEndpoint;
      readonly credentials: Credentials;
      /** Which EKS cluster it is, as far as the file says so. */
      readonly eks: Partial<EksName>;
    }
  /** Why it cannot be used, for the person who named it. */
  | { readonly kind: "unusable"; readonly message: string };

/** An EKS cluster of the account whose credentials are used. */
export interface EksName {
  readonly name: string;
  readonly region: string;
}

/**
 * A context of a kubeconfig file, the current one unless another is named: tokens, client certificates and `exec`
 * plug-ins, by @kubernetes/client-node's reader. It is loaded here and nowhere else, since it takes a third of a second
 * and 80 MB: a function needs none.
 */
export async function readKubeconfig(file: string, context?: string): Promise<KubeconfigAnswer> {
  const { KubeConfig: Reader } = await import("@kubernetes/client-node");
  const config = new Reader();
  try {
    config.loadFromFile(file);
  } catch (error) {
    return { kind: "unusable", message: `${file}: ${messageOf(error)}` };
  }
  if (context !== undefined) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const what = context === undefined ? "the current context" : `context ${context}`;
    const names = config.getContexts().map(({ name }) => name);
    return { kind: "unusable", message: `${file}: ${what} names no cluster; contexts: ${names.join(", ") || "none"}` };
  }
  if (cluster.skipTLSVerify === true) {
    return {
      kind: "unusable",
      message: `${file}: insecure-skip-tls-verify is set; Outrigger always verifies the API server`,
    };
  }
  if (!cluster.server.startsWith("https://")) {
    return { kind: "unusable", message: `${file}: the API server must be reached by https; it says ${cluster.server}` };
  }
  if (cluster.proxyUrl !== undefined) return { kind: "unusable", message: `${file}: proxy-url is not supported` };
  try {
    const serverName = cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName };
    const eks = eksNameOf(cluster, config.getCurrentUser());
    return await usable(config, { url: cluster.server, ...serverName }, eks);
  } catch (error) {
    return { kind: "unusable", message: `${file}: ${messageOf(error)}` };
  }
}

/** `aws eks update-kubeconfig` names clusters by their ARN, eksctl by name and region; both say it in the plug-in's words. */
function eksNameOf({ name, server }: Cluster, user: User | null): Partial<EksName> {
  const words: readonly string[] = user?.exec?.args ?? [];
  const after = (...flags: readonly string[]): string | undefined =>
    words[words.findIndex((word) => flags.includes(word)) + 1 || words.length];
  const arn = /^arn:[a-z-]+:eks:([a-z0-9-]+):\d+:cluster\/(.+)$/.exec(name);
  const clusterName = after("--cluster-name", "-i", "--cluster-id") ?? arn?.[2];
  const region = after("--region") ?? arn?.[1] ?? /\.([a-z0-9-]+)\.eks\.amazonaws\./.exec(server)?.[1];
  return { ...(clusterName === undefined ? {} : { name: clusterName }), ...(region === undefined ? {} : { region }) };
}

async function usable(config: KubeConfig, endpoint: ApiEndpoint, eks: Partial<EksName>): Promise<KubeconfigAnswer> {
  const first = await optionsOf(config);
  const certificate = certificateOf(first);
  const caPem = pemOf(first.ca);
  const credentials: Credentials = {
    // The reader keeps what an exec plug-in answered until that expires, and asks the plug-in again then.
    authorization: async () => authorizationOf(await optionsOf(config)),
    ...(certificate === undefined ? {} : { certificate }),
    remedy: "the user of the kubeconfig's current context is refused; sign in again or name another context",
  };
  return { kind: "usable", endpoint: { ...endpoint, ...(caPem === undefined ? {} : { caPem }) }, credentials, eks };
}

async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

function authorizationOf({ headers, auth }: RequestOptions): string | undefined {
  if (typeof auth === "string") return `Basic ${Buffer.from(auth).toString("base64")}`;
  if (headers === undefined || Array.isArray(headers)) return undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1];
  return typeof found === "string" ? found : undefined;
}

function certificateOf({ cert, key }: RequestOptions): ClientCertificate | undefined {
  const certPem = pemOf(cert);
  const keyPem = pemOf(key);
  return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem };
}

function pemOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall = "", path } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT") return error.message;
  // The file may name others: of certificates, of a token.
  if (!syscall.startsWith("spawn")) return `no such file or directory: ${path}`;
  return `the user's exec plug-in runs ${path}, which is not installed or not in PATH`;
}
