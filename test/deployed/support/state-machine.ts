/** Step Functions as far as the CDK's waiter uses it: tasks that run a function, with retries and a way out. */
interface Task {
  readonly Type: "Task";
  /** ARN of the function. */
  readonly Resource: string;
  readonly Retry?: readonly {
    readonly IntervalSeconds: number;
    readonly MaxAttempts: number;
    readonly BackoffRate: number;
  }[];
  readonly Catch?: readonly { readonly Next: string }[];
  readonly Next?: string;
}

interface Machine {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, Task>>;
}

export type TaskOutcome =
  | { readonly kind: "answered"; readonly answer: unknown }
  | { readonly kind: "failed"; readonly error: string; readonly cause: string };

const statesMax = 10;

/** Runs it to its end; a task that fails for good and has no way out ends it too. */
export async function runStateMachine(
  definition: string,
  input: unknown,
  runTask: (functionArn: string, input: unknown) => Promise<TaskOutcome>,
  sleep: (ms: number) => Promise<void>,
): Promise<TaskOutcome> {
  const machine = JSON.parse(definition) as Machine;
  let [name, given]: [string | undefined, unknown] = [machine.StartAt, input];
  let outcome: TaskOutcome = { kind: "answered", answer: input };
  for (let state = 0; state < statesMax && name !== undefined; state++) {
    const task: Task | undefined = machine.States[name];
    if (task?.Type !== "Task") throw new Error(`state ${name}: only tasks are known here`);
    outcome = await runWithRetries(task, given, runTask, sleep);
    if (outcome.kind === "answered") [name, given] = [task.Next, outcome.answer];
    else [name, given] = [task.Catch?.[0]?.Next, { Error: outcome.error, Cause: outcome.cause }];
  }
  return outcome;
}

async function runWithRetries(
  task: Task,
  input: unknown,
  runTask: (functionArn: string, input: unknown) => Promise<TaskOutcome>,
  sleep: (ms: number) => Promise<void>,
): Promise<TaskOutcome> {
  const { IntervalSeconds = 0, MaxAttempts = 0, BackoffRate = 1 } = task.Retry?.[0] ?? {};
  for (let attempt = 0; ; attempt++) {
    const outcome = await runTask(task.Resource, input);
    if (outcome.kind === "answered" || attempt >= MaxAttempts) return outcome;
    await sleep(IntervalSeconds * BackoffRate ** attempt * 1_000);
  }
}
