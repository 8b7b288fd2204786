import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { CloudFormationClient, DescribeStackResourcesCommand } from "@aws-sdk/client-cloudformation";
import type { ClusterConfig } from "../../../infra/clusters.ts";
import { stackName } from "../../../infra/names.ts";
import type { StandIn } from "../../support/aws/stand-in.ts";

const root = join(import.meta.dirname, "../../..");

/**
 * `npx cdk deploy` and `npx cdk destroy` of the app as it is, from a folder of its own with an `outrigger.config.ts`, into
 * the stand-in. Direct deployment, because moto loses a change set's outputs.
 */
export class Toolkit {
  readonly #standIn: StandIn;
  readonly #folder = mkdtempSync(join(tmpdir(), "outrigger-deploy-"));

  constructor(standIn: StandIn) {
    this.#standIn = standIn;
    const settings = JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")) as object;
    const app = `${process.execPath} ${join(root, "infra/app.ts")}`;
    writeFileSync(join(this.#folder, "cdk.json"), JSON.stringify({ ...settings, app }));
  }

  /** The stack's outputs, by name. */
  async deploy(cluster: ClusterConfig): Promise<Readonly<Record<string, string>>> {
    writeFileSync(
      join(this.#folder, "outrigger.config.ts"),
      `export const config = ${JSON.stringify({ clusters: [cluster] })};\n`,
    );
    const outputs = join(this.#folder, "outputs.json");
    await this.#run("deploy", "--all", "--method", "direct", "--require-approval", "never", "--outputs-file", outputs);
    const told = JSON.parse(readFileSync(outputs, "utf8")) as Readonly<Record<string, Record<string, string>>>;
    return Object.values(told)[0] ?? {};
  }

  /** Physical ids of Outrigger's custom resources, by logical id: where one changes, CloudFormation deletes the old one. */
  async customResources(cluster: string): Promise<Readonly<Record<string, string>>> {
    const { endpoint, region } = this.#standIn;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const client = new CloudFormationClient({ endpoint, region, credentials });
    const { StackResources = [] } = await client.send(
      new DescribeStackResourcesCommand({ StackName: stackName(cluster) }),
    );
    client.destroy();
    const ours = StackResources.filter(({ ResourceType = "" }) => ResourceType.startsWith("Custom::Outrigger"));
    return Object.fromEntries(
      ours.map(({ LogicalResourceId = "", PhysicalResourceId = "" }) => [LogicalResourceId, PhysicalResourceId]),
    );
  }

  async destroy(): Promise<void> {
    await this.#run("destroy", "--all", "--force");
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(...words: readonly string[]): Promise<void> {
    const home = join(this.#folder, "home");
    mkdirSync(home, { recursive: true });
    const child = spawn(process.execPath, [join(root, "node_modules/aws-cdk/bin/cdk"), ...words], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: [join(process.execPath, ".."), process.env.PATH].join(delimiter),
        HOME: home,
        CI: "true",
        // moto knows a bucket by the host's name; a number is no name.
        AWS_ENDPOINT_URL: this.#standIn.endpoint.replace("127.0.0.1", "localhost"),
        AWS_REGION: this.#standIn.region,
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "test",
        AWS_EC2_METADATA_DISABLED: "true",
      },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString("utf8");
      });
    }
    const code = await new Promise((resolve) => child.once("exit", resolve));
    if (code !== 0) throw new Error(`cdk ${words[0]}: exit status ${code}\n${said}`);
  }
}
