/** What the API server checks and fills in on the objects that make pods. */
import { compileSelector } from "../label-selector.ts";
import { defaulted, type Fields, object, optional, required } from "../shape/object.ts";
import { integer, maxInt32 } from "../shape/scalar.ts";
import { adjusted, checked, type Rule, type Shape } from "../shape/shape.ts";
import {
  daemonSetSpecFields,
  deploymentSpecFields,
  jobSpecFields,
  replicaSetSpecFields,
  statefulSetSpecFields,
} from "./field-names.ts";
import type { LabelSelector } from "./meta.ts";
import { labelSelector, namespacedObject } from "./meta-validation.ts";
import type { PodTemplateSpec } from "./pod.ts";
import { podTemplate } from "./pod-validation.ts";
import type { DaemonSet, Deployment, Job, ReplicaSet, StatefulSet } from "./workload.ts";

const count = integer(0, maxInt32);

interface Selecting {
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
}

/** A controller that does not select its own pods would make them without end. */
const selectsItsPods: Rule<Selecting> = ({ selector, template }, note) => {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) {
    note("must select something; an empty selector would select all pods", "selector");
  } else if (!compileSelector(selector)(template.metadata?.labels ?? {})) {
    note("must have the labels that spec.selector asks for", "template", "metadata", "labels");
  }
};

const runsForEver: Rule<{ readonly template: PodTemplateSpec }> = ({ template }, note) => {
  if (template.spec.restartPolicy === "Always") return;
  note(
    `must be Always here; got ${template.spec.restartPolicy}. Pods that end belong to a Job`,
    "template",
    "spec",
    "restartPolicy",
  );
};

const selecting: Fields<Selecting> = { selector: required(labelSelector), template: required(podTemplate) };
const rules = [selectsItsPods, runsForEver];

function replicated(others: readonly string[]): Shape<Deployment> {
  return object<Deployment>(
    {
      ...namespacedObject,
      spec: required(object<Deployment["spec"]>({ replicas: defaulted(count, 1), ...selecting }, { rules, others })),
      status: optional(
        object<NonNullable<Deployment["status"]>>({ replicas: optional(count), readyReplicas: optional(count) }),
      ),
    },
    { others: [] },
  );
}

export const deployment: Shape<Deployment> = replicated(deploymentSpecFields);
export const replicaSet: Shape<ReplicaSet> = replicated(replicaSetSpecFields);
export const statefulSet: Shape<StatefulSet> = replicated(statefulSetSpecFields);

export const daemonSet: Shape<DaemonSet> = object<DaemonSet>(
  {
    ...namespacedObject,
    spec: required(object<DaemonSet["spec"]>(selecting, { rules, others: daemonSetSpecFields })),
  },
  { others: ["status"] },
);

const ends: Rule<Job["spec"]> = ({ template }, note) => {
  if (template.spec.restartPolicy !== "Always") return;
  note("must be OnFailure or Never in a Job (absent means Always)", "template", "spec", "restartPolicy");
};

/** Kubernetes: one pod; with only completions given, one at a time; with only parallelism given, a work queue. */
function withCounts(spec: Job["spec"]): Job["spec"] {
  if (spec.parallelism !== undefined) return spec;
  return { ...spec, completions: spec.completions ?? 1, parallelism: 1 };
}

const jobSpec: Shape<Job["spec"]> = adjusted(
  checked(
    object<Job["spec"]>(
      {
        parallelism: optional(count),
        completions: optional(count),
        template: required(podTemplate),
      },
      { others: jobSpecFields },
    ),
    ends,
  ),
  withCounts,
);

export const job: Shape<Job> = object<Job>(
  {
    ...namespacedObject,
    spec: required(jobSpec),
    status: optional(object<NonNullable<Job["status"]>>({ active: optional(count), succeeded: optional(count) })),
  },
  { others: [] },
);
