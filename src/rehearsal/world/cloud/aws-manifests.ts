import { CLOUD_INFRASTRUCTURE_NAME } from '../../../design/example.ts';
import type { NewObject } from '../../api/objects.ts';
import { buildConfigObject, buildInfrastructure } from '../../stand-in/manifests.ts';
import { MACHINE_API_NAMESPACE, MACHINE_SET_LABEL } from './machines.ts';

const REGION = 'us-east-2';
/** Zones of the region. The design's nodes use them in turn. */
const ZONES = ['a', 'b', 'c'].map((letter) => `${REGION}${letter}`);
const CLUSTER_LABEL = 'machine.openshift.io/cluster-api-cluster';

type MachineRole = 'master' | 'worker';

/** Builds the worker MachineSets, one per zone (openshift/installer, pkg/asset/machines/aws). */
export function buildWorkerMachineSets(): NewObject[] {
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
export function buildInitialMachine(role: MachineRole, index: number, address: string): NewObject {
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
export function buildAwsManifests(domain: string): Record<string, unknown>[] {
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
