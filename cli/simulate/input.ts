import type { KubeObject } from "#api/core-v1/meta.ts";
import { parseCron } from "#api/cron.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { type LoadedObject, loadManifests } from "../manifests/load.ts";
import { type ManifestProblem, problemText } from "../manifests/problem.ts";
import { demoManifests, demoPoolAndClass } from "./demo.ts";
import { liveObjectNotes, type Machines } from "./live-objects.ts";
import { withOwners } from "./owners.ts";
import { absentPriorityClasses } from "./priority-classes.ts";
import { unreadKindNotes } from "./unread-kinds.ts";

/** What goes into the cluster, and what to tell of it. */
export interface SimulationInput {
  readonly kind: "input";
  readonly objects: readonly KubeObject[];
  readonly notes: readonly string[];
}

/** At most so many warnings are told one by one. */
const warningsMax = 20;

/** The user's manifests; the demo's when there are none. */
export function readInput(
  paths: readonly string[],
  machines: Machines = "absent",
): SimulationInput | { readonly kind: "problems"; readonly problems: readonly ManifestProblem[] } {
  if (paths.length === 0) return { kind: "input", objects: demoManifests().map(({ object }) => object), notes: [] };
  const loaded = loadManifests(paths);
  if (loaded.kind === "problems") return loaded;
  const { objects, unknownKinds, warnings } = loaded;
  const added = missingObjects(objects);
  const owned = withOwners([...objects, ...added].map(({ object }) => object));
  const priorityClasses = absentPriorityClasses(owned.objects);
  const notes = [
    ...unreadKindNotes(unknownKinds),
    ...warnings.slice(0, warningsMax).map((warning) => `without effect: ${problemText(warning)}`),
    ...(warnings.length > warningsMax ? [`… and ${warnings.length - warningsMax} more fields without effect`] : []),
    ...objects.flatMap(unreadableSchedules),
    ...(added.length === 0
      ? []
      : [
          `no NodePool among the manifests: the demo's NodePool and EC2NodeClass "default" are used, without taint and limits`,
        ]),
    ...liveObjectNotes(owned.objects, machines),
    ...owned.notes,
    ...absentClasses([...objects, ...added]),
    ...priorityClasses.map(
      ({ metadata }) => `PriorityClass/${metadata.name} is not among the manifests: it is made, with value 0`,
    ),
  ];
  return { kind: "input", objects: [...owned.objects, ...priorityClasses], notes };
}

/** The API server takes them, since they have a schedule's form. A budget that cannot be read allows no disruption. */
function unreadableSchedules({ object, file, lineOf }: LoadedObject): readonly string[] {
  if (object.kind !== "NodePool") return [];
  return (object as NodePool).spec.disruption.budgets.flatMap(({ schedule }, index) => {
    const cron = schedule === undefined ? undefined : parseCron(schedule);
    if (cron === undefined || !("problem" in cron)) return [];
    const field = `spec.disruption.budgets[${index}].schedule`;
    const message = `${cron.problem}; a budget that cannot be read allows no disruption`;
    const line = lineOf(["spec", "disruption", "budgets", index, "schedule"]);
    return [problemText({ file, line, object: `NodePool/${object.metadata.name}`, field, message })];
  });
}

/** The demo's pool and class, unless there is a pool already; a class that the user brings under that name stays. */
function missingObjects(objects: readonly LoadedObject[]): readonly LoadedObject[] {
  if (objects.some(({ object }) => object.kind === "NodePool")) return [];
  const named = new Set(objects.map(({ object }) => `${object.kind}/${object.metadata.name}`));
  return demoPoolAndClass().filter(({ object }) => !named.has(`${object.kind}/${object.metadata.name}`));
}

function absentClasses(objects: readonly LoadedObject[]): readonly string[] {
  const classes = new Set(
    objects.flatMap(({ object }) => (object.kind === "EC2NodeClass" ? [object.metadata.name] : [])),
  );
  return objects.flatMap(({ object }) => {
    if (object.kind !== "NodePool") return [];
    const { kind, name } = (object as NodePool).spec.template.spec.nodeClassRef;
    if (kind !== "EC2NodeClass" || classes.has(name)) return [];
    return [
      `NodePool/${object.metadata.name} names EC2NodeClass/${name}, which is not among the manifests: it gets no nodes`,
    ];
  });
}
