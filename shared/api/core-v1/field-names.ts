/**
 * Names of the fields that Kubernetes knows and that nobody here reads, level by level: a field that is neither read nor
 * listed is a slip of the pen (kubectl's strict validation refuses it). Source: the OpenAPI of Kubernetes 1.36, and names
 * that older versions had. A test compares them with a generated client.
 */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const metaFields: readonly string[] = words(`
  name namespace generateName uid resourceVersion generation creationTimestamp deletionTimestamp
  deletionGracePeriodSeconds labels annotations finalizers ownerReferences selfLink managedFields clusterName`);

export const podSpecFields: readonly string[] = words(`
  activeDeadlineSeconds automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks ephemeralContainers
  hostAliases hostIPC hostPID hostUsers hostname hostnameOverride imagePullSecrets os readinessGates schedulingGroup
  securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain workloadRef`);

export const containerFields: readonly string[] = words(`
  args command env envFrom imagePullPolicy lifecycle livenessProbe readinessProbe resizePolicy restartPolicyRules
  securityContext startupProbe stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices
  volumeMounts workingDir`);

const volumeSources: readonly string[] = words(`
  awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk glusterfs hostPath
  iscsi nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`);

export const volumeFields: readonly string[] = [
  ...volumeSources,
  ...words("configMap downwardAPI emptyDir gitRepo image projected secret"),
];

export const persistentVolumeSpecFields: readonly string[] = [
  ...volumeSources,
  ...words(`accessModes capacity claimRef mountOptions persistentVolumeReclaimPolicy volumeAttributesClassName
    volumeMode`),
];

export const claimSpecFields: readonly string[] = words(`
  accessModes dataSource dataSourceRef resources selector storageClassName volumeAttributesClassName volumeMode
  volumeName`);

export const resourceClaimFields: readonly string[] = words("source resourceClaimName resourceClaimTemplateName");

const rolledOut = words("minReadySeconds revisionHistoryLimit");
export const deploymentSpecFields: readonly string[] = [
  ...rolledOut,
  ...words("paused progressDeadlineSeconds rollbackTo strategy"),
];
export const replicaSetSpecFields: readonly string[] = words("minReadySeconds");
export const statefulSetSpecFields: readonly string[] = [
  ...rolledOut,
  ...words(`ordinals persistentVolumeClaimRetentionPolicy podManagementPolicy serviceName updateStrategy
    volumeClaimTemplates`),
];
export const daemonSetSpecFields: readonly string[] = [...rolledOut, "updateStrategy", "templateGeneration"];
export const jobSpecFields: readonly string[] = words(`
  activeDeadlineSeconds backoffLimit backoffLimitPerIndex completionMode managedBy manualSelector maxFailedIndexes
  podFailurePolicy podReplacementPolicy scheduling selector successPolicy suspend ttlSecondsAfterFinished`);

export const nodeSpecFields: readonly string[] = words("configSource externalID podCIDR podCIDRs");

export const storageClassFields: readonly string[] = words(
  "allowVolumeExpansion mountOptions parameters reclaimPolicy",
);
