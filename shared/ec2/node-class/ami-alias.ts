/**
 * Karpenter counterpart: pkg/providers/amifamily/{al2,al2023,bottlerocket,windows}.go, the SSM paths of an alias. No
 * difference in paths or variants.
 */
import type { AmiFamily, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { isAtLeast, minorVersionText } from "./kubernetes-version.ts";

/** Which types an image is for: without devices, with GPUs, with Neuron devices, or Windows. */
export type AmiVariant = "standard" | "nvidia" | "neuron" | "windows";

export interface Alias {
  readonly family: AmiFamily;
  /** "latest" or the image's version: v20240807, v1.20.4. */
  readonly version: string;
}

export interface AliasParameter {
  readonly parameter: string;
  readonly variants: readonly AmiVariant[];
}

const families: ReadonlyMap<string, AmiFamily> = new Map([
  ["al2", "AL2"],
  ["al2023", "AL2023"],
  ["bottlerocket", "Bottlerocket"],
  ["windows2019", "Windows2019"],
  ["windows2022", "Windows2022"],
  ["windows2025", "Windows2025"],
]);

/** The alias that the class selects by; undefined when it selects otherwise or the alias is not one. */
export function aliasOf(spec: EC2NodeClassSpec): Alias | undefined {
  const text = spec.amiSelectorTerms.find(({ alias }) => alias !== undefined)?.alias;
  const match = /^([a-z0-9]+)@(.+)$/i.exec(text ?? "");
  const family = families.get((match?.[1] ?? "").toLowerCase());
  const version = match?.[2];
  return family === undefined || version === undefined ? undefined : { family, version };
}

/** spec.amiFamily, else the alias's, else Custom (validation asks for one of them). */
export function amiFamilyOf(spec: EC2NodeClassSpec): AmiFamily {
  return spec.amiFamily ?? aliasOf(spec)?.family ?? "Custom";
}

/** Why the cluster's version has no image of this family; undefined when it has. */
export function unsupportedAlias(alias: Alias, kubernetesVersion: string): string | undefined {
  const version = minorVersionText(kubernetesVersion);
  if (alias.family === "AL2" && isAtLeast(kubernetesVersion, 1, 33)) {
    return `AL2 images end with Kubernetes 1.32 and the cluster runs ${version}: use al2023 or bottlerocket`;
  }
  if (alias.family === "Windows2025" && !isAtLeast(kubernetesVersion, 1, 35)) {
    return `Windows 2025 images start with Kubernetes 1.35 and the cluster runs ${version}: use windows2022`;
  }
  return undefined;
}

export function aliasParameters(alias: Alias, kubernetesVersion: string): readonly AliasParameter[] {
  if (unsupportedAlias(alias, kubernetesVersion) !== undefined) return [];
  const version = minorVersionText(kubernetesVersion);
  switch (alias.family) {
    case "AL2":
      return al2(alias.version, version);
    case "AL2023":
      return al2023(alias.version, version);
    case "Bottlerocket":
      return bottlerocket(alias.version, version);
    case "Windows2019":
    case "Windows2022":
    case "Windows2025":
      return windows(alias.family.slice("Windows".length), version);
    case "Custom":
      return [];
  }
}

function al2(image: string, kubernetes: string): readonly AliasParameter[] {
  const path = (folder: string, stem: string): string => {
    const name = image === "latest" ? "recommended" : `${stem}-${kubernetes}-${image}`;
    return `/aws/service/eks/optimized-ami/${kubernetes}/${folder}/${name}/image_id`;
  };
  return [
    { parameter: path("amazon-linux-2", "amazon-eks-node"), variants: ["standard"] },
    { parameter: path("amazon-linux-2-arm64", "amazon-eks-arm64-node"), variants: ["standard"] },
    { parameter: path("amazon-linux-2-gpu", "amazon-eks-gpu-node"), variants: ["neuron", "nvidia"] },
  ];
}

function al2023(image: string, kubernetes: string): readonly AliasParameter[] {
  const parameter = (arch: string, variant: AmiVariant): AliasParameter => {
    const name =
      image === "latest" ? "recommended" : `amazon-eks-node-al2023-${arch}-${variant}-${kubernetes}-${image}`;
    const folder = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${arch}/${variant}`;
    return { parameter: `${folder}/${name}/image_id`, variants: [variant] };
  };
  return [
    parameter("x86_64", "standard"),
    parameter("x86_64", "nvidia"),
    parameter("x86_64", "neuron"),
    parameter("arm64", "standard"),
    parameter("arm64", "nvidia"),
  ];
}

function bottlerocket(image: string, kubernetes: string): readonly AliasParameter[] {
  const version = image.replace(/^v+/, "");
  const path = (flavour: string, arch: string): string =>
    `/aws/service/bottlerocket/aws-k8s-${kubernetes}${flavour}/${arch}/${version}/image_id`;
  return [
    { parameter: path("", "x86_64"), variants: ["standard", "neuron"] },
    { parameter: path("", "arm64"), variants: ["standard"] },
    { parameter: path("-nvidia", "x86_64"), variants: ["nvidia"] },
    { parameter: path("-nvidia", "arm64"), variants: ["nvidia"] },
  ];
}

function windows(year: string, kubernetes: string): readonly AliasParameter[] {
  const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`;
  return [{ parameter: `/aws/service/ami-windows-latest/${name}/image_id`, variants: ["windows"] }];
}
