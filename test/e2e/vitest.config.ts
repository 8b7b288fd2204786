import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const shared = {
  testTimeout: 400_000,
  hookTimeout: 300_000,
  allowOnly: false,
};
/** What is measured has the machine to itself. */
const measured = ["test/e2e/{large-cluster,reaction}.e2e.ts"];

/** Tests against a real control plane; `npm run test:e2e` brings it. Each file has one of its own, some 600 MB. */
const config = defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: "figures",
          include: measured,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: "behaviour",
          include: ["test/e2e/**/*.e2e.ts"],
          exclude: measured,
          // They wait most of the time; more at once would only wait for each other.
          maxWorkers: 3,
          maxConcurrency: 20,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

// vitest reads its configuration from the default export.
// biome-ignore lint/style/noDefaultExport: see above
export default config;
