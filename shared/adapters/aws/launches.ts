import { CreateFleetCommand, type EC2Client } from "@aws-sdk/client-ec2";
import type { LaunchInstance } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Outcome } from "#core/outcome.ts";
import type { Clock } from "#ports/clock.ts";
import { faultOf, isMissingLaunchTemplate } from "./fault-table.ts";
import { type FleetAnswer, readFleetAnswer } from "./fleet-answer.ts";
import { fleetRequest } from "./fleet-request.ts";
import { LaunchPace } from "./launch-pace.ts";
import { withReason } from "./launch-reason.ts";
import type { LaunchTemplates } from "./launch-templates.ts";

/** Kinds that a launch answers as they are; any other refusal of the request is one that a person must mend. */
const plainKinds: readonly Fault["kind"][] = [
  "throttled",
  "unavailable",
  "forbidden",
  "insufficient-capacity",
  "token-mismatch",
  "token-instance-terminated",
];

/** Instances, one CreateFleet each, in the order asked for. A call is never repeated here, its template apart. */
export class Launches {
  readonly #ec2: EC2Client;
  readonly #templates: LaunchTemplates;
  readonly #clock: Clock;
  readonly #pace: LaunchPace;

  constructor(ec2: EC2Client, templates: LaunchTemplates, clock: Clock) {
    this.#ec2 = ec2;
    this.#templates = templates;
    this.#clock = clock;
    this.#pace = new LaunchPace(clock);
  }

  async launch(command: LaunchInstance): Promise<Outcome> {
    await this.#pace.turn();
    const answer = await this.#ask(command);
    if (answer.kind !== "template-missing") return outcomeOf(answer);
    // Somebody deleted it after it was ensured. The refused request has not used its token.
    const names = [...new Set(command.options.map(({ launchTemplate = "" }) => launchTemplate))];
    if (!(await this.#templates.recreate(names))) return outcomeOf(answer);
    await this.#pace.turn();
    return outcomeOf(await this.#ask(command));
  }

  async #ask(command: LaunchInstance): Promise<FleetAnswer> {
    try {
      const answer = await this.#ec2.send(new CreateFleetCommand(fleetRequest(command)));
      const imageOf = (name: string): string | undefined => this.#templates.imageOf(name);
      return readFleetAnswer(command, answer, this.#clock.nowMs(), imageOf);
    } catch (error) {
      const fault = faultOf(error);
      if (fault.kind === "throttled") this.#pace.throttled();
      if (isMissingLaunchTemplate(fault.code)) return { kind: "template-missing" };
      const told = plainKinds.includes(fault.kind) ? fault : { ...fault, kind: "launch-refused" as const };
      return { kind: "failed", fault: withReason(told) };
    }
  }
}

function outcomeOf(answer: FleetAnswer): Outcome {
  switch (answer.kind) {
    case "launched": {
      const { instance, refused, fullSubnets } = answer;
      return {
        ...{ kind: "done", instance },
        ...(refused.length === 0 ? {} : { refused }),
        ...(fullSubnets.length === 0 ? {} : { fullSubnets }),
      };
    }
    case "template-missing":
      return {
        kind: "failed",
        fault: {
          kind: "launch-refused",
          code: "InvalidLaunchTemplateName.NotFoundException",
          reason: "LaunchTemplateNotFound",
          message: "a launch template of the request does not exist",
        },
      };
    case "failed":
      return answer;
  }
}
