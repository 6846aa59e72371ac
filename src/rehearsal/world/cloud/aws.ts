import { CLOUD_INFRASTRUCTURE } from '../../../design/example-cloud.ts';
import type { NewObject } from '../../api/objects.ts';
import { MACHINE_API } from './machines.ts';

const REGION = 'us-east-2';
/** The zones of the region, in the order of the nodes of the design. */
const ZONES = ['a', 'b', 'c'].map((letter) => `${REGION}${letter}`);
const CLUSTER_LABEL = 'machine.openshift.io/cluster-api-cluster';
const SET_LABEL = 'machine.openshift.io/cluster-api-machineset';

type Role = 'master' | 'worker';

/** The worker MachineSets as the installer makes them on AWS (openshift/installer, pkg/asset/machines/aws), one in each zone. */
export function workerSets(): NewObject[] {
  return ZONES.map((zone) => {
    const name = setName(zone);
    const selector = { [CLUSTER_LABEL]: CLOUD_INFRASTRUCTURE, [SET_LABEL]: name };
    return {
      metadata: { name, namespace: MACHINE_API, labels: { [CLUSTER_LABEL]: CLOUD_INFRASTRUCTURE } },
      spec: {
        replicas: 1,
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...roleLabels('worker'), [SET_LABEL]: name } },
          spec: { lifecycleHooks: {}, metadata: {}, providerSpec: { value: providerSpec('worker', zone) } },
        },
      },
      status: {},
    };
  });
}

/** A machine of the installer, ordered but not started: a control plane node, or the worker of the zone's set. */
export function firstMachine(role: Role, index: number, address: string): NewObject {
  const zone = ZONES[index % ZONES.length] ?? '';
  const isMaster = role === 'master';
  const name = isMaster ? `${CLOUD_INFRASTRUCTURE}-master-${index}` : `${setName(zone)}-${SUFFIXES[index % 3]}`;
  return {
    metadata: {
      name,
      namespace: MACHINE_API,
      labels: { ...roleLabels(role), ...(isMaster ? {} : { [SET_LABEL]: setName(zone) }) },
      finalizers: ['machine.machine.openshift.io'],
    },
    spec: { lifecycleHooks: {}, metadata: {}, providerSpec: { value: providerSpec(role, zone) } },
    status: { addresses: [{ type: 'InternalIP', address }] },
  };
}

const SUFFIXES = ['7kq2m', 'd94xv', 'tz8wl'] as const;
const setName = (zone: string) => `${CLOUD_INFRASTRUCTURE}-worker-${zone}`;

const roleLabels = (role: Role) => ({
  [CLUSTER_LABEL]: CLOUD_INFRASTRUCTURE,
  'machine.openshift.io/cluster-api-machine-role': role,
  'machine.openshift.io/cluster-api-machine-type': role,
});

function providerSpec(role: Role, zone: string) {
  const tagged = (...values: readonly string[]) => ({ filters: [{ name: 'tag:Name', values }] });
  return {
    ami: { id: 'ami-0d2f1a64f9b3e5c77' },
    apiVersion: 'machine.openshift.io/v1beta1',
    blockDevices: [{ ebs: { encrypted: true, iops: 0, kmsKey: { arn: '' }, volumeSize: 120, volumeType: 'gp3' } }],
    capacityReservationId: '',
    credentialsSecret: { name: 'aws-cloud-credentials' },
    deviceIndex: 0,
    iamInstanceProfile: { id: `${CLOUD_INFRASTRUCTURE}-${role}-profile` },
    instanceType: 'm6i.xlarge',
    kind: 'AWSMachineProviderConfig',
    metadata: { creationTimestamp: null },
    metadataServiceOptions: {},
    placement: { availabilityZone: zone, region: REGION },
    securityGroups: [tagged(`${CLOUD_INFRASTRUCTURE}-node`), tagged(`${CLOUD_INFRASTRUCTURE}-lb`)],
    subnet: tagged(`${CLOUD_INFRASTRUCTURE}-subnet-private-${zone}`),
    tags: [{ name: `kubernetes.io/cluster/${CLOUD_INFRASTRUCTURE}`, value: 'owned' }],
    userDataSecret: { name: `${role}-user-data` },
  };
}

/** What the installer says of the cluster on AWS, where it differs from platform none. */
export function awsManifests(domain: string): Record<string, unknown>[] {
  const config = (kind: string, rest: Record<string, unknown>) => ({
    apiVersion: 'config.openshift.io/v1',
    kind,
    metadata: { name: 'cluster' },
    ...rest,
  });
  return [
    config('Infrastructure', {
      spec: { platformSpec: { type: 'AWS', aws: {} } },
      status: {
        apiServerInternalURI: `https://api-int.${domain}:6443`,
        apiServerURL: `https://api.${domain}:6443`,
        controlPlaneTopology: 'HighlyAvailable',
        infrastructureName: CLOUD_INFRASTRUCTURE,
        infrastructureTopology: 'HighlyAvailable',
        platform: 'AWS',
        platformStatus: { type: 'AWS', aws: { region: REGION } },
      },
    }),
    config('DNS', { spec: { baseDomain: domain } }),
    config('Ingress', { spec: { domain: `apps.${domain}` } }),
    config('Scheduler', { spec: { mastersSchedulable: false, policy: { name: '' } }, status: {} }),
  ];
}
