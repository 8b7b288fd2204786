import type { Image } from "#ec2/view.ts";
import { hexId } from "./seeded-draw.ts";

/** Newest versions on offer; what `@latest` means. */
export interface LatestVersions {
  readonly al2: string;
  readonly al2023: string;
  readonly bottlerocket: string;
  readonly windows: string;
}

export const usualLatestVersions: LatestVersions = {
  al2: "v20250610",
  al2023: "v20250610",
  bottlerocket: "1.41.0",
  windows: "2025.06.13",
};

/** Kubernetes 1.33 has no AL2 images, and Windows Server 2025 images begin with 1.35. */
const firstMinorWithoutAl2 = 33;
const firstMinorWithWindows2025 = 35;

interface ParameterRule {
  readonly path: RegExp;
  readonly imageOf: (groups: Readonly<Record<string, string>>, latest: LatestVersions) => Image | undefined;
}

/** Paths: EKS and Bottlerocket user guides, "retrieve the AMI id with SSM". */
const rules: readonly ParameterRule[] = [
  {
    path: /^\/aws\/service\/eks\/optimized-ami\/1\.(?<minor>\d+)\/amazon-linux-2(?<kind>|-arm64|-gpu)\/(?<version>[^/]+)\/image_id$/,
    imageOf: ({ minor = "", kind = "", version = "" }, latest) => {
      const stem = `amazon-eks${{ "": "", "-arm64": "-arm64", "-gpu": "-gpu" }[kind] ?? ""}-node-1.${minor}-`;
      const date = version === "recommended" ? latest.al2 : afterPrefix(version, stem);
      return date === undefined || Number(minor) >= firstMinorWithoutAl2
        ? undefined
        : dated(`${stem}${date}`, date, kind === "-arm64" ? "arm64" : "amd64");
    },
  },
  {
    path: /^\/aws\/service\/eks\/optimized-ami\/1\.(?<minor>\d+)\/amazon-linux-2023\/(?<arch>x86_64|arm64)\/(?<variant>standard|nvidia|neuron)\/(?<version>[^/]+)\/image_id$/,
    imageOf: ({ minor = "", arch = "", variant = "", version = "" }, latest) => {
      const stem = `amazon-eks-node-al2023-${arch}-${variant}-1.${minor}-`;
      const date = version === "recommended" ? latest.al2023 : afterPrefix(version, stem);
      const isMade = arch === "x86_64" || variant !== "neuron";
      return date === undefined || !isMade ? undefined : dated(`${stem}${date}`, date, archOf(arch));
    },
  },
  {
    path: /^\/aws\/service\/bottlerocket\/aws-k8s-1\.(?<minor>\d+)(?<variant>|-nvidia)\/(?<arch>x86_64|arm64)\/(?<version>[^/]+)\/image_id$/,
    imageOf: ({ minor = "", variant = "", arch = "", version = "" }, latest) => {
      const number = version === "latest" ? latest.bottlerocket : version;
      const parts = /^(\d+)\.(\d+)\.(\d+)$/.exec(number);
      if (parts === null) return undefined;
      const name = `bottlerocket-aws-k8s-1.${minor}${variant}-${arch}-v${number}`;
      return imageNamed(name, releasedAt(Number(parts[1]), Number(parts[2]), Number(parts[3])), archOf(arch));
    },
  },
  {
    path: /^\/aws\/service\/ami-windows-latest\/Windows_Server-(?<year>2019|2022|2025)-English-Core-EKS_Optimized-1\.(?<minor>\d+)\/image_id$/,
    imageOf: ({ year = "", minor = "" }, latest) => {
      if (year === "2025" && Number(minor) < firstMinorWithWindows2025) return undefined;
      const date = latest.windows;
      const name = `Windows_Server-${year}-English-Core-EKS_Optimized-1.${minor}-${date}`;
      return imageNamed(name, `${date.replaceAll(".", "-")}T00:00:00.000Z`, "amd64");
    },
  },
];

/** The image that a public parameter points at; undefined where no such parameter exists. Any version exists. */
export function publishedImage(path: string, latest: LatestVersions): Image | undefined {
  for (const rule of rules) {
    const groups = rule.path.exec(path)?.groups;
    if (groups !== undefined) return rule.imageOf(groups, latest);
  }
  return undefined;
}

function afterPrefix(version: string, stem: string): string | undefined {
  return version.startsWith(stem) ? version.slice(stem.length) : undefined;
}

/** `date` is like v20240807. */
function dated(name: string, date: string, arch: Image["arch"]): Image | undefined {
  const parts = /^v(\d{4})(\d{2})(\d{2})$/.exec(date);
  return parts === null ? undefined : imageNamed(name, `${parts[1]}-${parts[2]}-${parts[3]}T00:00:00.000Z`, arch);
}

function imageNamed(name: string, createdAt: string, arch: Image["arch"]): Image {
  return { id: hexId("ami", name), name, arch, createdAt };
}

/** Bottlerocket's versions carry no date: a minor version every four weeks, so that newer versions are younger. */
function releasedAt(major: number, minor: number, patch: number): string {
  const day = 86_400_000;
  const atMs = Date.UTC(2020 + major, 7, 31) + Math.min(minor, 999) * 28 * day + Math.min(patch, 27) * day;
  return new Date(atMs).toISOString();
}

function archOf(arch: string): Image["arch"] {
  return arch === "arm64" ? "arm64" : "amd64";
}
