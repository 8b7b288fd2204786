#!/usr/bin/env node
// Plain JavaScript that any Node reads: the program itself is TypeScript, which only newer ones run.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  const { main } = await import("./outrigger.ts");
  process.exitCode = await main(process.argv.slice(2));
} else {
  console.error(
    `outrigger needs Node 22.19 or newer; this is ${process.versions.node}. On Linux x64, \`npm ci\` brings Node 24 as an optional package and \`npm start\`, \`npx outrigger\` use it; elsewhere install it from https://nodejs.org.`,
  );
  process.exitCode = 2;
}
