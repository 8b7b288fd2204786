/** Names that are Outrigger's own: annotations, state, field manager. */
export const fieldManager = "outrigger";
export const stateNamespace = "kube-system";
export const stateName = "outrigger";

/** Every annotation, label and tag of our own begins so. */
export const ownPrefix = "outrigger.dev/";

/** On a NodeClaim: which tick and which placement created it; a second create with the same name must carry the same. */
export const decisionAnnotation = `${ownPrefix}decision`;
/** On a NodeClaim: the attempt that may be launching now (1, 2, …); written before the launch call. */
export const launchAttemptAnnotation = `${ownPrefix}launch-attempt`;
/** On a NodeClaim: when that attempt was recorded, RFC 3339. */
export const launchAttemptTimeAnnotation = `${ownPrefix}launch-attempt-time`;
/** On a NodeClaim: digest of the UIDs of its bound, non-daemon pods; a change means a pod event. */
export const podDigestAnnotation = `${ownPrefix}pod-digest`;
/** On a NodeClaim: when the spot warning for its instance arrived, RFC 3339. */
export const interruptedAtAnnotation = `${ownPrefix}interrupted-at`;
/** On a NodeClaim of a pool that acts on them: when EC2 recommended to rebalance its instance, RFC 3339. */
export const rebalanceAtAnnotation = `${ownPrefix}rebalance-recommended-at`;
/** On a NodePool: "replace" acts on rebalance recommendations; anything else, as its absence, says them only. */
export const onRebalanceAnnotation = `${ownPrefix}on-rebalance`;
/** On a NodeClaim: digests of the UIDs of the pods for which it was made, so that they cause no second one. */
export const expectedPodsAnnotation = `${ownPrefix}expected-pods`;
/** On a replacement NodeClaim: the names of the claims that it replaces, comma separated. */
export const replacesAnnotation = `${ownPrefix}replaces`;

/** On a NodeClaim that takes the place of nodes that are still there: why they go, and how many claims come for them. */
export const disruptionAnnotation = `${ownPrefix}disruption`;

/** On an EC2NodeClass, set by users to "true": its nodes join only after the scripts of its user data have succeeded. */
export const joinAfterScriptsAnnotation = `${ownPrefix}join-after-scripts`;

/** Instance tags. The cluster's tag and the NodePool's are Karpenter's own names. */
export const nodeClaimTag = "karpenter.sh/nodeclaim";
export const nodeClaimUidTag = `${ownPrefix}nodeclaim-uid`;
export const clusterIdentityTag = `${ownPrefix}cluster`;
