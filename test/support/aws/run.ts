// `npm run test:aws`: the tests that need AWS, against the stand-in. Without Python they are skipped, in one line.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureEnvironment } from "./environment.ts";

const root = join(import.meta.dirname, "../../..");
const environment = ensureEnvironment(console.log);
if (environment.kind === "missing") {
  console.log(`test:aws skipped: ${environment.why}`);
} else {
  const { status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", "vitest.aws.config.ts", ...process.argv.slice(2)],
    { cwd: root, stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
}
