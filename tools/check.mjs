// `npm run check`: every check of the project, all of them before failing, and then the names of those that broke.
// `--skip NAME` (repeatable) leaves one out; `--only NAME` runs one. Plain JavaScript that an old Node can read, to say so.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `check needs Node 22.19 or newer, since tests run TypeScript; this is ${process.versions.node}. On Linux x64, \`npm run check\` uses the Node 24 that \`npm ci\` brings.`,
  );
  process.exit(2);
}

const root = join(import.meta.dirname, "..");
const cruised = /(\d+) modules, (\d+) dependencies cruised/;

/** Both compilers are called by path: each claims `.bin/tsc`. `wrong` finds a failure that the exit status hides. */
const checks = [
  { name: "types-7", says: "TypeScript 7", args: ["tsc7/bin/tsc", "-p", "."] },
  { name: "types-7-pure", says: "TypeScript 7, pure folders", args: ["tsc7/bin/tsc", "-p", "shared/tsconfig.pure.json"] },
  { name: "types-6", says: "TypeScript 6", args: ["typescript/bin/tsc", "-p", "."] },
  { name: "types-6-pure", says: "TypeScript 6, pure folders", args: ["typescript/bin/tsc", "-p", "shared/tsconfig.pure.json"] },
  { name: "biome", says: "format and lint", args: ["@biomejs/biome/bin/biome", "check", "--error-on-warnings"] },
  {
    name: "imports",
    says: "import rules",
    args: ["dependency-cruiser/bin/dependency-cruise.mjs", "--config", ".dependency-cruiser.mjs", "shared", "lambdas", "cli", "infra", "test"],
    wrong: (output) =>
      Number(cruised.exec(output)?.[1] ?? 0) > 50 ? undefined : "dependency-cruiser saw next to no modules: it cruised nothing",
  },
  { name: "knip", says: "dead files, exports, dependencies", args: ["knip/bin/knip.js"] },
  { name: "tests", says: "tests", args: ["vitest/vitest.mjs", "run"] },
];

function chosen(words) {
  const names = new Set(checks.map(({ name }) => name));
  const skip = new Set();
  const only = new Set();
  for (let i = 0; i < words.length; i += 2) {
    const set = { "--skip": skip, "--only": only }[words[i]];
    if (set === undefined || !names.has(words[i + 1])) {
      console.error(`check: cannot read "${words.slice(i).join(" ")}"; write --skip or --only and one of ${[...names].join(", ")}`);
      process.exit(2);
    }
    set.add(words[i + 1]);
  }
  return checks.filter(({ name }) => !skip.has(name) && (only.size === 0 || only.has(name)));
}

/** What broke, in a line; undefined when all is well. */
function run({ name, says, args: [script, ...args], wrong }) {
  const startMs = performance.now();
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, [join(root, "node_modules", script), ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  const output = `${stdout ?? ""}${stderr ?? ""}`;
  const problem =
    error?.message ?? (signal !== null ? `ended by ${signal}` : status !== 0 ? `exit status ${status}` : wrong?.(output));
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${problem === undefined ? "ok    " : "BROKEN"}  ${name.padEnd(13)} ${says} (${seconds} s)`);
  if (problem === undefined) return undefined;
  console.log(`${output.trimEnd()}\n`);
  return `${name}: ${problem}`;
}

const broken = chosen(process.argv.slice(2)).flatMap((check) => run(check) ?? []);
if (broken.length > 0) {
  console.error(`\n${broken.length} broken:\n${broken.map((line) => `  ${line}`).join("\n")}`);
  process.exit(1);
}
