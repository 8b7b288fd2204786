import type { RealAdmin } from "./admin-client.ts";

const lanes = 24;

/** So many nodes and running pods as an EKS cluster has them: some 6 KB of JSON a pod, status and managed fields included. */
export async function fillCluster(admin: RealAdmin, nodes: number, pods: number): Promise<void> {
  await inLanes(nodes, async (index) => done(await admin.create(node(index))));
  await inLanes(pods, async (index) => {
    const name = `web-${index}`;
    done(await admin.create(pod(name, index, `node-${index % nodes}`)));
    done(await admin.patch("Pod", name, "default", { status: podStatus(index) }, "status"));
  });
}

async function inLanes(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function done(reply: { readonly kind: string; readonly message?: string }): void {
  if (reply.kind === "refused") throw new Error(reply.message);
}

const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
const now = "2026-01-31T12:00:00Z";

function node(index: number): object {
  const name = `node-${index}`;
  const capacity = { cpu: "16", memory: "64Gi", pods: "110", "ephemeral-storage": "80Gi", "hugepages-2Mi": "0" };
  const condition = (type: string, status: string) => ({
    ...{ type, status, reason: `Kubelet${type}`, message: `kubelet reports ${type}` },
    ...{ lastHeartbeatTime: now, lastTransitionTime: now },
  });
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "m5.4xlarge",
        "topology.kubernetes.io/region": "us-east-1",
        "topology.kubernetes.io/zone": zones[index % 3],
        "karpenter.sh/nodepool": "default",
        "karpenter.sh/capacity-type": "spot",
      },
    },
    spec: { providerID: `aws:///${zones[index % 3]}/i-${index.toString(16).padStart(17, "0")}` },
    status: {
      capacity,
      allocatable: capacity,
      conditions: [
        condition("Ready", "True"),
        ...["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => condition(type, "False")),
      ],
      addresses: [{ type: "InternalIP", address: `10.0.${index >> 8}.${index & 255}` }],
      images: Array.from({ length: 20 }, (_, image) => ({
        names: [`registry.example.com/team/service-${image}@sha256:${"ab".repeat(32)}`],
        sizeBytes: 123_456_789,
      })),
    },
  };
}

function pod(name: string, index: number, nodeName: string): object {
  const probe = { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 };
  const mounts = [
    { name: "config", mountPath: "/etc/service", readOnly: true },
    { name: "tmp", mountPath: "/tmp" },
  ];
  const environment = Array.from({ length: 12 }, (_, at) => ({
    name: `SETTING_${at}`,
    value: `value-of-setting-${at}`,
  }));
  const container = (container: string, cpu: string, memory: string) => ({
    name: container,
    image: `registry.example.com/team/${container}:v1.2.3`,
    ...{ command: ["/bin/service"], args: ["--config=/etc/service/config.yaml"], env: environment },
    ...{ ports: [{ name: "http", containerPort: 8080 }], resources: { requests: { cpu, memory }, limits: { memory } } },
    ...{ livenessProbe: probe, readinessProbe: probe, volumeMounts: mounts },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, runAsNonRoot: true },
  });
  const app = `web-${index % 200}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      labels: {
        app,
        "pod-template-hash": "6d4cf56db6",
        "app.kubernetes.io/part-of": "shop",
        team: `team-${index % 20}`,
      },
      annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "9090" },
    },
    spec: {
      nodeName,
      automountServiceAccountToken: false,
      containers: [container("service", "250m", "512Mi"), container("proxy", "100m", "128Mi")],
      volumes: [
        { name: "config", configMap: { name: "service-config" } },
        { name: "tmp", emptyDir: {} },
      ],
      topologySpreadConstraints: [
        {
          ...{ maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" },
          labelSelector: { matchLabels: { app } },
        },
      ],
    },
  };
}

function podStatus(index: number) {
  const condition = (type: string) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: now });
  const container = (name: string) => ({
    ...{ name, image: `registry.example.com/team/${name}:v1.2.3`, ready: true, restartCount: 0, started: true },
    imageID: `registry.example.com/team/${name}@sha256:${"cd".repeat(32)}`,
    containerID: `containerd://${"ef".repeat(32)}`,
    state: { running: { startedAt: now } },
  });
  return {
    phase: "Running",
    conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
    hostIP: `10.0.1.${index % 250}`,
    podIP: `10.1.${(index >> 8) % 250}.${index & 255}`,
    startTime: now,
    containerStatuses: [container("service"), container("proxy")],
  };
}
