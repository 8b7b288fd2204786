/** Names that are Outrigger's own: annotations, state, field manager. */
export const fieldManager = "outrigger";
export const stateNamespace = "kube-system";
export const stateName = "outrigger";

/** On a NodeClaim: which tick and which placement created it; a second create with the same name must carry the same. */
export const decisionAnnotation = "outrigger.dev/decision";
/** On a NodeClaim: the attempt that may be launching now (1, 2, …); written before the launch call. */
export const launchAttemptAnnotation = "outrigger.dev/launch-attempt";
/** On a NodeClaim: when that attempt was recorded, RFC 3339. */
export const launchAttemptTimeAnnotation = "outrigger.dev/launch-attempt-time";
/** On a NodeClaim: digest of the UIDs of its bound, non-daemon pods; a change means a pod event. */
export const podDigestAnnotation = "outrigger.dev/pod-digest";
/** On a NodeClaim: when the spot warning for its instance arrived, RFC 3339. */
export const interruptedAtAnnotation = "outrigger.dev/interrupted-at";
/** On a NodeClaim: digests of the UIDs of the pods for which it was made, so that they cause no second one. */
export const expectedPodsAnnotation = "outrigger.dev/expected-pods";
/** On a replacement NodeClaim: the names of the claims that it replaces, comma separated. */
export const replacesAnnotation = "outrigger.dev/replaces";

/** Instance tags. The cluster's tag and the NodePool's are Karpenter's own names. */
export const nodeClaimTag = "karpenter.sh/nodeclaim";
export const nodeClaimUidTag = "outrigger.dev/nodeclaim-uid";
export const clusterIdentityTag = "outrigger.dev/cluster";
