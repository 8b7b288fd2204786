import { expect, test } from "vitest";
import { ec2Provider } from "./provider.ts";

test("nodes are repaired for the conditions that EKS's node monitoring agent and the kubelet report", () => {
  const rows = (ec2Provider.repairPolicies ?? []).map(
    ({ conditionType, conditionStatus, tolerationMs }) =>
      `${conditionType} ${conditionStatus} ${tolerationMs / 60_000} min`,
  );
  expect(rows).toEqual([
    "Ready False 30 min",
    "Ready Unknown 30 min",
    "AcceleratedHardwareReady False 10 min",
    "StorageReady False 30 min",
    "NetworkingReady False 30 min",
    "KernelReady False 30 min",
    "ContainerRuntimeReady False 30 min",
  ]);
});
