import { type App, type Environment, Stack } from "aws-cdk-lib";
import type { ClusterConfig } from "./clusters.ts";
import { stackName } from "./names.ts";
import { Outrigger } from "./outrigger.ts";

/** One stack a cluster. `here`: account and region of the credentials, for clusters that name none. */
export function addStacks(app: App, clusters: readonly ClusterConfig[], here: Environment = {}): readonly Stack[] {
  return clusters.map(({ name, account = here.account, region = here.region, ...settings }) => {
    const env = { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) };
    const isAlone = clusters.filter((cluster) => cluster.name === name).length === 1;
    const id = isAlone ? stackName(name) : `${stackName(name)}-${[account, region].filter(Boolean).join("-")}`;
    const stack = new Stack(app, id, {
      env,
      stackName: stackName(name),
      description: `Outrigger for the EKS cluster ${name}`,
    });
    new Outrigger(stack, "Outrigger", { clusterName: name, ...settings });
    return stack;
  });
}
