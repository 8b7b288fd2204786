/** Karpenter counterpart: the build numbers of pkg/apis/v1/labels.go of its AWS provider. No difference. */
import type { AmiFamily } from "#api/ec2-v1/ec2nodeclass.ts";

const builds: Partial<Readonly<Record<AmiFamily, string>>> = {
  Windows2019: "10.0.17763",
  Windows2022: "10.0.20348",
  Windows2025: "10.0.26100",
};

/** The value of node.kubernetes.io/windows-build; undefined for Linux families. */
export function windowsBuildOf(family: AmiFamily): string | undefined {
  return builds[family];
}
