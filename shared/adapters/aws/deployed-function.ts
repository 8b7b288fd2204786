import type { AwsAccess } from "./clients.ts";
import { faultOf } from "./fault-table.ts";

export type FunctionVariables =
  | { readonly kind: "known"; readonly variables: Readonly<Record<string, string>> }
  /** It does not exist, or may not be read: in words. */
  | { readonly kind: "unknown"; readonly message: string };

/** What a deployed function is told by its environment. */
export async function readFunctionVariables(access: AwsAccess, functionName: string): Promise<FunctionVariables> {
  // Its client takes a while to load, which only this needs.
  const { GetFunctionConfigurationCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(access);
  try {
    const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName: functionName }));
    return { kind: "known", variables: Environment?.Variables ?? {} };
  } catch (error) {
    const { code, message } = faultOf(error);
    return { kind: "unknown", message: `function ${functionName} cannot be read: ${message} (${code})` };
  } finally {
    client.destroy();
  }
}

/** Whether anything is fed to the function, by a mapping that is switched on; a text says why that cannot be seen. */
export async function isFunctionFed(access: AwsAccess, functionName: string): Promise<boolean | string> {
  const { LambdaClient, ListEventSourceMappingsCommand } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(access);
  try {
    const answer = await client.send(new ListEventSourceMappingsCommand({ FunctionName: functionName }));
    return (answer.EventSourceMappings ?? []).some(({ State }) => State === "Enabled");
  } catch (error) {
    const { code, message } = faultOf(error);
    return code === "ResourceNotFoundException" ? false : `function ${functionName}: ${message} (${code})`;
  } finally {
    client.destroy();
  }
}
