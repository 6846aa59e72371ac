import { clusterDomain, nodesWithRole } from '../../../design/names.ts';
import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { isRecord } from '../../api/objects.ts';
import { createStore } from '../../api/store.ts';
import { kubeconfigOf } from '../../stand-in/ignition.ts';
import { createTlsAssets } from '../../stand-in/pki.ts';
import type { Canary } from '../network/canary.ts';
import { seedCluster } from '../operators/cluster-objects.ts';
import { newClusterState } from '../operators/cluster-state.ts';
import { createOperators } from '../operators/controller.ts';
import { reconcileWorkloads } from '../workloads/controller.ts';
import type { World } from '../world.ts';
import { awsManifests, firstMachine, workerSets } from './aws.ts';
import { MACHINES, reconcileMachines, SETS } from './machines.ts';

/** How long the cluster has been up when the rehearsal begins: as long as its last operator takes, and some rest. */
const UP_FOR = 40 * MINUTE;
const STEP = 20 * SECOND;
/** Its routes answer in the time before the rehearsal: nobody asks then. */
const QUIET: Canary = { look: () => undefined, isReachable: () => true, isFailing: () => false, error: () => '' };

/**
 * The cluster that runs on the cloud when the rehearsal begins. Its past is played by the controllers that carry it on, on a
 * clock of its own, so that every object is as old as it would be.
 * @returns its kubeconfig
 */
export async function beginOnCloud(world: World): Promise<string> {
  const { saved, design, release } = world;
  const end = world.clock.now();
  let at = end - UP_FOR;
  const clock = { ...world.clock, now: () => at };
  const past: World = { ...world, clock, store: createStore({ now: () => at }), changed: () => undefined };
  const domain = clusterDomain(design);
  const assets = await createTlsAssets(domain, end);
  const cluster = await newClusterState((name) => assets[name] ?? { certPem: '', keyPem: '' }, {
    apiSince: at,
    clusterDomain: domain,
    version: release.version,
    mastersSchedulable: false,
    controlPlaneReplicas: 3,
    bootstrapCompleteAt: at,
    kubeconfig: kubeconfigOf(design.cluster.name, domain, assets),
  });
  saved.cluster = cluster;
  seedCluster(past, cluster, awsManifests(domain));
  furnishCloud(past);
  const operators = createOperators(past, QUIET);
  for (; at < end; at += STEP) {
    reconcileMachines({ ...past, domain });
    reconcileWorkloads(past);
    operators.look();
  }
  world.store.load(past.store.dump());
  return kubeconfigOf(design.cluster.name, domain, assets);
}

/** What is otherwise than on platform none: the machines, the balancer of the routers, the storage. */
function furnishCloud({ store, design, faults }: World): void {
  for (const set of workerSets()) store.create(SETS, set);
  for (const [role, kind] of [
    ['control-plane', 'master'],
    ['compute', 'worker'],
  ] as const) {
    for (const [index, { ip }] of nodesWithRole(design, role).entries())
      store.create(MACHINES, firstMachine(kind, index, ip[0] ?? ''));
  }
  store.mutate('configmaps', 'kube-system', 'bootstrap', (map) => {
    map.data = { status: 'complete' };
  });
  store.mutate('ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default', (controller) => {
    const endpointPublishingStrategy = { type: 'LoadBalancerService', loadBalancer: { scope: 'External' } };
    controller.status = { ...(isRecord(controller.status) ? controller.status : {}), endpointPublishingStrategy };
  });
  store.mutate('configs.imageregistry.operator.openshift.io', null, 'cluster', (config) => {
    const storage = { s3: { bucket: 'shop-x7k2p-image-registry-us-east-2', encrypt: true, region: 'us-east-2' } };
    config.spec = { ...(isRecord(config.spec) ? config.spec : {}), managementState: 'Managed', replicas: 2, storage };
  });
  if (faults.has('storage-class-missing')) return;
  store.delete('storageclasses.storage.k8s.io', null, 'standard');
  store.create('storageclasses.storage.k8s.io', {
    metadata: { name: 'gp3-csi', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'ebs.csi.aws.com',
    parameters: { encrypted: 'true', type: 'gp3' },
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  });
}
