/**
 * `npm run test:e2e [FILTER…]`: the tests against a real control plane. Without Go there is none, and one line says so.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { controlPlaneBinary } from "../support/control-plane/binary.ts";

const binary = await controlPlaneBinary();
if (binary.kind === "missing") {
  process.stdout.write(`test:e2e skipped: ${binary.why}\n`);
} else {
  const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const vitest = path("../../node_modules/vitest/vitest.mjs");
  const flags = ["run", "--config", path("vitest.config.ts"), ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...flags], {
    stdio: "inherit",
    env: { ...process.env, OUTRIGGER_CONTROL_PLANE: binary.path },
  });
  child.once("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
