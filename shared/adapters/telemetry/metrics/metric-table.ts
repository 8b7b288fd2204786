/** What a metric is. `buckets`: upper bounds of a histogram, the one without bound apart. */
export interface Metric {
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly help: string;
  readonly buckets?: readonly number[];
}

const steps = (first: number, last: number, by: number): readonly number[] =>
  Array.from({ length: Math.round((last - first) / by) + 1 }, (_, step) => Number((first + step * by).toFixed(3)));
/** Karpenter: DurationBuckets, seconds. */
const durationBuckets = [
  ...[0.005, 0.01, 0.025, 0.05, ...steps(0.1, 0.5, 0.05), ...steps(0.6, 1, 0.1), 1.25, 1.5, 1.75],
  ...[...steps(2, 5, 0.5), ...steps(6, 10, 1), 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600],
];
/** Of what is ours alone there are many series: as few bounds as tell apart what matters. */
const ownBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150];
const doublingTo = (last: number): readonly number[] =>
  Array.from({ length: Math.log2(last) + 1 }, (_, power) => 2 ** power);
const [hour, day] = [3_600, 86_400];
const lifetimeBuckets = [900, 1_800, hour, 2 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 30 * day];

const counter = (help: string): Metric => ({ type: "counter", help });
const gauge = (help: string): Metric => ({ type: "gauge", help });
const histogram = (help: string, buckets: readonly number[]): Metric => ({ type: "histogram", help, buckets });
const summary = (help: string): Metric => ({ type: "summary", help });
/** operatorpkg: of conditions and of what is on its way out. */
const transitionBuckets = Array.from({ length: 15 }, (_, power) => 0.5 * 2 ** power);
const transition = (help: string): Metric => histogram(help, transitionBuckets);

/**
 * Every metric that can be had, by its name. Karpenter: the metrics page of its docs. Those of its own machinery
 * (workqueues, client-go, the SDK, its batchers, its state cache in memory) have nothing here that they could count.
 */
export const metricTable: Readonly<Record<string, Metric>> = {
  karpenter_build_info: gauge("1, with the version"),
  karpenter_nodeclaims_created_total: counter("NodeClaims created"),
  karpenter_nodeclaims_terminated_total: counter("NodeClaims whose instance is gone"),
  karpenter_nodeclaims_disrupted_total: counter("NodeClaims deleted, by cause"),
  karpenter_nodeclaims_termination_duration_seconds: histogram("From deletion to the end", doublingTo(2_048)),
  karpenter_nodeclaims_instance_termination_duration_seconds: histogram(
    "From the call that ends the instance to its end",
    doublingTo(1_024),
  ),
  karpenter_nodes_created_total: counter("Nodes registered"),
  karpenter_nodes_terminated_total: counter("Nodes whose instance is gone"),
  karpenter_nodes_drained_total: counter("Nodes that have let their last pod go"),
  karpenter_nodes_lifetime_duration_seconds: histogram("From creation to the end", lifetimeBuckets),
  karpenter_nodes_termination_duration_seconds: summary("From a node's deletion to its end"),
  karpenter_nodes_allocatable: gauge("Allocatable resources by node"),
  karpenter_nodes_total_pod_requests: gauge("Requests of the pods on a node, daemons apart"),
  karpenter_nodes_total_daemon_requests: gauge("Requests of the daemons on a node"),
  karpenter_nodes_total_pod_limits: gauge("Limits of the pods on a node, daemons apart"),
  karpenter_nodes_total_daemon_limits: gauge("Limits of the daemons on a node"),
  karpenter_nodes_system_overhead: gauge("Capacity that is not allocatable"),
  karpenter_nodes_current_lifetime_seconds: gauge("Age of a node"),
  karpenter_cluster_utilization_percent: gauge("Requests over allocatable"),
  karpenter_nodepools_limit: gauge("Limits of a NodePool"),
  karpenter_nodepools_usage: gauge("What a NodePool has"),
  karpenter_nodepools_cost_total: gauge("Price of a NodePool's nodes, US dollars an hour"),
  karpenter_nodepools_allowed_disruptions: gauge("How many nodes the budgets allow to be disrupted at a time"),
  karpenter_voluntary_disruption_decisions_total: counter("Nodes disrupted, by reason"),
  karpenter_voluntary_disruption_decisions_by_nodepool_total: counter("Nodes disrupted, by reason and NodePool"),
  karpenter_voluntary_disruption_decision_evaluation_duration_seconds: histogram(
    "Time that a disruption method takes to decide",
    durationBuckets,
  ),
  karpenter_scheduler_scheduling_duration_seconds: histogram("Time of one scheduling run", durationBuckets),
  karpenter_scheduler_queue_depth: gauge("Pods that were to be placed"),
  karpenter_scheduler_ignored_pods_count: gauge("Pods that are not ours to place"),
  karpenter_scheduler_unschedulable_pods_count: gauge("Pods without a place"),
  karpenter_pods_state: gauge("1 for each pod"),
  karpenter_pods_unbound_time_seconds: gauge("How long a pod has had no node"),
  karpenter_pods_unstarted_time_seconds: gauge("How long a pod has not started"),
  karpenter_pods_bound_duration_seconds: histogram("From a pod's creation to its node", durationBuckets),
  karpenter_pods_startup_duration_seconds: summary("From a pod's creation to its being ready"),
  karpenter_pods_provisioning_bound_duration_seconds: histogram(
    "From the first decision for a pod to its node",
    durationBuckets,
  ),
  karpenter_pods_provisioning_startup_duration_seconds: histogram(
    "From the first decision for a pod to its being ready",
    durationBuckets,
  ),
  karpenter_pods_eviction_requests_total: counter("Evictions asked for, by answer"),
  karpenter_cluster_state_node_count: gauge("Nodes in the cluster"),
  karpenter_cluster_state_synced: gauge("1: each look is complete or none"),
  karpenter_cluster_state_unsynced_time_seconds: gauge("0: a look that is not complete is none"),
  karpenter_cloudprovider_errors_total: counter("Calls to the cloud that failed"),
  karpenter_cloudprovider_instance_launch_failures_total: counter("Offerings that a launch was refused"),
  karpenter_cloudprovider_instance_termination_failures_total: counter("Terminations that failed"),
  karpenter_interruption_received_messages_total: counter("Messages of the queue, by kind"),
  karpenter_interruption_deleted_messages_total: counter("Messages of the queue that were acknowledged"),
  karpenter_interruption_message_queue_duration_seconds: histogram(
    "From a message's time to its being handled",
    durationBuckets,
  ),
  operator_nodeclaim_status_condition_count: gauge("1 for each condition of each NodeClaim"),
  operator_nodepool_status_condition_count: gauge("1 for each condition of each NodePool"),
  operator_ec2nodeclass_status_condition_count: gauge("1 for each condition of each EC2NodeClass"),
  operator_nodeclaim_status_condition_current_status_seconds: gauge("How long the condition has been so"),
  operator_nodepool_status_condition_current_status_seconds: gauge("How long the condition has been so"),
  operator_ec2nodeclass_status_condition_current_status_seconds: gauge("How long the condition has been so"),
  operator_nodeclaim_status_condition_transitions_total: counter("Conditions that changed, by type and status"),
  operator_nodepool_status_condition_transitions_total: counter("Conditions that changed, by type and status"),
  operator_ec2nodeclass_status_condition_transitions_total: counter("Conditions that changed, by type and status"),
  operator_nodeclaim_status_condition_transition_seconds: transition("How long a condition was as it had been"),
  operator_nodepool_status_condition_transition_seconds: transition("How long a condition was as it had been"),
  operator_ec2nodeclass_status_condition_transition_seconds: transition("How long a condition was as it had been"),
  operator_nodeclaim_termination_duration_seconds: transition("From an object's deletion to its end"),
  operator_node_termination_duration_seconds: transition("From an object's deletion to its end"),
  operator_nodeclaim_termination_current_time_seconds: gauge("How long the object has been on its way out"),
  operator_nodepool_termination_current_time_seconds: gauge("How long the object has been on its way out"),
  operator_ec2nodeclass_termination_current_time_seconds: gauge("How long the object has been on its way out"),
  operator_node_termination_current_time_seconds: gauge("How long the object has been on its way out"),
  outrigger_tick_duration_seconds: histogram("Time of a whole tick", ownBuckets),
  outrigger_phase_duration_seconds: histogram("Time of the looks and of each stage", ownBuckets),
  outrigger_ticks_cut_short_total: counter("Ticks that did not run to their end, by cause"),
};
