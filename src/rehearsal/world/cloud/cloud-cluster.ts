import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  listNodesWithRole,
} from '../../../design/derived-facts.ts';
import { CLOUD_INFRASTRUCTURE_NAME, CLOUD_RESOLVER_ADDRESS } from '../../../design/example.ts';
import type { Design } from '../../../design/model.ts';
import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { assignFields, type NewObject } from '../../api/objects.ts';
import { createStore } from '../../api/store.ts';
import { type BoundListener, createBalancer, listPlainListeners } from '../../hosts/balancer.ts';
import { type NameServer, startNameServer, type Zone } from '../../hosts/dns.ts';
import { buildConfigObject, buildInfrastructure, buildKubeconfig, createTlsAssets } from '../../stand-in/ignition.ts';
import type { Canary, Endpoint } from '../network/endpoints.ts';
import { createClusterState, seedCluster } from '../operators/cluster-objects.ts';
import { createOperatorController } from '../operators/controller.ts';
import { reconcileWorkloads } from '../workloads/controller.ts';
import type { World } from '../world.ts';
import { MACHINE_API_NAMESPACE, MACHINE_SET_LABEL, MACHINE_SETS, MACHINES, reconcileMachines } from './machines.ts';

const REGION = 'us-east-2';
/** Zones of the region. The design's nodes use them in turn. */
const ZONES = ['a', 'b', 'c'].map((letter) => `${REGION}${letter}`);
const CLUSTER_LABEL = 'machine.openshift.io/cluster-api-cluster';

type MachineRole = 'master' | 'worker';

/** Builds the worker MachineSets, one per zone (openshift/installer, pkg/asset/machines/aws). */
function buildWorkerMachineSets(): NewObject[] {
  return ZONES.map((zone) => {
    const name = getMachineSetName(zone);
    const selector = { [CLUSTER_LABEL]: CLOUD_INFRASTRUCTURE_NAME, [MACHINE_SET_LABEL]: name };
    return {
      metadata: { name, namespace: MACHINE_API_NAMESPACE, labels: { [CLUSTER_LABEL]: CLOUD_INFRASTRUCTURE_NAME } },
      spec: {
        replicas: 1,
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...buildRoleLabels('worker'), [MACHINE_SET_LABEL]: name } },
          spec: { lifecycleHooks: {}, metadata: {}, providerSpec: { value: buildProviderSpec('worker', zone) } },
        },
      },
      status: {},
    };
  });
}

/** Builds a Machine without an instance: of a control plane node, or of the zone's worker MachineSet. */
function buildInitialMachine(role: MachineRole, index: number, address: string): NewObject {
  const zone = ZONES[index % ZONES.length] ?? '';
  const isMaster = role === 'master';
  const name = isMaster
    ? `${CLOUD_INFRASTRUCTURE_NAME}-master-${index}`
    : `${getMachineSetName(zone)}-${NAME_SUFFIXES[index % 3]}`;
  return {
    metadata: {
      name,
      namespace: MACHINE_API_NAMESPACE,
      labels: { ...buildRoleLabels(role), ...(isMaster ? {} : { [MACHINE_SET_LABEL]: getMachineSetName(zone) }) },
      finalizers: ['machine.machine.openshift.io'],
    },
    spec: { lifecycleHooks: {}, metadata: {}, providerSpec: { value: buildProviderSpec(role, zone) } },
    status: { addresses: [{ type: 'InternalIP', address }] },
  };
}

const NAME_SUFFIXES = ['7kq2m', 'd94xv', 'tz8wl'] as const;
const getMachineSetName = (zone: string) => `${CLOUD_INFRASTRUCTURE_NAME}-worker-${zone}`;

const buildRoleLabels = (role: MachineRole) => ({
  [CLUSTER_LABEL]: CLOUD_INFRASTRUCTURE_NAME,
  'machine.openshift.io/cluster-api-machine-role': role,
  'machine.openshift.io/cluster-api-machine-type': role,
});

function buildProviderSpec(role: MachineRole, zone: string) {
  const buildNameFilter = (...values: readonly string[]) => ({ filters: [{ name: 'tag:Name', values }] });
  return {
    ami: { id: 'ami-0d2f1a64f9b3e5c77' },
    apiVersion: 'machine.openshift.io/v1beta1',
    blockDevices: [{ ebs: { encrypted: true, iops: 0, kmsKey: { arn: '' }, volumeSize: 120, volumeType: 'gp3' } }],
    capacityReservationId: '',
    credentialsSecret: { name: 'aws-cloud-credentials' },
    deviceIndex: 0,
    iamInstanceProfile: { id: `${CLOUD_INFRASTRUCTURE_NAME}-${role}-profile` },
    instanceType: 'm6i.xlarge',
    kind: 'AWSMachineProviderConfig',
    metadata: { creationTimestamp: null },
    metadataServiceOptions: {},
    placement: { availabilityZone: zone, region: REGION },
    securityGroups: [
      buildNameFilter(`${CLOUD_INFRASTRUCTURE_NAME}-node`),
      buildNameFilter(`${CLOUD_INFRASTRUCTURE_NAME}-lb`),
    ],
    subnet: buildNameFilter(`${CLOUD_INFRASTRUCTURE_NAME}-subnet-private-${zone}`),
    tags: [{ name: `kubernetes.io/cluster/${CLOUD_INFRASTRUCTURE_NAME}`, value: 'owned' }],
    userDataSecret: { name: `${role}-user-data` },
  };
}

/** Builds the installer's manifests on AWS that differ from platform none. */
function buildAwsManifests(domain: string): Record<string, unknown>[] {
  return [
    buildInfrastructure(domain, {
      name: CLOUD_INFRASTRUCTURE_NAME,
      controlPlaneTopology: 'HighlyAvailable',
      topology: 'HighlyAvailable',
      platformSpec: { type: 'AWS', aws: {} },
      platformStatus: { type: 'AWS', aws: { region: REGION } },
    }),
    buildConfigObject('DNS', { baseDomain: domain }),
    buildConfigObject('Ingress', { domain: `apps.${domain}` }),
    buildConfigObject('Scheduler', { mastersSchedulable: false, policy: { name: '' } }, {}),
  ];
}

/** Age of the cluster when the rehearsal starts: enough for its slowest operator, and some margin. */
const INITIAL_UPTIME = 40 * MINUTE;
const REPLAY_STEP = 20 * SECOND;
/** Canary for the time before the rehearsal: no client uses the routes then, so they count as reachable. */
const HEALTHY_CANARY: Canary = {
  checkIfDue: () => undefined,
  isReachable: () => true,
  isFailing: () => false,
  getLastError: () => '',
};

/**
 * Creates the cluster that already runs on the cloud when the rehearsal starts. Its controllers replay its history on a
 * separate clock, so that every object has a realistic age.
 * @returns the kubeconfig of the cluster
 */
export async function createCloudCluster(world: World): Promise<string> {
  const { saved, design, release } = world;
  const replayEnd = world.clock.now();
  let replayTime = replayEnd - INITIAL_UPTIME;
  const clock = { ...world.clock, now: () => replayTime };
  const replayWorld: World = { ...world, clock, store: createStore(clock), requestSave: () => undefined };
  const domain = getClusterDomain(design);
  const assets = await createTlsAssets(domain, replayEnd);
  const cluster = await createClusterState((name) => assets[name] ?? { certPem: '', keyPem: '' }, {
    apiSince: replayTime,
    clusterDomain: domain,
    version: release.version,
    mastersSchedulable: false,
    controlPlaneReplicas: 3,
    bootstrapCompleteAt: replayTime,
    kubeconfig: buildKubeconfig(design.cluster.name, domain, assets),
  });
  saved.cluster = cluster;
  seedCluster(replayWorld, cluster, buildAwsManifests(domain));
  prepareCloud(replayWorld);
  const operators = createOperatorController(replayWorld, HEALTHY_CANARY);
  for (; replayTime < replayEnd; replayTime += REPLAY_STEP) {
    reconcileMachines({ ...replayWorld, domain });
    reconcileWorkloads(replayWorld);
    operators.reconcile();
  }
  world.store.load(replayWorld.store.dump());
  return buildKubeconfig(design.cluster.name, domain, assets);
}

/** Applies the differences from platform none: the machines, the load balancer of the routers, the storage. */
function prepareCloud({ store, design, faults }: World): void {
  for (const set of buildWorkerMachineSets()) store.create(MACHINE_SETS, set);
  for (const [role, kind] of [
    ['control-plane', 'master'],
    ['compute', 'worker'],
  ] as const) {
    for (const [index, { ip }] of listNodesWithRole(design, role).entries())
      store.create(MACHINES, buildInitialMachine(kind, index, ip[0] ?? ''));
  }
  store.mutate('configmaps', 'kube-system', 'bootstrap', (configMap) => {
    configMap.data = { status: 'complete' };
  });
  store.mutate('ingresscontrollers.operator.openshift.io', 'openshift-ingress-operator', 'default', (controller) => {
    const endpointPublishingStrategy = { type: 'LoadBalancerService', loadBalancer: { scope: 'External' } };
    assignFields(controller, 'status', { endpointPublishingStrategy });
  });
  store.mutate('configs.imageregistry.operator.openshift.io', null, 'cluster', (config) => {
    const storage = { s3: { bucket: 'shop-x7k2p-image-registry-us-east-2', encrypt: true, region: 'us-east-2' } };
    assignFields(config, 'spec', { managementState: 'Managed', replicas: 2, storage });
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

const DNS_PORT = 53;
const TTL = 60;

/** Builds the zone with the cluster's names, as the installer creates it in the cloud. */
export function buildCloudZones(design: Design): Zone[] {
  const { api, apiInt, ingress } = design.endpoints;
  const names: readonly [string, readonly string[]][] = [
    [getApiName(design), api],
    [getApiIntName(design), apiInt],
    [`*.${getAppsDomain(design)}`, ingress],
  ];
  const records = names.flatMap(([name, addresses]) => addresses.map((data) => ({ name, type: 'A', ttl: TTL, data })));
  return [{ origin: getClusterDomain(design), records }];
}

/**
 * Creates the services of the cloud besides its machines: a name server, which the first `apply` starts, and load
 * balancers that follow the cluster. A load balancer opens a port when it has targets.
 */
export function createCloudServices(world: World) {
  const { addresses, design, clock, log } = world;
  const zones = buildCloudZones(design);
  const loadBalancer = createBalancer(addresses, clock, log, async (name) => name);
  let server: NameServer | null = null;
  let appliedText = '';
  return {
    /** Sets the open endpoints as targets of the load balancers. */
    async apply(openEndpoints: readonly Endpoint[]): Promise<void> {
      const resolver = addresses.getLoopbackAddress(CLOUD_RESOLVER_ADDRESS);
      server ??= await startNameServer(resolver, addresses.getLocalPort(DNS_PORT), () => zones);
      const listeners = buildListeners(design, openEndpoints);
      const text = JSON.stringify(listeners);
      if (text === appliedText) return;
      appliedText = text;
      await loadBalancer.apply(listeners);
    },
    async stop(): Promise<void> {
      server?.stop();
      await loadBalancer.stop();
    },
  };
}

function buildListeners(
  { endpoints: { api, apiInt, ingress } }: Design,
  openEndpoints: readonly Endpoint[],
): BoundListener[] {
  const ports: readonly [number, readonly string[]][] = [
    [6443, [...api, ...apiInt]],
    [22623, apiInt],
    [80, ingress],
    [443, ingress],
  ];
  return ports.flatMap(([port, listenAddresses]) => {
    const targets = openEndpoints.filter((endpoint) => endpoint.port === port);
    const members = targets.map(({ address }) => ({ name: address, address }));
    return listPlainListeners(port, listenAddresses, members, (address) => `${address}:${port}`);
  });
}
