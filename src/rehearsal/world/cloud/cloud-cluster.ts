import { clusterDomain, nodesWithRole } from '../../../design/derived-facts.ts';
import { MINUTE, SECOND } from '../../../platform/clock.ts';

import { isRecord } from '../../api/objects.ts';
import { createStore } from '../../api/store.ts';
import { buildKubeconfig } from '../../stand-in/ignition.ts';
import { createTlsAssets } from '../../stand-in/pki.ts';
import type { Canary } from '../network/canary.ts';
import { seedCluster } from '../operators/cluster-objects.ts';
import { createClusterState } from '../operators/cluster-state.ts';
import { createOperators } from '../operators/controller.ts';
import { reconcileWorkloads } from '../workloads/controller.ts';
import type { World } from '../world.ts';
import { buildAwsManifests, buildInitialMachine, buildWorkerMachineSets } from './aws.ts';
import { MACHINE_SETS, MACHINES, reconcileMachines } from './machines.ts';

/** Age of the cluster when the rehearsal starts: enough for its slowest operator, and some margin. */
const INITIAL_UPTIME = 40 * MINUTE;
const REPLAY_STEP = 20 * SECOND;
/** Canary for the time before the rehearsal: no client uses the routes then, so they count as reachable. */
const HEALTHY_CANARY: Canary = {
  checkIfDue: () => undefined,
  isReachable: () => true,
  isFailing: () => false,
  lastError: () => '',
};

/**
 * Creates the cluster that already runs on the cloud when the rehearsal starts. Its controllers replay its history on a
 * separate clock, so that every object has a realistic age.
 * @returns its kubeconfig
 */
export async function createCloudCluster(world: World): Promise<string> {
  const { saved, design, release } = world;
  const end = world.clock.now();
  let current = end - INITIAL_UPTIME;
  const clock = { ...world.clock, now: () => current };
  const replayWorld: World = { ...world, clock, store: createStore({ now: () => current }), changed: () => undefined };
  const domain = clusterDomain(design);
  const assets = await createTlsAssets(domain, end);
  const cluster = await createClusterState((name) => assets[name] ?? { certPem: '', keyPem: '' }, {
    apiSince: current,
    clusterDomain: domain,
    version: release.version,
    mastersSchedulable: false,
    controlPlaneReplicas: 3,
    bootstrapCompleteAt: current,
    kubeconfig: buildKubeconfig(design.cluster.name, domain, assets),
  });
  saved.cluster = cluster;
  seedCluster(replayWorld, cluster, buildAwsManifests(domain));
  prepareCloud(replayWorld);
  const operators = createOperators(replayWorld, HEALTHY_CANARY);
  for (; current < end; current += REPLAY_STEP) {
    reconcileMachines({ ...replayWorld, domain });
    reconcileWorkloads(replayWorld);
    operators.reconcile();
  }
  world.store.load(replayWorld.store.dump());
  return buildKubeconfig(design.cluster.name, domain, assets);
}

/** Applies the differences to platform none: the machines, the load balancer of the routers, the storage. */
function prepareCloud({ store, design, faults }: World): void {
  for (const set of buildWorkerMachineSets()) store.create(MACHINE_SETS, set);
  for (const [role, kind] of [
    ['control-plane', 'master'],
    ['compute', 'worker'],
  ] as const) {
    for (const [index, { ip }] of nodesWithRole(design, role).entries())
      store.create(MACHINES, buildInitialMachine(kind, index, ip[0] ?? ''));
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
