import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["shared/**/*.test.ts", "lambdas/**/*.test.ts", "cli/**/*.test.ts", "test/**/*.test.ts"],
    // Against the stand-in for AWS: `npm run test:aws`.
    exclude: ["**/node_modules/**", "test/aws/**"],
    // A defect that only shows under load is a defect; a machine with two busy cores is not.
    // A guard against what hangs, on a machine that is busy with other things.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Nothing of one file may reach another.
    isolate: true,
    allowOnly: false,
  },
});
