/** Random problems: the same seed gives the same problem on every machine. */
import type { KubeObject } from "#api/core-v1/meta.ts";
import { daemonSets } from "./daemons.ts";
import { chosenFeatures, type Feature } from "./features.ts";
import { madeUpOffer } from "./made-up-types.ts";
import { standingNodes } from "./nodes.ts";
import type { Offer } from "./offer.ts";
import type { Draw } from "./pod-spec.ts";
import { app, podOf } from "./pods.ts";
import { nodePools } from "./pools.ts";
import { Random } from "./random.ts";
import type { RawPod, RawProblem } from "./raw-problem.ts";
import { realOffer } from "./real-types.ts";
import { storageClasses, withVolume } from "./volumes.ts";

export interface Generated {
  readonly name: string;
  readonly features: readonly Feature[];
  readonly problem: RawProblem;
}

/** One problem in so many is large, one in so many has real instance types. */
const largeEach = 20;
const realEach = 7;

export function generate(seed: number): Generated {
  const random = new Random(seed);
  const features = chosenFeatures(seed, random);
  const offer = offerOf(seed, features, random);
  const pools = nodePools(features, offer, random);
  const namespaces = ["default", "shop", "lab"];
  const names = Array.from({ length: random.between(1, 7) }, (_, i) => `app-${i}`);
  const scale = random.pick<readonly [number, number]>([
    [0, 8],
    [0, 8],
    [0, 5],
    [3, 8],
    [5, 8],
  ]);
  const draw: Draw = { features, offer, random, apps: names, namespaces, scale };
  const apps = names.map((name) => app(name, draw));
  const standing = standingNodes(features, offer, pools, apps, random);
  const count = seed % largeEach === largeEach - 1 ? random.between(150, 400) : random.between(5, 60);
  const waiting = Array.from({ length: count }, (_, i) => podOf(random.pick(apps), i, random.below(90)));
  const { pods, objects } = features.has("volumes") ? mounted(waiting, offer, random) : { pods: waiting, objects: [] };
  return {
    name: `seed-${seed}`,
    features: [...features].sort(),
    problem: {
      options: {
        preferencePolicy: features.has("ignore-preferences") ? "Ignore" : "Respect",
        minValuesPolicy: features.has("best-effort") ? "BestEffort" : "Strict",
        wellKnownLabels: offer.wellKnownLabels,
        ...(offer.reservationIDLabel === "" ? {} : { reservationIDLabel: offer.reservationIDLabel }),
        ...(standing.markedForDeletion.length === 0 ? {} : { markedForDeletion: standing.markedForDeletion }),
      },
      nodePools: pools,
      instanceTypes: offer.types,
      nodes: standing.nodes,
      pods: random.shuffled([...pods, ...standing.pods]),
      daemonSets: daemonSets(draw),
      objects: [...standing.objects, ...objects, ...(features.has("namespaces") ? namespaceObjects(namespaces) : [])],
    },
  };
}

function offerOf(seed: number, features: ReadonlySet<Feature>, random: Random): Offer {
  const real = seed % realEach === realEach - 1 && !features.has("reserved");
  if (real) return realOffer(random, random.between(20, 45));
  return madeUpOffer(random, features.has("reserved"), features.has("sold-out") ? 0.4 : 0.03);
}

function mounted(
  waiting: readonly RawPod[],
  offer: Offer,
  random: Random,
): { readonly pods: readonly RawPod[]; readonly objects: RawProblem["objects"] } {
  const made = waiting.map((pod) =>
    random.chance(0.35) ? withVolume(pod, offer.zones, random) : { pod, objects: [] },
  );
  const objects = [...storageClasses(offer.zones, random), ...made.flatMap((one) => one.objects)];
  const byName = new Map(
    objects.map((one) => [`${one.kind} ${one.metadata.namespace ?? ""} ${one.metadata.name}`, one]),
  );
  return { pods: made.map(({ pod }) => pod), objects: [...byName.values()] };
}

function namespaceObjects(names: readonly string[]): RawProblem["objects"] {
  return names.map((name): KubeObject & { readonly [field: string]: unknown } => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name, ...(name === "lab" ? {} : { kind: "shared" }) } },
  }));
}
