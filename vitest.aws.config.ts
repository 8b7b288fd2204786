import { defineConfig } from "vitest/config";

/** Tests against the stand-in for AWS: `npm run test:aws`. Each file starts one of its own. */
export default defineConfig({
  test: {
    include: ["test/aws/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: true,
    allowOnly: false,
    // A stand-in is a process with a thread a call; two of them are enough for a small machine.
    maxWorkers: 2,
  },
});
