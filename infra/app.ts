import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { App } from "aws-cdk-lib";
import { clustersOf } from "./clusters.ts";
import { addStacks } from "./outrigger-stack.ts";

/** Beside `cdk.json`, where `npx cdk` is run. */
const configFile = join(process.cwd(), "outrigger.config.ts");

async function configuration(): Promise<unknown> {
  if (!existsSync(configFile)) return undefined;
  const exported: { readonly config?: unknown } = await import(pathToFileURL(configFile).href);
  return exported.config ?? "no export named config";
}

const app = new App();
const found = clustersOf(app.node.tryGetContext("clusters"), await configuration());
if (found.kind === "problems") {
  process.stderr.write(`${found.problems.join("\n")}\n`);
  process.exitCode = 1;
} else {
  addStacks(app, found.clusters, {
    ...(process.env.CDK_DEFAULT_ACCOUNT === undefined ? {} : { account: process.env.CDK_DEFAULT_ACCOUNT }),
    ...(process.env.CDK_DEFAULT_REGION === undefined ? {} : { region: process.env.CDK_DEFAULT_REGION }),
  });
  app.synth();
}
