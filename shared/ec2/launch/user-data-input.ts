/**
 * Karpenter counterpart: pkg/providers/amifamily/resolver.go, what it hands to the bootstrappers. No difference, except
 * that a Bottlerocket image whose version is not known is taken for an old one in every case.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { joinAfterScriptsAnnotation } from "#api/outrigger-names.ts";
import type { Bootstrap } from "#core/command.ts";
import { isLeftOut } from "#core/recording/left-out-text.ts";
import { aliasOf, amiFamilyOf } from "../node-class/ami-alias.ts";
import type { UserDataInput } from "../user-data/input.ts";
import type { ClusterFacts } from "../view.ts";

export function userDataInput(
  nodeClass: EC2NodeClass,
  bootstrap: Bootstrap,
  cluster: ClusterFacts,
  imageId: string | undefined,
): UserDataInput {
  const { spec } = nodeClass;
  const { userData: custom = "" } = spec;
  const imageVersion = bottlerocketVersion(nodeClass, imageId);
  return {
    family: amiFamilyOf(spec),
    bootstrap,
    cluster,
    kubelet: spec.kubelet ?? {},
    ...(nodeClass.metadata.annotations?.[joinAfterScriptsAnnotation] === "true" ? { joinsAfterScripts: true } : {}),
    // In a recording: nothing is known of it but that it was taken.
    custom: isLeftOut(custom) ? "" : custom,
    ...(imageVersion === undefined ? {} : { imageVersion }),
  };
}

/** The alias's version, else the one in the image's name: bottlerocket-aws-k8s-1.32-x86_64-v1.46.0-c2f5e1. */
function bottlerocketVersion({ spec, status }: EC2NodeClass, imageId: string | undefined): string | undefined {
  const alias = aliasOf(spec);
  if (alias !== undefined) return alias.version;
  const name = (status?.amis ?? []).find(({ id }) => id === imageId)?.name ?? "";
  return /-v(\d+\.\d+\.\d+)/.exec(name)?.[1];
}
