import { bundleFunction, functionNames } from "./bundle.ts";

/** `node infra/bundle-command.ts FUNCTION DIRECTORY`: a process of its own, since synthesis cannot wait for a promise. */
const [wanted, directory] = process.argv.slice(2);
const name = functionNames.find((each) => each === wanted);
if (name === undefined || directory === undefined) {
  process.stderr.write(`usage: bundle-command ${functionNames.join("|")} DIRECTORY\n`);
  process.exitCode = 2;
} else {
  await bundleFunction(name, directory);
}
