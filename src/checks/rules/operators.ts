import { getNodeFqdn, isWorker, listNodesWithRole } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import { WAITS_FOR_USER } from '../operator-waits.ts';
import { explainOperators, isRouterRunning, needsAttention } from '../operators.ts';
import {
  clearObject,
  createDiagnosticRule,
  createSymptom,
  isBootstrapping,
  isInstalled,
  isPoweredOnFor,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
  unhealthyLongerThan,
} from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/** The pods of an API service restart in less time. */
const GRACE_PERIOD = 5 * MINUTE;

/** The pods that serve a part of the API do not answer: its clients fail, and namespaces cannot be deleted. */
export const apiServiceUnavailable = createDiagnosticRule('api-service-unavailable', 'operatorIssues', (evidence) =>
  (isInstalled(evidence) ? unhealthyLongerThan(evidence, 'APIService', GRACE_PERIOD) : []).map(({ name, message }) =>
    createSymptom(
      'likely',
      name,
      `APIService ${name}: ${message}`,
      quoteShellCommand`oc get apiservice ${name} -o yaml`,
    ),
  ),
);

/**
 * The nodes have a rendered configuration that the cluster does not: the bootstrap rendered another one
 * (okd-project/okd#87, #449, #963, #1013, #1085; openshift/installer#5086; openshift/machine-config-operator#2218).
 */
const MISSING_CONFIG =
  /machineconfig\.machineconfiguration\.openshift\.io \\*"rendered-([\w.-]+)-[0-9a-f]{32}\\*" not found/;

/** The Machine Config Operator cannot apply the configuration of a pool. */
export const machineConfigPoolDegraded = createDiagnosticRule('pool-degraded', 'operatorIssues', (evidence) => {
  const poolSymptoms = unhealthyLongerThan(evidence, 'MachineConfigPool', GRACE_PERIOD).map(({ name, message }) =>
    createSymptom(
      'likely',
      name,
      `MachineConfigPool ${name}: ${message}`,
      quoteShellCommand`oc describe machineconfigpool ${name}`,
    ),
  );
  return poolSymptoms.length > 0 ? poolSymptoms : listMissingConfigSymptoms(evidence);
});

function listMissingConfigSymptoms(evidence: Evidence): Symptom[] {
  const operators = (evidence.cluster?.operators ?? []).filter(
    ({ name, message }) => name === 'machine-config' && MISSING_CONFIG.test(message),
  );
  const texts = [
    ...operators.map(({ name, message }) => `${name}: ${message}`),
    ...matchLogLines(evidence, MISSING_CONFIG).map(({ source, text }) => `${source}: ${text}`),
  ];
  return texts.slice(-1).map((text) => {
    const pool = MISSING_CONFIG.exec(text)?.[1] ?? '';
    const command = quoteShellCommand`oc get machineconfig; oc describe machineconfigpool ${pool}`;
    const { remedy } = catalogue().diagnosis.causes['pool-degraded'].missingConfig;
    return { ...createSymptom('likely', pool, text, command), remedy };
  });
}

/** The ConfigMap of the monitoring stack has a key that its operator does not know. */
export const monitoringConfigInvalid = createDiagnosticRule('monitoring-config-invalid', 'operators', ({ cluster }) =>
  (cluster?.operators ?? [])
    .filter(({ wait }) => wait?.code === 'monitoring-config')
    .map(({ name, message }) =>
      createSymptom(
        'certain',
        name,
        message,
        'oc get configmap cluster-monitoring-config -n openshift-monitoring -o yaml',
      ),
    ),
);

/** Pods get some minutes to terminate. */
const NAMESPACE_GRACE_PERIOD = 10 * MINUTE;

/** A namespace is being deleted, and an object in it remains. */
export const namespaceTerminating = createDiagnosticRule('namespace-terminating', 'operatorIssues', (evidence) =>
  unhealthyLongerThan(evidence, 'Namespace', NAMESPACE_GRACE_PERIOD).map(({ name, message }) =>
    createSymptom('likely', name, `Namespace ${name}: ${message}`, quoteShellCommand`oc get namespace ${name} -o yaml`),
  ),
);

/** Waits for nodes, or for another operator. */
const DEPENDENT_WAITS: ReadonlySet<string> = new Set(['compute', 'routers', 'authentication', 'node-lost']);

/** Operators that waited for the control plane still report that for a while after it is up. */
const SETTLE_PERIOD = 15 * MINUTE;

/**
 * An operator is degraded or unavailable for longer than usual; in an installed cluster, any degraded operator counts.
 */
export const operatorDegraded = createDiagnosticRule('operator-degraded', 'operatorIssues', (evidence) =>
  (isBootstrapping(evidence) ? [] : (evidence.cluster?.operators ?? []))
    .filter(({ wait }) => !isControlPlaneNew(evidence) || (wait !== null && WAITS_FOR_USER.has(wait.code)))
    .filter(
      (operator) =>
        (operator.degraded && isInstalled(evidence)) ||
        ((operator.degraded || !operator.available) && needsAttention(operator)),
    )
    // Skip operators that only wait for nodes or for another operator.
    .filter(({ wait }) => wait === null || !DEPENDENT_WAITS.has(wait.code))
    // The rule about the routers reports that none runs.
    .filter(({ wait }) => wait?.code !== 'routers-not-running' || !isInstalled(evidence))
    .map((operator): Symptom => {
      const { name, degraded, reason, message, wait } = operator;
      const symptom = createSymptom(
        needsAttention(operator) ? 'likely' : 'possible',
        name,
        `${name} ${degraded ? 'Degraded=True' : 'Available=False'} ${reason}: ${message}`,
        quoteShellCommand`oc describe clusteroperator ${name}`,
      );
      // The Operators page names the same cause.
      const [finding] = wait === null || wait.code === 'other' ? [] : explainOperators([operator], true);
      return finding === undefined ? symptom : { ...symptom, title: finding.title, remedy: finding.remedy };
    }),
);

/** "Multiple errors" and "Could not update" resolve on their own within ten minutes. */
const CLUSTER_VERSION_GRACE_PERIOD = 10 * MINUTE;

/**
 * The names in "Cluster operator a is degraded" and "Cluster operators a, b are not available"
 * (openshift/cluster-version-operator, pkg/cvo/internal/operatorstatus.go).
 */
const OPERATOR_NAMES = /\bCluster operators? ([\w-]+(?:, [\w-]+)*) /g;

/** The Cluster Version Operator cannot apply the release, and names no operator that has a finding of its own. */
export const clusterVersionFailing = createDiagnosticRule('version-failing', 'operatorIssues', (evidence) => {
  const { cluster, now } = evidence;
  const version = cluster?.version ?? null;
  if (version === null || !version.failing || now - (version.since ?? now) < CLUSTER_VERSION_GRACE_PERIOD) return [];
  // The rule for lost nodes reports this already.
  const unhealthyOperators = (cluster?.operators ?? []).filter(({ available, degraded }) => !available || degraded);
  if (unhealthyOperators.length > 0 && unhealthyOperators.every(({ wait }) => wait?.code === 'node-lost')) return [];
  const names = [...version.message.matchAll(OPERATOR_NAMES)].flatMap(([, text = '']) => text.split(', '));
  if (operatorDegraded.run(evidence).some(({ subject }) => names.includes(subject))) return [];
  return [createSymptom('possible', '', version.message, 'oc get clusterversion version -o yaml')];
});

function isControlPlaneNew({ design, cluster, now }: Evidence): boolean {
  const names = new Set(
    design === null ? [] : listNodesWithRole(design, 'control-plane').map((node) => getNodeFqdn(design, node)),
  );
  return (cluster?.nodes ?? []).some(
    ({ name, readySince }) => names.has(name) && readySince !== null && now - readySince < SETTLE_PERIOD,
  );
}

/** The Cluster Version Operator cannot fetch or verify the release that it is to apply (ReleaseAccepted=False). */
export const releaseNotAccepted = createDiagnosticRule('release-not-loaded', 'operatorIssues', (evidence) =>
  unhealthyLongerThan(evidence, 'ClusterVersion', GRACE_PERIOD)
    .filter(({ message }) => !/cannot be verified|unable to verify sha256/.test(message))
    .map(({ name, message }) =>
      createSymptom(
        'certain',
        '',
        `ClusterVersion ${name}: ${message}`,
        'oc adm upgrade; oc get pods -n openshift-cluster-version',
      ),
    ),
);

/** The cluster is installed, nodes are Ready, and no router runs: no route answers. */
export const routersNotRunning = createDiagnosticRule(
  'routers-not-running',
  'operators',
  (evidence) => {
    const { routers, nodes } = evidence.cluster ?? { routers: null, nodes: null };
    const hasReadyNode = (nodes ?? []).some((node) => node.isReady);
    if (!isInstalled(evidence) || !hasReadyNode || routers === null) return [];
    if (isRouterRunning(routers)) return [];
    const podTexts = routers.map(({ name, phase, reason, message }) => `${name} ${phase} ${reason} ${message}`.trim());
    return [
      createSymptom(
        'likely',
        'openshift-ingress',
        podTexts.length === 0 ? 'openshift-ingress: 0 pods router-*' : podTexts.join('; '),
        'oc get ingresscontroller default -n openshift-ingress-operator -o yaml; oc get pods -n openshift-ingress -o wide',
      ),
    ];
  },
  true,
);

/** Routers wait for a Ready compute node for longer than joining takes. */
export const routersWithoutNodes = createDiagnosticRule('routers-without-nodes', 'operators', (evidence) =>
  (areNodesExpected(evidence) ? (evidence.cluster?.operators ?? []) : [])
    .filter(({ name, wait }) => name === 'ingress' && wait?.code === 'compute' && !wait.isNormal)
    .map(({ name, message }) =>
      createSymptom(
        'likely',
        name,
        message,
        'oc get pods -n openshift-ingress -o wide; oc get nodes; upi-wizard csr list',
      ),
    ),
);

/** Time for booting, writing the disk, fetching the configuration and joining. */
const JOIN_TIMEOUT = 25 * MINUTE;

/**
 * Whether compute nodes are expected: the control plane runs on its own, and the user powered one of them on long
 * enough ago. The routers may have waited for hours before.
 */
function areNodesExpected(evidence: Evidence): boolean {
  const computeMachines = evidence.machines.filter(isWorker);
  return (
    !isBootstrapping(evidence) &&
    (computeMachines.length === 0 ||
      computeMachines.some((machine) => machine.hasJoined || isPoweredOnFor(evidence, machine, JOIN_TIMEOUT)))
  );
}

/** A PersistentVolumeClaim requests a StorageClass that does not exist, or the default one of a cluster without any. */
export const storageClassMissing = createDiagnosticRule('storage-class-missing', 'registry', (evidence) => {
  const { cluster } = evidence;
  const classes = cluster?.storageClasses ?? null;
  if (cluster === null || classes === null) return [];
  const claimSymptoms = (cluster.pendingClaims ?? []).flatMap(({ name, storageClass }): Symptom[] => {
    if (storageClass === null ? classes.length > 0 : classes.includes(storageClass)) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const evidenceText = `${name} Pending, storageClassName ${storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
    return [createSymptom('certain', name, evidenceText, quoteShellCommand`oc describe pvc -n ${namespace} ${claim}`)];
  });
  const registryOperators = (cluster.operators ?? []).filter(({ wait }) => wait?.code === 'registry-storage');
  const operatorSymptoms = registryOperators.map(({ name, message }): Symptom => {
    return createSymptom('likely', name, message, 'oc get storageclass; oc get configs.imageregistry cluster -o yaml');
  });
  return [...claimSymptoms, ...operatorSymptoms, ...listRegistryWithoutClassSymptoms(evidence)];
});

/** Lists a volume for the registry in the design for which the installed cluster has no StorageClass. */
function listRegistryWithoutClassSymptoms({ design, cluster }: Evidence): Symptom[] {
  const classes = cluster?.storageClasses ?? null;
  const registry = design?.infra.registry;
  if (classes === null || registry === undefined || registry.storage !== 'pvc' || !cluster?.version?.available)
    return [];
  if (registry.storageClass === null ? classes.length > 0 : classes.includes(registry.storageClass)) return [];
  const evidenceText = `infra.registry.storageClass: ${registry.storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
  return [createSymptom('likely', '', evidenceText, 'oc get storageclass')];
}

/**
 * A PersistentVolumeClaim names an existing StorageClass and needs its volume now, but no volume is created. (With
 * WaitForFirstConsumer, a claim has no `provisioner` until a pod uses the claim.)
 */
export const volumeNotProvisioned = createDiagnosticRule('volume-not-provisioned', 'registry', ({ cluster, now }) =>
  (cluster?.pendingClaims ?? []).flatMap(({ name, storageClass, provisioner, since, lastEvent }): Symptom[] => {
    if (provisioner === undefined || provisioner === null || now - (since ?? now) < GRACE_PERIOD) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const evidenceText = `${name} Pending, StorageClass ${storageClass ?? 'default'} (${provisioner}): ${lastEvent || 'no event'}`;
    // A failure that the provisioner itself reports is certain; its silence may have more than one reason.
    const likelihood = lastEvent?.startsWith('ProvisioningFailed') ? 'certain' : 'likely';
    return [createSymptom(likelihood, name, evidenceText, quoteShellCommand`oc describe pvc -n ${namespace} ${claim}`)];
  }),
);

/**
 * While a cluster starts, or a node restarts, a webhook is briefly unavailable; a bundle cannot be probed a second
 * time.
 */
const MIN_OCCURRENCES = 3;

const LIST_WEBHOOKS_COMMAND = 'oc get validatingwebhookconfigurations,mutatingwebhookconfigurations';

/** Every write needs the answer of an admission webhook that does not respond: the API rejects all of them. */
export const webhookUnavailable = createDiagnosticRule(
  'webhook-unanswered',
  'operatorIssues',
  (evidence) => {
    const operatorSymptoms = (evidence.cluster?.operators ?? []).flatMap(({ name, message }): Symptom[] => {
      const webhook = /failed calling webhook\W+([\w.-]+)/.exec(message)?.[1];
      if (webhook === undefined) return [];
      // The name of a webhook is not that of the configuration with it.
      return [clearObject(createSymptom('certain', webhook, `${name}: ${message}`, LIST_WEBHOOKS_COMMAND))];
    });
    const unservedWebhooks = isInstalled(evidence) ? unhealthyLongerThan(evidence, 'Webhook', 0) : [];
    const webhookSymptoms = unservedWebhooks.map(({ name, message }): Symptom => {
      const command = quoteShellCommand`oc get validatingwebhookconfiguration,mutatingwebhookconfiguration ${name} --ignore-not-found -o yaml`;
      return createSymptom('likely', name, `${name}: ${message}`, command);
    });
    // A failure policy of "Ignore" lets everything pass, and is logged the same way.
    const lines = matchLogLines(
      evidence,
      /^(?!.*failing open).*failed calling webhook/i,
      evidence.isBundle === true ? MIN_OCCURRENCES : 1,
    );
    return [
      ...operatorSymptoms,
      ...webhookSymptoms,
      ...symptomsFromLines(lines.slice(-1), 'likely', LIST_WEBHOOKS_COMMAND).map(clearObject),
    ];
  },
  true,
);
