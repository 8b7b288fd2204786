import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { App } from "aws-cdk-lib";
import { clustersOf } from "./clusters.ts";
import { addStacks } from "./outrigger-stack.ts";

/** Beside `cdk.json`, where `npx cdk` is run. */
const configFile = join(process.cwd(), "outrigger.config.ts");

/** Undefined: there is no file. Ends the process in words when there is one that cannot be read. */
async function configuration(): Promise<unknown> {
  if (!existsSync(configFile)) return undefined;
  try {
    const exported: { readonly config?: unknown } = await import(pathToFileURL(configFile).href);
    if (exported.config !== undefined) return exported.config;
    process.stderr.write("outrigger.config.ts exports no `config`: export const config = { clusters: [{ name }] };\n");
  } catch (error) {
    process.stderr.write(`outrigger.config.ts cannot be read: ${error instanceof Error ? error.message : error}\n`);
  }
  process.exit(1);
}

const app = new App();
const here = {
  ...(process.env.CDK_DEFAULT_ACCOUNT === undefined ? {} : { account: process.env.CDK_DEFAULT_ACCOUNT }),
  ...(process.env.CDK_DEFAULT_REGION === undefined ? {} : { region: process.env.CDK_DEFAULT_REGION }),
};
const found = clustersOf(app.node.tryGetContext("clusters"), await configuration(), here);
if (found.kind === "problems") {
  process.stderr.write(`${found.problems.join("\n")}\n`);
  process.exitCode = 1;
} else {
  addStacks(app, found.clusters, here);
  app.synth();
}
