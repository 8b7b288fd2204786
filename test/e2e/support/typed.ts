import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../cli/outrigger.mjs", import.meta.url));

export interface Typed {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** A command of the documentation, as a person types it, on the cluster of this kubeconfig. */
export function typed(command: string, kubeconfig: string, env: NodeJS.ProcessEnv = {}): Promise<Typed> {
  const words = command.replace("npx outrigger ", "").replace("~/.kube/config", kubeconfig).split(" ");
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const texts = { out: "", error: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      texts.out += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      texts.error += chunk.toString("utf8");
    });
    child.once("close", (code) => resolve({ code, ...texts }));
  });
}
