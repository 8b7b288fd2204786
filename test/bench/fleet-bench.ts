import { performance } from "node:perf_hooks";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { fleetRequest } from "#aws/fleet-request.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import { nodeClasses } from "#ec2/node-class/node-classes.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2View, Subnet } from "#ec2/view.ts";
import { catalogue, claimOf, nodeClassOf, snapshotOf } from "../support/ec2-world.ts";

const typesCount = 600;
const zones = ["a", "b", "c", "d", "e", "f"].map((letter) => `us-east-1${letter}`);
const runs = 60;

export interface FleetBench {
  readonly types: number;
  readonly subnets: number;
  readonly options: number;
  /** The first launch of a process, and the median of the later ones, of claims that differ. */
  readonly firstMs: number;
  readonly laterMs: number;
  /** The request alone, with an override for every type in every subnet. */
  readonly wholeMs: number;
}

/** From a claim that allows every type to the request of its fleet, for 600 types in six zones with a subnet each. */
export function fleetBench(): FleetBench {
  const subnets = zones.map(
    (zone, index): Subnet => ({ id: `subnet-${index}`, zone, zoneId: `use1-az${index + 1}`, freeAddresses: 1_000 }),
  );
  const types = Array.from({ length: typesCount }, (_, index) => {
    const type = catalogue.types[index % catalogue.types.length];
    if (type === undefined) throw new Error("the catalogue is empty");
    const spot = Object.values(type.spotPerHour)[0] ?? 1;
    const name = index < catalogue.types.length ? type.name : `x${index}.large`;
    return { ...type, name, zones, spotPerHour: Object.fromEntries(zones.map((zone) => [zone, spot])) };
  });
  const before = nodeClassOf();
  const { view } = snapshotOf({ nodeClasses: [before] }).cloud;
  const more: Partial<Ec2View> = {
    catalogue: { ...catalogue, types },
    subnets: Object.fromEntries(Object.keys(view.subnets).map((key) => [key, subnets])),
  };
  const patch = nodeClasses(snapshotOf({ nodeClasses: [before] }, more)).commands.find(
    (command) => command.kind === "patch-status",
  );
  const nodeClass: EC2NodeClass = { ...before, status: patch?.status ?? {} };
  const snapshot = snapshotOf({ nodeClasses: [nodeClass] }, more);
  let options = 0;
  const launch = (run: number): number => {
    const claim = claimOf({ resources: { requests: { cpu: `${100 + run}m` } } });
    const fromMs = performance.now();
    const plan = ec2Provider.planLaunch(snapshot, { ...claim, metadata: { ...claim.metadata, uid: `uid-${run}` } }, 1);
    if (plan.kind !== "launch") throw new Error(plan.message);
    options = fleetRequest(plan.launch).LaunchTemplateConfigs?.flatMap(({ Overrides = [] }) => Overrides).length ?? 0;
    return performance.now() - fromMs;
  };
  const [firstMs = 0, ...later] = Array.from({ length: runs }, (_, run) => launch(run));
  // The first half still warms up.
  const warm = later.slice(runs / 2).sort((a, b) => a - b);
  return {
    types: types.length,
    subnets: subnets.length,
    options,
    firstMs,
    laterMs: warm[Math.floor(warm.length / 2)] ?? 0,
    wholeMs: wholeRequestMs(snapshot, types, subnets),
  };
}

/** Mean of requests that name all types in all subnets. */
function wholeRequestMs(snapshot: Snapshot<Ec2View>, types: Catalogue["types"], subnets: readonly Subnet[]): number {
  const plan = ec2Provider.planLaunch(snapshot, claimOf(), 1);
  if (plan.kind !== "launch") throw new Error(plan.message);
  const launchTemplate = plan.launch.options[0]?.launchTemplate ?? "";
  const options = types.flatMap(({ name: instanceType }, index) =>
    subnets.map(({ id, zone }) => ({ instanceType, zone, subnetId: id, pricePerHour: index, launchTemplate })),
  );
  const fromMs = performance.now();
  for (let run = 0; run < runs; run++) fleetRequest({ ...plan.launch, options });
  return (performance.now() - fromMs) / runs;
}

/** One line. */
export function fleetLine({ types, subnets, options, firstMs, laterMs, wholeMs }: FleetBench): string {
  return `fleet request, ${types} types × ${subnets} subnets (${options} overrides): ${laterMs.toFixed(1)} ms, the first of a process ${firstMs.toFixed(0)} ms; with all ${types * subnets} overrides, the request alone ${wholeMs.toFixed(1)} ms`;
}
