/** The shapes of Kubernetes' names, on top of its rules for them. */
import { dnsLabelProblem, dnsSubdomainProblem, labelKeyProblem, labelValueProblem } from "../qualified-name.ts";
import { text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";

export { dnsSubdomainProblem, labelKeyProblem };

export const labelKey: Shape<string> = text({ wrong: labelKeyProblem });
export const labelValue: Shape<string> = text({ wrong: labelValueProblem });
export const dnsLabel: Shape<string> = text({ wrong: dnsLabelProblem });
