import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { FunctionName } from "./bundle.ts";

/** Lambda's name of the entry in a bundle. */
export const handlerName = "handler.handler";

/**
 * The bundle of a function, made as the template is. The name of the asset is a digest of the bundle: the same code is
 * not deployed again.
 */
export function functionCode(name: FunctionName): Code {
  return Code.fromAsset(join(import.meta.dirname, "../lambdas", name), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never started: the bundle is made on this machine, or the error is told.
      image: DockerImage.fromRegistry("scratch"),
      command: [name],
      local: {
        tryBundle: (directory) => {
          bundleInto(name, directory);
          return true;
        },
      },
    },
  });
}

function bundleInto(name: FunctionName, directory: string): void {
  const script = join(import.meta.dirname, "bundle-command.ts");
  const { status, stderr, error } = spawnSync(process.execPath, [script, name, directory], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the bundle of ${name} could not be made: ${error?.message ?? stderr}`);
}
