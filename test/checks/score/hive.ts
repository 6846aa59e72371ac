/**
 * Patterns that OpenShift Hive searches openshift-install's log for; the first match wins. Names and patterns of
 * config/configmaps/install-log-regexes-configmap.yaml in https://github.com/openshift/hive (Apache-2.0, commit
 * eb033fe9f3b36593b8dfc3a8b60c7d880b304907), in its order, as far as they apply to an installation on own hardware.
 * Left out: clouds (AWS, GCP), libvirt, OpenStack's network client, Terraform, quotas.
 */
const HIVE_PATTERNS: readonly { readonly name: string; readonly patterns: readonly RegExp[] }[] = [
  { name: 'InvalidInstallConfigSubnet', patterns: [/CIDR range start.*is outside of the specified machine networks/] },
  {
    name: 'ProxyTimeout',
    patterns: [
      /error pinging docker registry .+ proxyconnect tcp: dial tcp [^ ]+: i\/o timeout/,
      /error pinging docker registry .+ proxyconnect tcp: dial tcp [^ ]+: connect: connection refused/,
      /error pinging docker registry .+ proxyconnect tcp: dial tcp [^ ]+: connect: no route to host/,
    ],
  },
  {
    name: 'ProxyInvalidCABundle',
    patterns: [/error pinging docker registry .+ proxyconnect tcp: x509: certificate signed by unknown authority/],
  },
  { name: 'KubeAPIWaitTimeout', patterns: [/waiting for Kubernetes API: context deadline exceeded/] },
  {
    name: 'KubeAPIWaitFailed',
    patterns: [
      /Failed waiting for Kubernetes API. This error usually happens when there is a problem on the bootstrap host that prevents creating a temporary control plane/,
    ],
  },
  {
    name: 'BootstrapFailed',
    patterns: [
      /Failed to wait for bootstrapping to complete. This error usually happens when there is a problem with control plane hosts that prevents the control plane operators from creating the control plane./,
    ],
  },
  { name: 'GenericBootstrapFailed', patterns: [/Bootstrap failed to complete/] },
  {
    name: 'MonitoringOperatorStillUpdating',
    patterns: [/failed to initialize the cluster: Cluster operator monitoring is still updating/],
  },
  {
    name: 'NoWorkerNodesReady',
    patterns: [/Got 0 worker nodes, \d+ master nodes.*none are schedulable or ready for ingress pods/],
  },
  { name: 'AuthenticationOperatorDegraded', patterns: [/Cluster operator authentication Degraded is True/] },
  { name: 'GeneralOperatorDegraded', patterns: [/Cluster operator.*Degraded is True/] },
  {
    name: 'GeneralClusterOperatorsStillUpdating',
    patterns: [/failed to initialize the cluster: Some cluster operators are still updating:/],
  },
  { name: 'FallbackInvalidInstallConfig', patterns: [/failed to load asset \\?"Install Config\\?"/] },
];

/**
 * Returns the name of the first pattern that matches the log; null: Hive would say "UnknownError".
 * @param log log of openshift-install, as written
 */
export function matchHivePattern(log: string): string | null {
  return HIVE_PATTERNS.find(({ patterns }) => patterns.some((pattern) => pattern.test(log)))?.name ?? null;
}
