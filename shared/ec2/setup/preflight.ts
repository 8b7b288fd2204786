/**
 * Karpenter counterpart: none; its chart is installed by whoever can use kubectl. Here what would stop the functions is
 * found before they are let in, and each finding says what mends it.
 */
import { queueTiming } from "./queue-timing.ts";

/** What EKS says of a cluster, as far as an installation depends on it. */
export interface InstallationFacts {
  readonly clusterName: string;
  /** EKS: CREATING, ACTIVE, UPDATING, … */
  readonly status: string;
  /** EKS: CONFIG_MAP, API_AND_CONFIG_MAP, API; absent where EKS does not say. */
  readonly authenticationMode?: string;
}

/** What SQS says of the queue of interruptions, seconds. */
export interface QueueFacts {
  readonly name: string;
  readonly visibilitySeconds: number;
  readonly retentionSeconds: number;
  /** Absent: what fails is delivered until it is too old. */
  readonly receivesMax?: number;
}

/** A cluster whose configuration or version is being changed answers all the same. */
const usable: ReadonlySet<string> = new Set(["ACTIVE", "UPDATING"]);
/** A spot warning is over by then. */
const visibilitySecondsMax = 120;

/** Why nothing can be installed; [] when all is well. */
export function clusterProblems({ clusterName, status, authenticationMode }: InstallationFacts): readonly string[] {
  const notUsable = usable.has(status) ? [] : [`EKS cluster ${clusterName} is ${status}; it must be ACTIVE`];
  const withoutEntries =
    authenticationMode === "CONFIG_MAP"
      ? [
          `EKS cluster ${clusterName} has the authentication mode CONFIG_MAP, which knows no access entries; run ` +
            `\`aws eks update-cluster-config --name ${clusterName} --access-config authenticationMode=API_AND_CONFIG_MAP\`` +
            " (the entries of the ConfigMap aws-auth stay), wait until the cluster is ACTIVE, and deploy again",
        ]
      : [];
  return [...notUsable, ...withoutEntries];
}

/** What would lose messages of the queue or bring them too late, a line each. */
export function queueProblems({ name, ...queue }: QueueFacts): readonly string[] {
  const { visibilitySeconds, retentionSeconds, receivesMax } = queue;
  const least = queueTiming.visibilitySeconds;
  const all = visibilitySeconds * (receivesMax ?? 1);
  return [
    ...(visibilitySeconds < least
      ? [`${name}: a visibility timeout of ${visibilitySeconds} s is less than ${least} s`]
      : []),
    ...(visibilitySeconds >= visibilitySecondsMax
      ? [`${name}: a message that failed is seen again after ${visibilitySeconds} s, when a spot warning is over`]
      : []),
    ...(receivesMax === undefined ? [`${name}: there is no queue for what fails`] : []),
    ...(retentionSeconds <= all
      ? [`${name}: messages are lost after ${retentionSeconds} s, before they were delivered ${receivesMax ?? 1} times`]
      : []),
  ];
}
