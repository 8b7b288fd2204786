import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** A deployment from its first day to its last, on this machine; `npm run test:deployed` brings what it needs. */
const config = defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/deployed/**/*.deployed.ts"],
    testTimeout: 400_000,
    hookTimeout: 300_000,
    allowOnly: false,
    // Each step begins where the one before ended.
    bail: 1,
  },
});

// vitest reads its configuration from the default export.
// biome-ignore lint/style/noDefaultExport: see above
export default config;
