import type { AwsAccess } from "./clients.ts";
import { faultOf } from "./fault-table.ts";

/** Long enough to hand an event over, short enough for a function that has more to do, ms. */
const wakeMsMax = 3_000;

/**
 * Has a function run, now, without waiting for it. Answers why that was impossible. The client is loaded only here: most
 * batches wake nobody.
 */
export async function wakeFunction(access: AwsAccess, name: string): Promise<string | undefined> {
  const { region, endpoint, credentials } = access;
  const { InvokeCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: wakeMsMax, requestTimeout: wakeMsMax, throwOnRequestTimeout: true },
  });
  try {
    await client.send(new InvokeCommand({ FunctionName: name, InvocationType: "Event", Payload: "{}" }));
    return undefined;
  } catch (error) {
    const { code, message } = faultOf(error);
    return `${code}: ${message}`;
  } finally {
    client.destroy();
  }
}
