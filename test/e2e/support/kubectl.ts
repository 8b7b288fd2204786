import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** kubectl, built from the same modules as the control plane; answers what it prints, rejects when it fails. */
export async function kubectl(kubeconfig: string, ...words: readonly string[]): Promise<string> {
  const binary = process.env.OUTRIGGER_CONTROL_PLANE ?? "";
  const { stdout } = await run(binary, ["kubectl", "--kubeconfig", kubeconfig, ...words]);
  return stdout;
}
