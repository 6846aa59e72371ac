import { HOUR, MINUTE, systemClock } from '../../../platform/clock.ts';
import { kindsByKey } from '../../api/kinds.ts';
import {
  type ConditionReason,
  findCondition,
  formatTimestamp,
  getField,
  getString,
  isRecord,
  type KubeObject,
  type NewObject,
  splitWords,
} from '../../api/objects.ts';
import type { Store } from '../../api/store.ts';
import { type CertificateAuthority, createAuthority, issueCertificate } from '../../pki.ts';
import { createMachineConfiguration } from '../nodes/pools.ts';
import { type ClusterCertificates, type ClusterState, POOL_NAMES, type PoolName } from '../saved-world.ts';
import { buildDefaultSettings } from '../workloads/plan.ts';
import { toSchedulableNode } from '../workloads/scheduler.ts';
import type { World } from '../world.ts';
import { createUpdateObjects } from './update-gates.ts';

const OPENSHIFT_NAMESPACES = splitWords(`
  apiserver authentication cluster-version config config-managed console dns dns-operator etcd image-registry ingress
  ingress-canary ingress-operator kube-apiserver machine-api machine-config-operator monitoring network-diagnostics
  user-workload-monitoring
`).map((name) => `openshift-${name}`);
const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease', ...OPENSHIFT_NAMESPACES];

/** Creates the first objects of a cluster: namespaces, its manifests, and the settings of operators. */
export function seedCluster(world: World, cluster: ClusterState, manifests: readonly Record<string, unknown>[]): void {
  const { store } = world;
  for (const name of NAMESPACES) ensureNamespace(store, name);
  for (const document of manifests) ensureManifest(store, document);
  const { clusterDomain, version } = cluster;
  const startedTime = formatTimestamp(cluster.apiSince);
  const { image, channel } = world.release;
  store.ensure('configmaps', {
    metadata: { name: 'bootstrap', namespace: 'kube-system' },
    data: { status: 'progress' },
  });
  store.ensure('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: { clusterID: 'f6d0d9b1-5f0c-4b4e-9d8c-0f4f7d9b6a11', channel },
    status: {
      desired: { version, image },
      history: [{ state: 'Partial', startedTime, completionTime: null, version, image, verified: false }],
      observedGeneration: 1,
      versionHash: 'rehearsal',
      conditions: [],
      availableUpdates: null,
    },
  });
  for (const [resource, object] of buildDefaultSettings(clusterDomain)) store.ensure(resource, object);
  for (const name of listPoolNames(cluster)) {
    store.ensure('machineconfigpools.machineconfiguration.openshift.io', {
      metadata: { name, labels: { [`pools.operator.machineconfiguration.openshift.io/${name}`]: '' } },
      spec: {
        machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
        paused: false,
      },
    });
  }
  createMachineConfiguration(world);
  createUpdateObjects(world);
  if (world.faults.has('storage-class-missing')) return;
  store.ensure('storageclasses.storage.k8s.io', {
    metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'csi.storage.example.com',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
  });
}

/** Lists the MachineConfigPools of a new cluster; arbiter only if the cluster has arbiters. */
export function listPoolNames({ arbiterReplicas = 0 }: Pick<ClusterState, 'arbiterReplicas'>): readonly PoolName[] {
  return POOL_NAMES.filter((kind) => kind !== 'arbiter' || arbiterReplicas > 0);
}

/** Creates the object of a manifest from the installer or the user. Kinds that the API does not serve are ignored. */
function ensureManifest(store: Store, document: Record<string, unknown>): void {
  const [version = '', group = ''] = String(document.apiVersion ?? '')
    .split('/')
    .reverse();
  const entry = [...kindsByKey].find(
    ([, kind]) => kind.group === group && kind.version === version && kind.kind === document.kind,
  );
  if (!entry || !isRecord(getField(document, 'metadata')) || getString(document, 'metadata', 'name') === '') return;
  store.ensure(entry[0], document as NewObject);
}

/**
 * Creates a namespace unless it exists.
 * @param deletionTimestamp the time since which the namespace is terminating
 */
export function ensureNamespace(store: Store, name: string, deletionTimestamp?: string): void {
  const deletionFields = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  store.ensure('namespaces', {
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name }, ...deletionFields },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: deletionTimestamp === undefined ? 'Active' : 'Terminating' },
  });
}

const TEN_YEARS = 3650 * 24 * HOUR;

/**
 * Creates the state of a new cluster: the installer's CAs, and certificates that they sign for its servers.
 * @param getAuthority returns a CA by its name below /opt/openshift/tls
 * @param settings all other fields
 */
export async function createClusterState(
  getAuthority: (name: string) => CertificateAuthority,
  settings: Omit<ClusterState, keyof ClusterCertificates>,
): Promise<ClusterState> {
  const { clusterDomain, apiSince } = settings;
  // TLS libraries check the real clock, which may differ much from the site's.
  const serverOptions = {
    notBefore: systemClock.now() - HOUR,
    notAfter: systemClock.now() + TEN_YEARS,
    usage: 'server',
  } as const;
  const ingressAuthority = await createAuthority(`ingress-operator@${Math.floor(apiSince / 1000)}`, serverOptions);
  return {
    ...settings,
    kubeletSigner: getAuthority('kubelet-signer'),
    clientAuthorities: [getAuthority('admin-kubeconfig-signer').certPem, getAuthority('kubelet-signer').certPem],
    apiAuthority: getAuthority('kube-apiserver-lb-signer').certPem,
    apiServing: await issueCertificate(getAuthority('kube-apiserver-lb-signer'), {
      commonName: `api.${clusterDomain}`,
      dnsNames: [`api.${clusterDomain}`, `api-int.${clusterDomain}`],
      ...serverOptions,
    }),
    machineConfigServing: await issueCertificate(getAuthority('root-ca'), {
      commonName: 'system:machine-config-server',
      dnsNames: [`api-int.${clusterDomain}`],
      ...serverOptions,
    }),
    ingressAuthority,
    ingressServing: await issueCertificate(ingressAuthority, {
      commonName: `*.apps.${clusterDomain}`,
      dnsNames: [`*.apps.${clusterDomain}`],
      ...serverOptions,
    }),
  };
}

/**
 * Operators whose pods are static: each control plane node runs one pod of each (library-go
 * pkg/operator/staticpod/controller/node). An arbiter runs only the pod of etcd (openshift/enhancements
 * arbiter-clusters.md).
 */
const STATIC_POD_OPERATORS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
/** Delay before operators report that they are degraded. */
const DEGRADED_DELAY = 2 * MINUTE;

/**
 * Describes the rollout of a revision of an operator's static pods, one node after the other (library-go
 * pkg/operator/staticpod/controller/installer, which writes "3 nodes" and "1 node").
 * @returns null for an operator without static pods
 */
export function describeRevision(
  { store }: World,
  name: string,
  revisions: { readonly current: number; readonly next: number },
): ConditionReason | null {
  if (!STATIC_POD_OPERATORS.includes(name)) return null;
  const count = listStaticPodNodes(store, name).length;
  const nodesText = count === 1 ? '1 node is' : `${count} nodes are`;
  return {
    reason: 'NodeInstaller',
    message: `NodeInstallerProgressing: ${nodesText} at revision ${revisions.current}; 0 nodes have achieved new revision ${revisions.next}`,
  };
}

/** Lists the nodes on which a static pod operator runs its pods. */
export function listStaticPodNodes(store: Store, operator: string): KubeObject[] {
  return operator === 'etcd' ? listNodesOfRoles(store, 'master', 'arbiter') : listNodesOfRoles(store, 'master');
}

/** Lists the nodes with the label of one of these roles. */
export function listNodesOfRoles(store: Store, ...roles: readonly PoolName[]): KubeObject[] {
  return store
    .list('nodes')
    .filter(({ metadata: { labels = {} } }) => roles.some((role) => `node-role.kubernetes.io/${role}` in labels));
}

/**
 * Describes the control plane nodes that are not Ready, for an operator with static pods. Null: all are Ready, or the
 * operator has no static pods.
 */
export function findControlPlaneProblem({ store, clock }: World, name: string): ConditionReason | null {
  if (!STATIC_POD_OPERATORS.includes(name)) return null;
  const nodes = listStaticPodNodes(store, name);
  const notReadyNodes = nodes.flatMap((node) => {
    const readyCondition = findCondition(node, 'Ready');
    const transitionedAt = Date.parse(getString(readyCondition, 'lastTransitionTime'));
    if (toSchedulableNode(node).isReady || clock.now() < transitionedAt + DEGRADED_DELAY) return [];
    const time = new Date(transitionedAt).toISOString().replace('T', ' ').slice(0, 19);
    const reason = `${getString(readyCondition, 'reason')} (${getString(readyCondition, 'message')})`;
    const { name: nodeName } = node.metadata;
    return [{ nodeName, text: `node "${nodeName}" not ready since ${time} +0000 UTC because ${reason}` }];
  });
  if (notReadyNodes.length === 0) return null;
  const notReadyMessage = `NodeControllerDegraded: The master nodes not ready: ${notReadyNodes.map(({ text }) => text).join(', ')}`;
  if (name !== 'etcd') return { reason: 'NodeController_MasterNodesReady', message: notReadyMessage };
  const members = notReadyNodes.map(({ nodeName }) => `${nodeName} is unhealthy`).join(', ');
  return {
    reason: 'EtcdMembers_UnhealthyMembers::NodeController_MasterNodesReady',
    message: `EtcdMembersDegraded: ${nodes.length - notReadyNodes.length} of ${nodes.length} members are available, ${members}\n${notReadyMessage}`,
  };
}
