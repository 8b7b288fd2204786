import type { PersistentVolumeClaim, StorageClass, VolumeAttachment } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import { type RealAdmin, watchAll } from "./admin-client.ts";
import { untilDone } from "./persistence.ts";

export const csiDriver = "ebs.csi.aws.com";
const attacher = "external-attacher/ebs-csi-aws-com";
const lookMs = 100;
const zoneKey = "topology.kubernetes.io/zone";

/**
 * The controller half of a CSI driver: makes the volume of a claim in the zone of the node that the scheduler has
 * selected, and says of each attachment that it is done. Binding, attaching and detaching are the real controllers'.
 */
export class FakeCsi {
  /** True: no volume leaves its machine. */
  holds = false;
  readonly #admin: RealAdmin;
  readonly #busy = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #stopped = false;

  constructor(admin: RealAdmin) {
    this.#admin = admin;
    this.#stops = [
      watchAll(admin, "PersistentVolumeClaim", (type, object) => {
        if (type !== "DELETED") this.#once(object, () => this.#provision(object as PersistentVolumeClaim));
      }),
      watchAll(admin, "VolumeAttachment", (type, object) => {
        if (type !== "DELETED") this.#once(object, () => this.#attach(object as VolumeAttachment));
      }),
    ];
  }

  stop(): void {
    this.#stopped = true;
    for (const stop of this.#stops) stop();
  }

  /** Each state of an object once; what fails while the API server is away is tried again. */
  #once({ metadata: { uid = "", resourceVersion = "" } }: KubeObject, action: () => Promise<void>): void {
    const state = `${uid} ${resourceVersion}`;
    if (this.#busy.has(state)) return;
    this.#busy.add(state);
    void untilDone(action, () => this.#stopped);
  }

  async #provision(claim: PersistentVolumeClaim): Promise<void> {
    const nodeName = claim.metadata.annotations?.["volume.kubernetes.io/selected-node"];
    if (nodeName === undefined || claim.spec.volumeName !== undefined) return;
    const node = await this.#admin.get("Node", nodeName);
    const zone = node.kind === "ok" ? (node.object as Node).metadata.labels?.[zoneKey] : undefined;
    if (zone === undefined) return;
    const { name, namespace, uid } = claim.metadata;
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
    await this.#admin.create(volume(`pvc-${uid}`, zone, { claimRef, storageClassName: claim.spec.storageClassName }));
  }

  /** A finalizer keeps an attachment until the volume has left the machine. */
  async #attach({ metadata }: VolumeAttachment): Promise<void> {
    const { name, finalizers = [], deletionTimestamp } = metadata;
    const change = (wanted: readonly string[]): Promise<unknown> =>
      this.#admin.patch("VolumeAttachment", name, undefined, { metadata: { finalizers: wanted } });
    if (deletionTimestamp !== undefined) {
      while (this.holds && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, lookMs));
      await change(finalizers.filter((one) => one !== attacher));
    } else if (!finalizers.includes(attacher)) {
      await change([...finalizers, attacher]);
      await this.#admin.patch("VolumeAttachment", name, undefined, { status: { attached: true } }, "status");
    }
  }
}

/** A volume that lives in one zone. */
export function volume(name: string, zone: string, spec: object = {}): object {
  return {
    ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name } },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      csi: { driver: csiDriver, volumeHandle: `vol-${name}` },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: "In", values: [zone] }] }] },
      },
      ...spec,
    },
  };
}

export function storageClass(
  name: string,
  volumeBindingMode: NonNullable<StorageClass["volumeBindingMode"]>,
  zones?: readonly string[],
): object {
  return {
    ...{ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name } },
    ...{ provisioner: csiDriver, volumeBindingMode },
    ...(zones === undefined
      ? {}
      : { allowedTopologies: [{ matchLabelExpressions: [{ key: zoneKey, values: zones }] }] }),
  };
}

export function volumeClaim(name: string, spec: object): object {
  return {
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: "default" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  };
}
