import type { Fault } from "#core/fault.ts";

/** Karpenter's words for why a launch failed, on the condition Launched and in metrics; the first that fits counts. */
const reasons: readonly { readonly reason: string; readonly code?: RegExp; readonly message?: RegExp }[] = [
  { reason: "SpotSLRCreationFailed", code: /ServiceLinkedRoleCreationNotPermitted/ },
  {
    reason: "AMIAuthorizationFailure",
    code: /^(UnauthorizedOperation|AccessDenied|AuthFailure)/,
    message: /\bimages?\b|\bami-/i,
  },
  { reason: "Unauthorized", code: /^(UnauthorizedOperation|AccessDenied|AuthFailure)/ },
  { reason: "SecurityGroupSubnetVPCMismatch", code: /^InvalidParameter/, message: /different networks/ },
  { reason: "InstanceProfileNameInvalid", message: /iamInstanceProfile\.name/i },
  { reason: "LaunchTemplateNotFound", code: /^InvalidLaunchTemplate(Id|Name)\.NotFound/ },
  { reason: "UserDataSizeLimitExceeded", message: /user ?data/i, code: /^(InvalidParameterValue|InvalidUserData)/ },
  { reason: "InvalidAMIID", code: /^InvalidAMIID\.Malformed/ },
  { reason: "AMINotFound", code: /^InvalidAMIID\.NotFound/ },
  { reason: "FreeTierIneligible", message: /Free Tier/i },
  { reason: "FleetQuotaExceeded", code: /^MaxFleetCountExceeded/ },
  { reason: "AccountPendingVerification", code: /^PendingVerification/ },
  { reason: "SpotQuotaExceeded", code: /^MaxSpotInstanceCountExceeded/ },
  { reason: "VCPULimitExceeded", code: /^VcpuLimitExceeded/ },
];

/** The fault with Karpenter's word for it, where there is one; elsewhere its code is the word. */
export function withReason(fault: Fault): Fault {
  const found = reasons.find(
    ({ code, message }) => (code?.test(fault.code) ?? true) && (message?.test(fault.message) ?? true),
  );
  return found === undefined ? fault : { ...fault, reason: found.reason };
}
