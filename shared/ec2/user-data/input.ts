/** Karpenter counterpart: pkg/providers/amifamily/bootstrap/bootstrap.go, Options. It differs: plain data. */
import type { AmiFamily, KubeletConfiguration } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Bootstrap } from "#core/command.ts";
import type { ClusterFacts } from "../view.ts";

/** All that user data is made of. */
export interface UserDataInput {
  readonly family: AmiFamily;
  readonly bootstrap: Bootstrap;
  readonly cluster: ClusterFacts;
  readonly kubelet: KubeletConfiguration;
  /** spec.userData. */
  readonly custom: string;
  /** The node joins only after all scripts of the user have succeeded. */
  readonly joinsAfterScripts?: true;
  /** Of the Bottlerocket image, where it is known: "1.46.0". */
  readonly imageVersion?: string;
}
