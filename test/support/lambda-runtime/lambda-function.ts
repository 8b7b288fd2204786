import { type EnvironmentSettings, ExecutionEnvironment } from "./execution-environment.ts";
import type { InvocationResult } from "./invocation-result.ts";

/** Of Lambda's own sandbox user; nobody here has it. */
const sandboxUserId = 993;

/** A deployed function: an environment for each invocation at a time, kept warm afterwards. */
export class LambdaFunction {
  readonly #settings: EnvironmentSettings;
  readonly #environments: ExecutionEnvironment[] = [];
  /** Every invocation that has ended. */
  readonly results: InvocationResult[] = [];

  /** `asSandbox`: under Lambda's user; code that takes packages of this checkout cannot, which may be closed to others. */
  constructor(settings: Omit<EnvironmentSettings, "userId">, asSandbox = true) {
    // Only root may give a process to another user.
    this.#settings = asSandbox && process.getuid?.() === 0 ? { ...settings, userId: sandboxUserId } : settings;
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    const warm = this.#environments.find((one) => !one.isBusy && !one.isGone);
    const environment = warm ?? (await this.#start());
    const result = await environment.invoke(event);
    this.results.push(result);
    return result;
  }

  /** The next invocation is a cold one. */
  async chill(): Promise<void> {
    await Promise.all(this.#environments.splice(0).map((environment) => environment.stop()));
  }

  async #start(): Promise<ExecutionEnvironment> {
    const environment = await ExecutionEnvironment.start(this.#settings);
    this.#environments.push(environment);
    return environment;
  }
}
