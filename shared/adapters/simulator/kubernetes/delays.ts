/**
 * How long things take in the simulated cluster, ms unless the name says otherwise. Each figure is what an operator of a
 * small EKS cluster sees, or Kubernetes' own default where one is named.
 */
export interface Delays {
  /** A controller reacts to a change by watch and work queue: tens of ms. */
  readonly controllerMs: number;
  /** kube-scheduler takes a pod from its queue within a few ms of its creation. */
  readonly schedulerMs: number;
  /** kube-scheduler: first and longest back-off of a pod that found no node. */
  readonly schedulerBackoffMs: number;
  readonly schedulerBackoffMsMax: number;
  /** kube-scheduler: unschedulable pods are tried again after five minutes although nothing changed. */
  readonly unschedulableFlushMs: number;
  /** From the machine's boot to kubelet's registration: cloud-init, the bootstrap script, the first TLS handshake. */
  readonly nodeJoinMs: number;
  /** From registration to Ready: the CNI's pod pulls its image and writes its configuration. */
  readonly nodeReadyMs: number;
  /** An agent (CNI, GPU driver) takes its startup taint off so long after Ready; null: it never does. */
  readonly startupTaintMs: number | null;
  /** Pulling an image that the node lacks, shortest and longest; nginx from a regional registry takes about 2 s. */
  readonly imagePullMsMin: number;
  readonly imagePullMsMax: number;
  /** Sandbox, network and container start once the image is there. */
  readonly containerStartMs: number;
  /** A process that handles SIGTERM ends so soon, shortest and longest; the grace period bounds it. */
  readonly podStopMsMin: number;
  readonly podStopMsMax: number;
  /** How long a Job's pod runs when no annotation says otherwise. */
  readonly jobRunMs: number;
  /** kube-controller-manager: --node-monitor-grace-period, 50 s since 1.32. */
  readonly nodeMonitorGraceMs: number;
  /** cloud-controller-manager: --node-monitor-period, 5 s. A NotReady node without instance is deleted then. */
  readonly cloudNodePeriodMs: number;
  /** kube-controller-manager: pod garbage collection each 20 s, and 40 s of quarantine for pods of a node that is gone. */
  readonly podGcPeriodMs: number;
  readonly podGcQuarantineMs: number;
  /** A CSI driver creates, attaches and detaches a block volume. */
  readonly volumeProvisionMs: number;
  readonly volumeAttachMs: number;
  readonly volumeDetachMs: number;
}

export const defaultDelays: Delays = {
  controllerMs: 20,
  schedulerMs: 10,
  schedulerBackoffMs: 1_000,
  schedulerBackoffMsMax: 10_000,
  unschedulableFlushMs: 5 * 60_000,
  nodeJoinMs: 8_000,
  nodeReadyMs: 6_000,
  startupTaintMs: 4_000,
  imagePullMsMin: 1_000,
  imagePullMsMax: 3_000,
  containerStartMs: 700,
  podStopMsMin: 500,
  podStopMsMax: 3_000,
  jobRunMs: 60_000,
  nodeMonitorGraceMs: 50_000,
  cloudNodePeriodMs: 5_000,
  podGcPeriodMs: 20_000,
  podGcQuarantineMs: 40_000,
  volumeProvisionMs: 3_000,
  volumeAttachMs: 2_000,
  volumeDetachMs: 4_000,
};
