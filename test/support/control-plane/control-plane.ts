import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  apiServerFlags,
  controllerManagerFlags,
  type Directories,
  etcdFlags,
  type Ports,
  schedulerFlags,
} from "./component-flags.ts";
import { freePorts } from "./free-ports.ts";
import { ProcessGroup } from "./process-group.ts";

export interface ControlPlaneOptions {
  readonly apiServerFlags?: (directories: Directories) => readonly string[];
  readonly controllerManagerFlags?: readonly string[];
}

export interface ClientIdentity {
  readonly certPem: string;
  readonly keyPem: string;
}

/** A real Kubernetes control plane on loopback, without nodes. */
export interface ControlPlane {
  /** Where it keeps its files. */
  readonly root: string;
  readonly url: string;
  readonly caPem: string;
  /** Member of system:masters. */
  readonly admin: ClientIdentity;
  /** Of the same rights, as a file for kubectl. */
  readonly kubeconfig: string;
  /** Keys and certificates by name, e.g. `webhook.crt`, signed by the same authority. */
  readonly pem: (name: string) => string;
  /** etcd's client URL. */
  readonly etcdUrl: string;
  readonly pid: (part: string) => number | undefined;
  /** Ends the API server, as a crash does, and starts it again. */
  readonly restartApiServer: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A part that is not there after this time will not come, ms; a busy machine needs some 10 s. */
const readyMsMax = 90_000;

/** Starts etcd, kube-apiserver, kube-scheduler and kube-controller-manager; answers when all of them are ready. */
export async function startControlPlane(binary: string, options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const root = mkdtempSync(join(tmpdir(), "outrigger-control-plane-"));
  const directories: Directories = { root, pki: join(root, "pki") };
  for (const name of ["pki", "etcd", "log"]) mkdirSync(join(root, name), { mode: 0o700 });
  execFileSync(binary, ["pki", directories.pki]);
  const ports = await choosePorts();
  const processes = new ProcessGroup(binary, join(root, "log"));
  const pem = (name: string): string => readFileSync(join(directories.pki, name), "utf8");
  const url = `https://127.0.0.1:${ports.apiServer}`;
  for (const name of ["admin", "kube-scheduler", "kube-controller-manager"])
    writeKubeconfig(directories, name, url, pem);
  const admin: ClientIdentity = { certPem: pem("admin.crt"), keyPem: pem("admin.key") };

  const startApiServer = async (): Promise<void> => {
    const extra = options.apiServerFlags?.(directories) ?? [];
    processes.start("kube-apiserver", apiServerFlags(directories, ports, extra));
    await ready(processes, "kube-apiserver", () => probe(`${url}/readyz`, pem("ca.crt"), admin));
  };
  const stop = async (): Promise<void> => {
    await processes.stopAll();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    processes.start("etcd", etcdFlags(directories, ports));
    await startApiServer();
    processes.start("kube-scheduler", schedulerFlags(directories, ports));
    const extra = options.controllerManagerFlags ?? [];
    processes.start("kube-controller-manager", controllerManagerFlags(directories, ports, extra));
    await ready(processes, "kube-scheduler", () => probe(`https://127.0.0.1:${ports.scheduler}/readyz`));
    await ready(processes, "kube-controller-manager", () =>
      probe(`https://127.0.0.1:${ports.controllerManager}/healthz`),
    );
    const account = `${url}/api/v1/namespaces/default/serviceaccounts/default`;
    await ready(processes, "kube-controller-manager", () => probe(account, pem("ca.crt"), admin));
  } catch (error) {
    await processes.stopAll();
    throw error;
  }
  return {
    root,
    url,
    caPem: pem("ca.crt"),
    admin,
    kubeconfig: join(root, "admin.kubeconfig"),
    pem,
    etcdUrl: `http://127.0.0.1:${ports.etcd}`,
    pid: (part) => processes.pid(part),
    restartApiServer: async () => {
      await processes.stop("kube-apiserver", "SIGKILL");
      await startApiServer();
    },
    stop,
  };
}

async function choosePorts(): Promise<Ports> {
  const [etcd = 0, etcdPeer = 0, apiServer = 0, scheduler = 0, controllerManager = 0] = await freePorts(5);
  return { etcd, etcdPeer, apiServer, scheduler, controllerManager };
}

function writeKubeconfig({ root }: Directories, name: string, server: string, pem: (name: string) => string): void {
  const base64 = (file: string): string => Buffer.from(pem(file)).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": base64("ca.crt") } }],
    users: [
      {
        name,
        user: { "client-certificate-data": base64(`${name}.crt`), "client-key-data": base64(`${name}.key`) },
      },
    ],
    contexts: [{ name: "test", context: { cluster: "test", user: name } }],
    "current-context": "test",
  };
  writeFileSync(join(root, `${name}.kubeconfig`), stringify(config), { mode: 0o600 });
}

async function ready(processes: ProcessGroup, part: string, isReady: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + readyMsMax;
  while (Date.now() < untilMs) {
    const ended = processes.ended(part);
    if (ended !== undefined) throw new Error(ended);
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${part} was not ready within ${readyMsMax / 1000} s`);
}

/** Without an authority: the scheduler and the controller manager serve their health under certificates they made up. */
function probe(url: string, caPem?: string, identity?: ClientIdentity): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      timeout: 5_000,
      agent: false as const,
      ...(caPem === undefined ? { rejectUnauthorized: false } : { ca: caPem }),
      ...(identity === undefined ? {} : { cert: identity.certPem, key: identity.keyPem }),
    };
    const call = request(url, options, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
      response.once("error", () => resolve(false));
    });
    call.once("timeout", () => call.destroy(new Error("timeout")));
    call.once("error", () => resolve(false));
    call.end();
  });
}
