import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

/** The functions that are deployed, by the folder of their handler. */
export const functionNames = ["reconcile", "interruption", "catalog", "setup", "conversion"] as const;
export type FunctionName = (typeof functionNames)[number];

export interface Bundle {
  /** What Lambda gets: `handler.mjs` and the parts that it loads only when they are needed. */
  readonly directory: string;
  /** Lambda's name of the entry. */
  readonly handler: "handler.handler";
  readonly bytes: number;
}

const root = join(import.meta.dirname, "..");

/** Node's own `require`, for what of the SDK still asks for it. */
const requireBanner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * The SDK describes each shape of a service by an array at the top of one file, thousands of them. Their computed keys
 * keep the bundler from seeing that making them has no effect, so that all would stay; as a pure call an unused one goes.
 * It halves the bundle and the time to load it.
 */
const dropUnusedShapes: Plugin = {
  name: "drop-unused-shapes",
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk[/\\]client-[\w-]+[/\\]dist-es[/\\]schemas[/\\]schemas_\d+\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(
        /^((?:export )?var [\w$]+ = )(\[[\s\S]*?\]);$/gm,
        "$1/* @__PURE__ */ (() => $2)();",
      ),
    }));
  },
};

/**
 * One function with everything it needs, the SDK too: what the runtime brings is another version each month, and slower
 * to load. Parts that are imported on demand are files of their own, read when they are needed.
 */
export async function bundleFunction(name: FunctionName, into: string): Promise<Bundle> {
  mkdirSync(into, { recursive: true });
  const { metafile } = await build({
    plugins: [dropUnusedShapes],
    absWorkingDir: root,
    entryPoints: { handler: `lambdas/${name}/handler.ts` },
    outdir: into,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    minify: true,
    legalComments: "none",
    mainFields: ["module", "main"],
    banner: { js: requireBanner },
    metafile: true,
    logLevel: "silent",
  });
  // What is installed into the cluster, beside the code that installs it.
  if (name === "setup") cpSync(join(root, "shared/api/crds"), join(into, "crds"), { recursive: true });
  writeFileSync(join(into, "package.json"), '{ "type": "module" }\n');
  const files = Object.keys(metafile.outputs);
  const bytes = files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
  return { directory: into, handler: "handler.handler", bytes };
}
