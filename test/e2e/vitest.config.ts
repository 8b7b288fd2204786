import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Tests against a real control plane; `npm run test:e2e` brings it. */
const config = defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/e2e/**/*.e2e.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Each file has a control plane of its own, some 600 MB: one after the other.
    fileParallelism: false,
    allowOnly: false,
  },
});

// vitest reads its configuration from the default export.
// biome-ignore lint/style/noDefaultExport: see above
export default config;
