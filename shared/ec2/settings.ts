/**
 * Karpenter counterpart: pkg/operator/options/options.go of its AWS provider, and what its operator asks at its start
 * (region, the API server's version). It differs: plain data in the snapshot, read through one door.
 */
import type { Settings } from "#core/settings.ts";

/** The settings that only this provider has. */
export interface Ec2OwnSettings {
  readonly region: string;
  /** Major and minor, as in 1.32. */
  readonly kubernetesVersion: string;
  /** Share of a type's memory that the hypervisor keeps. Karpenter: VM_MEMORY_OVERHEAD_PERCENT. */
  readonly vmMemoryOverheadPercent: number;
  /** Network interfaces that pods cannot use. Karpenter: RESERVED_ENIS. */
  readonly reservedEnis: number;
  /** Node classes are not validated by dry runs. Karpenter: DISABLE_DRY_RUN. */
  readonly disableDryRun: boolean;
}

export type Ec2Settings = Settings & Ec2OwnSettings;

export const defaultEc2Settings: Ec2OwnSettings = {
  region: "us-east-1",
  kubernetesVersion: "1.32",
  vmMemoryOverheadPercent: 0.075,
  reservedEnis: 0,
  disableDryRun: false,
};

/** All settings; what is absent, or of another type, is the default. */
export function ec2Settings(settings: Settings): Ec2Settings {
  const { provider } = settings;
  return {
    ...settings,
    region: text(provider.region) ?? defaultEc2Settings.region,
    kubernetesVersion: text(provider.kubernetesVersion) ?? defaultEc2Settings.kubernetesVersion,
    vmMemoryOverheadPercent: amount(provider.vmMemoryOverheadPercent) ?? defaultEc2Settings.vmMemoryOverheadPercent,
    reservedEnis: amount(provider.reservedEnis) ?? defaultEc2Settings.reservedEnis,
    disableDryRun: provider.disableDryRun === true,
  };
}

function text(value: string | number | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function amount(value: string | number | boolean | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
