import { describe, expect, test } from "vitest";
import { publishedImage, usualLatestVersions } from "./published-image.ts";

const eks = "/aws/service/eks/optimized-ami";
const at = (path: string) => publishedImage(path, usualLatestVersions);

describe("publishedImage", () => {
  test.each([
    [`${eks}/1.32/amazon-linux-2/amazon-eks-node-1.32-v20240625/image_id`, "amazon-eks-node-1.32-v20240625", "amd64"],
    [
      `${eks}/1.32/amazon-linux-2-arm64/amazon-eks-arm64-node-1.32-v20240625/image_id`,
      "amazon-eks-arm64-node-1.32-v20240625",
      "arm64",
    ],
    [
      `${eks}/1.32/amazon-linux-2-gpu/amazon-eks-gpu-node-1.32-v20240625/image_id`,
      "amazon-eks-gpu-node-1.32-v20240625",
      "amd64",
    ],
    [
      `${eks}/1.33/amazon-linux-2023/arm64/standard/amazon-eks-node-al2023-arm64-standard-1.33-v20240807/image_id`,
      "amazon-eks-node-al2023-arm64-standard-1.33-v20240807",
      "arm64",
    ],
    [
      `${eks}/1.33/amazon-linux-2023/x86_64/neuron/recommended/image_id`,
      "amazon-eks-node-al2023-x86_64-neuron-1.33-v20250610",
      "amd64",
    ],
    [
      "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/1.20.4/image_id",
      "bottlerocket-aws-k8s-1.33-x86_64-v1.20.4",
      "amd64",
    ],
    [
      "/aws/service/bottlerocket/aws-k8s-1.33-nvidia/arm64/latest/image_id",
      "bottlerocket-aws-k8s-1.33-nvidia-arm64-v1.41.0",
      "arm64",
    ],
    [
      "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.33/image_id",
      "Windows_Server-2022-English-Core-EKS_Optimized-1.33-2025.06.13",
      "amd64",
    ],
  ])("%s points at %s", (path, name, arch) => {
    const image = at(path);
    expect(image).toMatchObject({ name, arch });
    expect(image?.id).toMatch(/^ami-[0-9a-f]{17}$/);
    expect(Number.isNaN(Date.parse(image?.createdAt ?? ""))).toBe(false);
  });

  test.each([
    `${eks}/1.33/amazon-linux-2/recommended/image_id`,
    `${eks}/1.32/amazon-linux-2023/arm64/neuron/recommended/image_id`,
    `${eks}/1.32/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-arm64-standard-1.32-v20240807/image_id`,
    `${eks}/1.32/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.32-latest/image_id`,
    "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/v1.20.4/image_id",
    "/aws/service/ami-windows-latest/Windows_Server-2025-English-Core-EKS_Optimized-1.34/image_id",
    "/my/own/parameter",
  ])("%s does not exist", (path) => {
    expect(at(path)).toBeUndefined();
  });

  test("a newer version is a younger image under another id", () => {
    const older = at("/aws/service/bottlerocket/aws-k8s-1.33/x86_64/1.9.2/image_id");
    const newer = at("/aws/service/bottlerocket/aws-k8s-1.33/x86_64/1.20.0/image_id");
    expect(newer?.id).not.toBe(older?.id);
    expect((newer?.createdAt ?? "") > (older?.createdAt ?? "")).toBe(true);
  });
});
