/** Karpenter counterpart: the NodePool CRD (schema, defaults, CEL rules). Same answers but for domains, see label-rules. */
import { clusterObject } from "../core-v1/meta-validation.ts";
import { shown } from "../problem.ts";
import { list, map } from "../shape/collection.ts";
import { defaulted, object, optional, required } from "../shape/object.ts";
import { integer, oneOf, text } from "../shape/scalar.ts";
import { checked, type Rule, type Shape } from "../shape/shape.ts";
import { conditions } from "./condition-validation.ts";
import { nodePoolLabelProblem } from "./label-rules.ts";
import type { Budget, NodeClaimTemplate, NodePool } from "./nodepool.ts";
import {
  defaultBudgetNodes,
  defaultBudgets,
  defaultConsolidationPolicy,
  defaultDisruption,
} from "./nodepool-defaults.ts";
import { duration, labelValuePattern, nillableDuration } from "./patterns.ts";
import { requirements } from "./requirement-validation.ts";
import { crdResources } from "./resource-validation.ts";
import { hasScheduleForm } from "./schedule-form.ts";
import { defaultExpireAfter, nodeClassRef, taints } from "./template-validation.ts";

const complete = { complete: true };
const maxLabels = 100;
const maxBudgets = 50;
const maxWeight = 100;

const templateLabels = map(
  text({ max: 63, pattern: labelValuePattern, expects: "a label value: letters, digits, '-', '_' and '.'" }),
  { max: maxLabels, wrongKey: nodePoolLabelProblem },
);

const template: Shape<NodeClaimTemplate> = object<NodeClaimTemplate>(
  {
    metadata: optional(
      object<NonNullable<NodeClaimTemplate["metadata"]>>(
        { labels: optional(templateLabels), annotations: optional(map(text())) },
        complete,
      ),
    ),
    spec: required(
      object<NodeClaimTemplate["spec"]>(
        {
          requirements: required(requirements(nodePoolLabelProblem)),
          nodeClassRef: required(nodeClassRef),
          taints: optional(taints),
          startupTaints: optional(taints),
          terminationGracePeriod: optional(duration),
          expireAfter: defaulted(nillableDuration, defaultExpireAfter),
        },
        complete,
      ),
    ),
  },
  complete,
);

const scheduleForm = 'must be a schedule in UTC such as "0 9 * * mon-fri" or "@daily"';

const schedule: Shape<string> = checked(text(), (written, note) => {
  if (!hasScheduleForm(written)) note(`${scheduleForm}; got ${shown(written)}`);
});

const budget = object<Budget>(
  {
    nodes: defaulted(
      text({ pattern: /^((100|[0-9]{1,2})%|[0-9]+)$/, expects: 'a number of nodes such as "5", or "0%" to "100%"' }),
      defaultBudgetNodes,
    ),
    schedule: optional(schedule),
    duration: optional(
      text({
        pattern: /^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$/,
        expects: "hours and minutes such as 8h, 30m or 1h30m",
      }),
    ),
    reasons: optional(list(oneOf(["Underutilized", "Empty", "Drifted"]), { max: maxBudgets, key: (reason) => reason })),
  },
  complete,
);

const scheduleWithDuration: Rule<readonly Budget[]> = (budgets, note) => {
  budgets.forEach(({ schedule: start, duration: length }, index) => {
    if ((start === undefined) === (length === undefined)) return;
    note(
      `must have schedule and duration, or neither; ${start === undefined ? "schedule" : "duration"} is missing`,
      index,
    );
  });
};

const disruption: Shape<NodePool["spec"]["disruption"]> = object<NodePool["spec"]["disruption"]>(
  {
    consolidateAfter: required(nillableDuration),
    consolidationPolicy: defaulted(
      oneOf(["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]),
      defaultConsolidationPolicy,
    ),
    budgets: defaulted(list(budget, { max: maxBudgets, rules: [scheduleWithDuration] }), defaultBudgets),
  },
  complete,
);

/** Karpenter: a pool of fixed size is not chosen by weight, and only its nodes can be limited. */
const staticCapacity: Rule<NodePool["spec"]> = (spec, note) => {
  if (spec.replicas === undefined) return;
  if (spec.weight !== undefined) note("must not be set together with replicas", "weight");
  const others = Object.keys(spec.limits ?? {}).filter((name) => name !== "nodes");
  if (others.length > 0)
    note(`must have only nodes together with replicas; has ${others.join(", ").slice(0, 60)}`, "limits");
};

const spec: Shape<NodePool["spec"]> = object<NodePool["spec"]>(
  {
    template: required(template),
    disruption: defaulted(disruption, defaultDisruption),
    limits: optional(crdResources),
    weight: optional(integer(1, maxWeight)),
    replicas: optional(integer(0)),
  },
  { ...complete, rules: [staticCapacity] },
);

type Status = NonNullable<NodePool["status"]>;

const status: Shape<Status> = object<Status>({
  resources: optional(crdResources),
  nodes: defaulted(integer(), 0),
  nodeClassObservedGeneration: optional(integer()),
  conditions: optional(conditions),
});

export const nodePool: Shape<NodePool> = object<NodePool>({
  ...clusterObject,
  spec: required(spec),
  status: optional(status),
});

/** Karpenter: the class's name may change, its type may not; a pool does not turn from fixed to dynamic size or back. */
export const nodePoolTransitions: Rule<readonly [NodePool, NodePool]> = ([before, after], note) => {
  const oldRef = before.spec.template.spec.nodeClassRef;
  const newRef = after.spec.template.spec.nodeClassRef;
  for (const field of ["group", "kind"] as const) {
    if (oldRef[field] === newRef[field]) continue;
    note(
      `must stay ${oldRef[field]}: make a new NodePool for another type of node class`,
      "spec",
      "template",
      "spec",
      "nodeClassRef",
      field,
    );
  }
  if ((before.spec.replicas === undefined) === (after.spec.replicas === undefined)) return;
  note("must not be added or removed: make a new NodePool", "spec", "replicas");
};
