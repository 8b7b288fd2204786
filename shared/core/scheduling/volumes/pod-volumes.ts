/**
 * What the volumes of a pod ask of its node, or why the pod cannot run yet whatever node there is. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/volumetopology.go, ValidatePersistentVolumeClaims, and
 * pkg/scheduling/volumeusage.go, GetVolumes. It differs: a claim without class has the cluster's default one, which
 * Kubernetes gives it; volumes that are made by hand must be there; volumes are looked up once for all pods.
 */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "#api/core-v1/cluster-objects.ts";
import type { Pod, Volume } from "#api/core-v1/pod.ts";
import { objectName } from "../../object-ref.ts";
import type { ClusterView } from "../../snapshot.ts";
import { noRequirements } from "../requirements/requirements.ts";
import { driverOfClass, driverOfInline, driverOfVolume } from "./csi-driver.ts";
import { isFree, isWithinReach, noProvisioner, serves, wantedOf } from "./volume-by-hand.ts";
import { type Alternatives, anywhere, placesOfClass, placesOfVolume, together } from "./volume-topology.ts";

/** One volume that a node must attach. */
export interface Attachment {
  readonly driver: string;
  /** The claim's `namespace/name`; for a volume that stands in the pod, the pod's with the volume's name. */
  readonly volume: string;
}

export interface PodVolumes {
  readonly kind: "known";
  readonly places: Alternatives;
  /** By driver and volume; distinct. */
  readonly attachments: readonly Attachment[];
}

export type VolumesAnswer = PodVolumes | { readonly kind: "refused"; readonly message: string };

type VolumeLists = Pick<ClusterView, "persistentVolumeClaims" | "persistentVolumes" | "storageClasses">;

/** Kubernetes' binder sets it when it has done its part. */
const boundAnnotation = "pv.kubernetes.io/bind-completed";
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

const noVolumes: PodVolumes = { kind: "known", places: anywhere, attachments: [] };

export class VolumeIndex {
  readonly #claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly #volumes: ReadonlyMap<string, PersistentVolume>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #defaultClass: StorageClass | undefined;
  readonly #isStaying: (hostname: string) => boolean;

  /** `isStaying`: a node with that hostname is there and is not going away. */
  constructor(lists: VolumeLists, isStaying: (hostname: string) => boolean) {
    this.#claims = new Map(lists.persistentVolumeClaims.map((one) => [objectName(one.metadata), one]));
    this.#volumes = new Map(lists.persistentVolumes.map((one) => [one.metadata.name, one]));
    this.#classes = new Map(lists.storageClasses.map((one) => [one.metadata.name, one]));
    this.#defaultClass = defaultClass(lists.storageClasses);
    this.#isStaying = isStaying;
  }

  /** For a pod that wants a place. */
  of(pod: Pod): VolumesAnswer {
    const volumes = (pod.spec.volumes ?? []).filter(matters);
    if (volumes.length === 0) return noVolumes;
    let places = anywhere;
    for (const volume of volumes) {
      const found = this.#placesOf(pod, volume);
      if (typeof found === "string") return { kind: "refused", message: found };
      const narrowed = together(places, found);
      if (narrowed.length === 0) return { kind: "refused", message: this.#nowhere(pod, volume, found) };
      places = narrowed;
    }
    return { kind: "known", places, attachments: this.attachmentsOf(pod) };
  }

  /** What the node of a pod attaches for it, as far as it can be told. */
  attachmentsOf(pod: Pod): readonly Attachment[] {
    const byText = new Map<string, Attachment>();
    for (const volume of pod.spec.volumes ?? []) {
      const name = claimNameOf(pod, volume);
      const driver = name === undefined ? driverOfInline(volume) : this.#driverOfClaim(this.#claims.get(name));
      if (driver === undefined) continue;
      const attachment = { driver, volume: name ?? `${objectName(pod.metadata)}/${volume.name}` };
      byText.set(`${driver} ${attachment.volume}`, attachment);
    }
    return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, attachment]) => attachment);
  }

  /** A text: why the pod has to wait for its volume. */
  #placesOf(pod: Pod, volume: Volume): Alternatives | string {
    const name = claimNameOf(pod, volume);
    if (name === undefined) return anywhere;
    const claim = this.#claims.get(name);
    const called = `its PersistentVolumeClaim ${name}`;
    if (claim === undefined) return `${called} does not exist`;
    if (claim.metadata.deletionTimestamp !== undefined) return `${called} is being deleted`;
    const { volumeName } = claim.spec;
    if (claim.status?.phase === "Lost") return `${called} is Lost: its PersistentVolume ${volumeName ?? ""} is gone`;
    return volumeName === undefined ? this.#placesOfUnbound(claim, called) : this.#placesOfBound(claim, called);
  }

  #placesOfBound(claim: PersistentVolumeClaim, called: string): Alternatives | string {
    const { volumeName = "" } = claim.spec;
    const volume = this.#volumes.get(volumeName);
    if (volume === undefined) return `${called} names PersistentVolume ${volumeName}, which does not exist`;
    if (volume.metadata.deletionTimestamp !== undefined) {
      return `${called} names PersistentVolume ${volumeName}, which is being deleted`;
    }
    if (claim.metadata.annotations?.[boundAnnotation] === undefined) {
      return `${called} names PersistentVolume ${volumeName} and is not bound to it yet (no ${boundAnnotation})`;
    }
    return placesOfVolume(volume, this.#isStaying);
  }

  #placesOfUnbound(claim: PersistentVolumeClaim, called: string): Alternatives | string {
    const storageClass = this.#classOf(claim);
    const name = claim.spec.storageClassName;
    if (storageClass === undefined) {
      return name === undefined || name === ""
        ? `${called} is not bound and has no StorageClass that could make its volume`
        : `${called} names StorageClass ${name}, which does not exist`;
    }
    if (storageClass.volumeBindingMode !== "WaitForFirstConsumer") {
      return (
        `${called} has no volume yet, and StorageClass ${storageClass.metadata.name} ` +
        "(volumeBindingMode: Immediate) makes it before any pod is placed"
      );
    }
    if (storageClass.provisioner === noProvisioner) return this.#placesByHand(claim, called, storageClass);
    return placesOfClass(storageClass);
  }

  /** Nobody makes such volumes: one of those that are there must do. */
  #placesByHand(claim: PersistentVolumeClaim, called: string, { metadata }: StorageClass): Alternatives | string {
    const all = [...this.#volumes.values()].filter(({ spec }) => spec.storageClassName === metadata.name);
    const usable = all.filter((volume) => serves(volume, claim) && isWithinReach(volume, this.#isStaying));
    const places = usable.flatMap((volume) => placesOfVolume(volume, this.#isStaying));
    if (places.length > 0) return together(places, [noRequirements]);
    const free = all.filter((volume) => isFree(volume, claim)).length;
    return (
      `${called} waits for a PersistentVolume of StorageClass ${metadata.name}, which nobody makes ` +
      `(${noProvisioner}): of ${all.length} ${free} are free, and none of these serves it${wantedOf(claim)}`
    );
  }

  #driverOfClaim(claim: PersistentVolumeClaim | undefined): string | undefined {
    if (claim === undefined) return undefined;
    const { volumeName } = claim.spec;
    if (volumeName !== undefined) {
      const volume = this.#volumes.get(volumeName);
      return volume === undefined ? undefined : driverOfVolume(volume);
    }
    const storageClass = this.#classOf(claim);
    return storageClass === undefined ? undefined : driverOfClass(storageClass);
  }

  #classOf({ spec }: PersistentVolumeClaim): StorageClass | undefined {
    return spec.storageClassName === undefined ? this.#defaultClass : this.#classes.get(spec.storageClassName);
  }

  #nowhere(pod: Pod, volume: Volume, places: Alternatives): string {
    const claim = claimNameOf(pod, volume) ?? "";
    return places.length === 0
      ? `the PersistentVolume of its claim ${claim} allows no node that could be made`
      : `its volumes exclude each other: no node is where PersistentVolumeClaim ${claim} and the ones before it are`;
  }
}

/** `namespace/name` of the claim behind a volume. Kubernetes names the claim of an ephemeral one after pod and volume. */
function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  const own = ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`;
  const claim = persistentVolumeClaim?.claimName ?? own;
  return claim === undefined ? undefined : objectName({ ...pod.metadata, name: claim });
}

function matters(volume: Volume): boolean {
  const { persistentVolumeClaim, ephemeral } = volume;
  return persistentVolumeClaim !== undefined || ephemeral !== undefined || driverOfInline(volume) !== undefined;
}

/** Kubernetes: of several the newest, then the first by name. */
function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const named = classes.filter(({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === "true");
  return [...named].sort((a, b) => {
    const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
    if (first !== second) return first > second ? -1 : 1;
    return a.metadata.name < b.metadata.name ? -1 : 1;
  })[0];
}
