import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";
import type { ControlPlaneOptions } from "../../support/control-plane/control-plane.ts";
import { freePorts } from "../../support/control-plane/free-ports.ts";
import { type RealCluster, startRealCluster } from "./real-cluster.ts";
import { StandInSts } from "./stand-in-sts.ts";
import { TokenReview, tokenReviewFlags } from "./token-review.ts";

export const account = "123456789012";

/** A real cluster that knows its callers as EKS does: by a presigned call that a stand-in for STS answers. */
export interface SignedInCluster {
  readonly real: RealCluster;
  readonly review: TokenReview;
  readonly sts: StandInSts;
  /** The keys of a session of a role: whoever signs with them is that role. */
  readonly knowKeys: (identity: AwsIdentity, role: string) => void;
  readonly stop: () => Promise<void>;
}

/** `isBare`: without Outrigger's CRDs and roles. */
export async function startSignedInCluster(
  clusterName: string,
  options: ControlPlaneOptions = {},
  isBare = false,
): Promise<SignedInCluster> {
  const [port = 0] = await freePorts(1);
  const real = await startRealCluster(
    {
      ...options,
      apiServerFlags: (directories) => [
        ...tokenReviewFlags(directories.root, `${directories.pki}/ca.crt`, port),
        ...(options.apiServerFlags?.(directories) ?? []),
      ],
    },
    isBare,
  );
  const { pem } = real.controlPlane;
  const sts = await StandInSts.start();
  const certificate = { key: pem("webhook.key"), cert: pem("webhook.crt") };
  const review = await TokenReview.start(clusterName, port, certificate, sts.port);
  return {
    ...{ real, review, sts },
    knowKeys: (identity, role) => {
      sts.signers.push({ identity, arn: `arn:aws:sts::${account}:assumed-role/${role}/session` });
    },
    stop: async () => {
      review.stop();
      sts.stop();
      await real.stop();
    },
  };
}

/** The access entry of a role. */
export function entryOf(role: string, groups: readonly string[]) {
  return { principalArn: `arn:aws:iam::${account}:role/${role}`, groups };
}
