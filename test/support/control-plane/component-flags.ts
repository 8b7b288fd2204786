import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";

export interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly scheduler: number;
  readonly controllerManager: number;
}

/** Where a control plane keeps its files. */
export interface Directories {
  readonly root: string;
  readonly pki: string;
}

const clientConnection = { qps: 1000, burst: 2000 };

export function etcdFlags({ root }: Directories, ports: Ports): readonly string[] {
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  const client = `http://127.0.0.1:${ports.etcd}`;
  const config = {
    name: "default",
    "data-dir": join(root, "etcd"),
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `default=${peer}`,
    "initial-cluster-state": "new",
    // Nothing here outlives the test run.
    "unsafe-no-fsync": true,
    "quota-backend-bytes": 2_147_483_648,
    "auto-compaction-mode": "periodic",
    "auto-compaction-retention": "5m",
    "log-level": "warn",
  };
  return [configFile(root, "etcd.yaml", config)];
}

export function apiServerFlags({ pki }: Directories, ports: Ports, extra: readonly string[]): readonly string[] {
  const file = (name: string): string => join(pki, name);
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    ...["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", `--secure-port=${ports.apiServer}`],
    ...["--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged=true"],
    ...["--authorization-mode=Node,RBAC", "--anonymous-auth=false", `--client-ca-file=${file("ca.crt")}`],
    ...[`--tls-cert-file=${file("apiserver.crt")}`, `--tls-private-key-file=${file("apiserver.key")}`],
    `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
    ...["--requestheader-allowed-names=front-proxy", "--requestheader-username-headers=X-Remote-User"],
    ...["--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-"],
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("service-account.pub")}`,
    `--service-account-signing-key-file=${file("service-account.key")}`,
    "--profiling=false",
    ...extra,
  ];
}

export function schedulerFlags({ root, pki }: Directories, ports: Ports): readonly string[] {
  const kubeconfig = join(root, "kube-scheduler.kubeconfig");
  const config = {
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig, ...clientConnection },
  };
  return [
    `--config=${configFile(root, "scheduler.yaml", config)}`,
    ...["--bind-address=127.0.0.1", `--secure-port=${ports.scheduler}`, `--cert-dir=${join(pki, "scheduler")}`],
    ...[`--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`],
    "--authentication-tolerate-lookup-failure",
  ];
}

export function controllerManagerFlags(
  { root, pki }: Directories,
  ports: Ports,
  extra: readonly string[],
): readonly string[] {
  return [
    `--kubeconfig=${join(root, "kube-controller-manager.kubeconfig")}`,
    ...["--bind-address=127.0.0.1", `--secure-port=${ports.controllerManager}`],
    ...[`--cert-dir=${join(pki, "controller-manager")}`, "--leader-elect=false"],
    ...["--use-service-account-credentials=true", "--kube-api-qps=1000", "--kube-api-burst=2000"],
    `--service-account-private-key-file=${join(pki, "service-account.key")}`,
    ...[`--root-ca-file=${join(pki, "ca.crt")}`, `--cluster-signing-cert-file=${join(pki, "ca.crt")}`],
    `--cluster-signing-key-file=${join(pki, "ca.key")}`,
    ...extra,
  ];
}

/** YAML 1.2 is a superset of JSON, and each of these readers takes it. */
function configFile(root: string, name: string, config: object): string {
  const path = join(root, name);
  writeFileSync(path, stringify(config));
  return path;
}
