// What Lambda's Node runtime does with a bundle: imports the handler, asks for invocations one after the other, and tells
// what became of each. Plain JavaScript beside the bundle, run as another user; it measures itself, since nobody else can.
import { existsSync } from "node:fs";
import { request } from "node:http";

const api = process.env.AWS_LAMBDA_RUNTIME_API;
const [host, port] = api.split(":");

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const { user, system } = process.cpuUsage();
    const { maxRSS } = process.resourceUsage();
    const headers = { "x-cpu-us": String(user + system), "x-max-rss-kb": String(maxRSS) };
    const outgoing = request(
      { host, port, method, path: `/2018-06-01/runtime/${path}`, headers, agent: false },
      (answer) => {
        const chunks = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.once("end", () => resolve({ headers: answer.headers, body: Buffer.concat(chunks).toString("utf8") }));
      },
    );
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function errorOf(error) {
  return JSON.stringify({
    errorType: error?.name ?? "Error",
    errorMessage: String(error?.message ?? error),
    trace: String(error?.stack ?? ""),
  });
}

/** CloudFormation takes answers by https, on the port of that; here it is somebody else on this machine who does. */
async function bringAnswersTo(address) {
  const { default: https } = await import("node:https");
  const { syncBuiltinESMExports } = await import("node:module");
  const { hostname, port } = new URL(address);
  const toAnybody = https.request;
  https.request = (options, ...more) =>
    options.hostname === "cloudformation.invalid"
      ? request({ ...options, hostname, port }, ...more)
      : toAnybody(options, ...more);
  syncBuiltinESMExports();
}

const [file, name] = process.env._HANDLER.split(".");
let handler;
try {
  if (process.env.CLOUDFORMATION_ENDPOINT) await bringAnswersTo(process.env.CLOUDFORMATION_ENDPOINT);
  const entry = `${process.env.LAMBDA_TASK_ROOT}/${file}`;
  const module = await import(existsSync(`${entry}.mjs`) ? `${entry}.mjs` : `${entry}.js`);
  handler = module[name] ?? module.default[name];
} catch (error) {
  await call("POST", "init/error", errorOf(error));
  process.exit(1);
}

for (;;) {
  const { headers, body } = await call("GET", "invocation/next");
  const id = headers["lambda-runtime-aws-request-id"];
  const deadlineMs = Number(headers["lambda-runtime-deadline-ms"]);
  const context = {
    awsRequestId: id,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: "$LATEST",
    invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
  try {
    const answer = await handler(JSON.parse(body), context);
    await call("POST", `invocation/${id}/response`, JSON.stringify(answer ?? null));
  } catch (error) {
    await call("POST", `invocation/${id}/error`, errorOf(error));
  }
}
