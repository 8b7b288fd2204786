/**
 * `npm run test:deployed`: a deployment's life on this machine. It needs Go for the control plane and Python for the
 * stand-in for AWS; where one is missing, a line says so.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureEnvironment } from "../support/aws/environment.ts";
import { controlPlaneBinary } from "../support/control-plane/binary.ts";

const [binary, environment] = [await controlPlaneBinary(), ensureEnvironment(console.log)];
if (binary.kind === "missing" || environment.kind === "missing") {
  const why = [binary, environment].flatMap((part) => (part.kind === "missing" ? [part.why] : []));
  console.log(`test:deployed skipped: ${why.join("; ")}`);
} else {
  const vitest = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const flags = ["run", "--config", join(import.meta.dirname, "vitest.config.ts"), ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...flags], {
    stdio: "inherit",
    env: { ...process.env, OUTRIGGER_CONTROL_PLANE: binary.path },
  });
  child.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
