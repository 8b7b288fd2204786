import type { EnsureLaunchTemplate, LaunchInstance, LaunchOption } from "#core/command.ts";
import { createWorkshopSimulation } from "#simulator/workshop-cloud/workshop-simulation.ts";
import { type LaunchingCloud, launchContract } from "./launch-contract.ts";

const zones = ["north-hall", "south-hall"] as const;
const template: EnsureLaunchTemplate = {
  kind: "ensure-launch-template",
  name: "recipe-contract",
  imageId: "plain-7",
  bootstrap: { clusterName: "contract", labels: {}, taints: [] },
  details: {},
  tags: {},
};
const tags = { cluster: "contract" };

function option(instanceType: string, zone: string): LaunchOption {
  return { instanceType, zone, pricePerHour: 0.1, launchTemplate: template.name };
}

async function makeWorkshop(): Promise<LaunchingCloud> {
  const { clock, cloud } = createWorkshopSimulation(1, 0);
  const { view } = await cloud.observe({ systems: [] });
  const [first, second] = view.machineTypes;
  if (first === undefined || second === undefined) throw new Error("the workshop needs two types of machine");
  const usual: LaunchInstance = {
    ...{ kind: "launch-instance", nodeClaim: "default-abc", nodeClaimUid: "uid", attempt: 1, token: "t-0" },
    ...{ capacityType: "on-demand", options: [option(first.name, zones[0])], tags },
  };
  await cloud.apply(template);
  return {
    ...{ types: [first.name, second.name], zones, capacityType: usual.capacityType, template, option, tags },
    unknownId: "m999",
    launch: (change) => cloud.apply({ ...usual, ...change }),
    apply: cloud.apply,
    instances: async () => (await cloud.observe({ systems: [] })).instances,
    settle: () => clock.runUntil(clock.nowMs() + 120_000),
  };
}

launchContract("the second provider of the simulator", makeWorkshop);
