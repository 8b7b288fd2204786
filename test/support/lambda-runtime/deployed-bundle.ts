import { chmodSync, copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunction, type FunctionName } from "../../../infra/bundle.ts";

/** A bundle where another user can run it, with a Node and the runtime's own program beside it. */
export interface DeployedBundle {
  readonly task: string;
  readonly handler: string;
  readonly node: string;
  readonly bootstrap: string;
  readonly bytes: number;
  readonly remove: () => void;
}

/** The checkout itself may be closed to others. */
export function deployBundle(name: FunctionName): Promise<DeployedBundle> {
  return unpackBundle(name, (task) => bundleFunction(name, task));
}

/** A folder that `fill` puts the function's code into; it answers Lambda's name of the entry. */
export async function unpackBundle(
  name: string,
  fill: (task: string) => Promise<{ readonly handler: string; readonly bytes: number }>,
): Promise<DeployedBundle> {
  const root = mkdtempSync(join(tmpdir(), `outrigger-${name}-`));
  chmodSync(root, 0o755);
  const [task, runtime] = [join(root, "task"), join(root, "runtime")];
  for (const folder of [task, runtime]) mkdirSync(folder);
  const { handler, bytes } = await fill(task);
  const [node, bootstrap] = [join(runtime, "node"), join(runtime, "bootstrap.mjs")];
  copyFileSync(join(import.meta.dirname, "bootstrap.mjs"), bootstrap);
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  return { task, handler, node, bootstrap, bytes, remove: () => rmSync(root, { recursive: true, force: true }) };
}
