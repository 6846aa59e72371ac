import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { buildInfraSet, chooseInfraSets, deriveInfraSetName } from '../../../src/infra/moves/infra-set.ts';
import { type MachineSetView, parseMachineSet, type UnfitReason } from '../../../src/infra/moves/machine-set-view.ts';
import { getField, type Json, type JsonObject, type KubeObject } from '../../../src/openshift/object.ts';
import { diffLines } from '../../../src/platform/diff.ts';
import { testDesign } from '../../support/csr-forge.ts';

const SET = 'machine.openshift.io/cluster-api-machineset';
const ROLE = 'machine.openshift.io/cluster-api-machine-role';
const TYPE = 'machine.openshift.io/cluster-api-machine-type';
const design = testDesign();

const readObjects = (name: string): KubeObject[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/machine-sets/${name}.json`, import.meta.url), 'utf8'));
const readMachineSets = (name: string) => readObjects(name).map(parseMachineSet);
const infrastructureName = (found: readonly MachineSetView[]) => found[0]?.name.replace(/-worker.*$/, '') ?? '';
const providerSpecValue = (set: unknown) => getField(set, 'spec', 'template', 'spec', 'providerSpec', 'value');

/** Lists the YAML lines that the copy adds to its example (`+`) or lacks (`-`). */
function diffSpecs(example: KubeObject, copy: object): string[] {
  const text = ({ spec }: { spec?: unknown }) => stringify(spec, { lineWidth: 0 });
  return diffLines(text(example), text(copy), 0).map(
    ({ kind, text }) => `${kind === 'added' ? '+' : '-'}${text.trim()}`,
  );
}

/** Per cloud: zones of the workers, infra sets for three machines, two sizes, and the diff lines between the sizes. */
const CLOUDS = [
  {
    cloud: 'aws',
    zones: ['us-east-2a', 'us-east-2b', 'us-east-2c'],
    names: ['shop-x7k2p-infra-us-east-2a', 'shop-x7k2p-infra-us-east-2b', 'shop-x7k2p-infra-us-east-2c'],
    sizes: ['m6i.xlarge', 'r6i.2xlarge'],
    lines: ['-instanceType: m6i.xlarge', '+instanceType: r6i.2xlarge'],
  },
  {
    cloud: 'azure',
    zones: ['westeurope1', 'westeurope2', 'westeurope3'],
    names: ['1', '2', '3'].map((zone) => `bank-4wq9d-infra-westeurope${zone}`),
    sizes: ['Standard_D4s_v5', 'Standard_E8s_v5'],
    lines: ['-vmSize: Standard_D4s_v5', '+vmSize: Standard_E8s_v5'],
  },
  {
    cloud: 'gcp',
    zones: ['europe-west3-a', 'europe-west3-b', 'europe-west3-c'],
    names: ['a', 'b', 'c'].map((zone) => `game-k2m8v-infra-${zone}`),
    sizes: ['n2-standard-4', 'n2-highmem-8'],
    lines: ['-machineType: n2-standard-4', '+machineType: n2-highmem-8'],
  },
  {
    cloud: 'vsphere',
    zones: ['a', 'b'].map(
      (rack, index) => `vcenter.example.com DC1 /DC1/host/rack-${rack}/Resources /DC1/datastore/ds${index}`,
    ),
    names: ['plant-t6r4z-infra-0', 'plant-t6r4z-infra-1'],
    sizes: ['4x16', '6x32'],
    lines: [
      ...['-memoryMiB: 16384', '+memoryMiB: 32768'],
      ...['-numCPUs: 4', '-numCoresPerSocket: 4', '+numCPUs: 6', '+numCoresPerSocket: 6'],
    ],
  },
  {
    cloud: 'openstack',
    zones: ['AZ_1'],
    names: ['lab-9pv5c-infra-0'],
    sizes: ['m1.xlarge', 'm1.2xlarge'],
    lines: ['-flavor: m1.xlarge', '+flavor: m1.2xlarge'],
  },
  {
    cloud: 'nutanix',
    zones: ['0005b6f1-8f43-a0f2-02b7-3cecef193712'],
    names: ['edge-nx3lq-infra'],
    sizes: ['4x16', '8x32'],
    lines: ['-memorySize: 16Gi', '+memorySize: 32Gi', '-vcpuSockets: 4', '+vcpuSockets: 8'],
  },
  {
    cloud: 'ibm',
    zones: ['eu-de-1', 'eu-de-2', 'eu-de-3'],
    names: ['1', '2', '3'].map((zone) => `core-b8d2w-infra-${zone}`),
    sizes: ['bx2-4x16', 'bx2-8x32'],
    lines: ['-profile: bx2-4x16', '+profile: bx2-8x32'],
  },
] as const;

test.each(CLOUDS)('$cloud: one infra set for each zone, a clone in all but names, labels, taint and size', (cloud) => {
  const found = readMachineSets(cloud.cloud);
  expect(found.map(({ zone, size, unfitReason, isInfra }) => [zone, size, unfitReason, isInfra])).toEqual(
    cloud.zones.map((zone) => [zone, cloud.sizes[0], null, false]),
  );
  const choice = chooseInfraSets(found, infrastructureName(found), 3);
  if (choice.state !== 'sets') throw new Error(choice.state);
  expect(choice.plannedSets.map(({ name }) => name)).toEqual(cloud.names);
  expect(choice.plannedSets.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(3);
  for (const { name, source } of choice.plannedSets) {
    const before = structuredClone(source.object);
    const same = buildInfraSet(source, { name, design, size: null });
    expect(providerSpecValue(same)).toEqual(providerSpecValue(source.object));
    const taint = ['+taints:', '+- key: node-role.kubernetes.io/infra', '+value: reserved', '+effect: NoSchedule'];
    const clone = diffSpecs(source.object, same);
    expect(clone).toEqual([
      ...(source.replicas === 0 ? [] : [`-replicas: ${source.replicas}`, '+replicas: 0']),
      ...[`-${SET}: ${source.name}`, `+${SET}: ${name}`],
      ...[`-${ROLE}: worker`, `-${TYPE}: worker`, `-${SET}: ${source.name}`],
      ...[`+${ROLE}: infra`, `+${TYPE}: infra`, `+${SET}: ${name}`],
      ...['-metadata: {}', '+metadata:', '+labels:', '+node-role.kubernetes.io/infra: ""'],
      ...taint,
    ]);
    const withNewSize = diffSpecs(source.object, buildInfraSet(source, { name, design, size: cloud.sizes[1] }));
    expect(withNewSize.filter((line) => !clone.includes(line))).toEqual(cloud.lines);
    expect(source.provider?.sizePattern.test(cloud.sizes[1])).toBe(true);
    for (const bad of ['', 'a b', '-x', '8x 32', 'x'.repeat(80)])
      expect(source.provider?.sizePattern.test(bad)).toBe(false);
    // The labels agree in all three places. No other label or annotation is copied.
    const labels = same.metadata.labels ?? {};
    const cluster = { 'machine.openshift.io/cluster-api-cluster': infrastructureName(found) };
    expect(labels).toEqual({ ...cluster, [ROLE]: 'infra', [TYPE]: 'infra', [SET]: name });
    expect(getField(same.spec, 'selector', 'matchLabels')).toEqual({ ...cluster, [SET]: name });
    expect(getField(same.spec, 'template', 'metadata')).toEqual({
      labels: { ...cluster, [ROLE]: 'infra', [TYPE]: 'infra', [SET]: name },
    });
    expect(Object.keys(same.metadata).sort()).toEqual(['labels', 'name', 'namespace']);
    expect(same).not.toHaveProperty('status');
    expect(source.object).toEqual(before);
  }
});

test('machines are spread over the zones, those with workers first, and existing infra machines count', () => {
  const aws = readMachineSets('aws');
  const describeChoice = (found: readonly MachineSetView[], count: number) => {
    const choice = chooseInfraSets(found, 'shop-x7k2p', count);
    return choice.state === 'sets'
      ? choice.plannedSets.map(({ name, replicas }) => `${name.slice(-2)} ${replicas}`)
      : choice;
  };
  expect(describeChoice(aws, 1)).toEqual(['2a 1']);
  expect(describeChoice(aws, 2)).toEqual(['2a 1', '2b 1']);
  expect(describeChoice(aws, 5)).toEqual(['2a 2', '2b 2', '2c 1']);
  const [first] = readObjects('aws');
  const createInfraSet = (name: string, replicas: number) => {
    const object = buildInfraSet(parseMachineSet(first as KubeObject), { name, design, size: null });
    return parseMachineSet({ apiVersion: '', kind: '', ...object, spec: { ...(object.spec as JsonObject), replicas } });
  };
  // An infra set created by hand under another name counts. One created by upi-wizard does not change the plan.
  expect(describeChoice([...aws, createInfraSet('shop-infra', 2)], 3)).toEqual(['2a 1']);
  expect(describeChoice([...aws, createInfraSet('shop-infra', 3)], 3)).toEqual([]);
  expect(describeChoice([...aws, createInfraSet('shop-x7k2p-infra-us-east-2a', 1)], 3)).toEqual([
    '2a 1',
    '2b 1',
    '2c 1',
  ]);
  // A set with another purpose already has this name.
  const [firstObject = first as KubeObject] = readObjects('aws');
  const other = parseMachineSet({
    ...firstObject,
    metadata: { ...firstObject.metadata, name: 'shop-x7k2p-infra-us-east-2a' },
  });
  expect(describeChoice([...aws, other], 3)).toEqual({ state: 'taken', names: ['shop-x7k2p-infra-us-east-2a'] });
  // Of two sets in one zone, the set that the installer created is the example.
  const teamSet = parseMachineSet({ ...firstObject, metadata: { ...firstObject.metadata, name: 'a-team-us-east-2a' } });
  expect(chooseInfraSets([teamSet, ...aws], 'shop-x7k2p', 3)).toEqual(chooseInfraSets(aws, 'shop-x7k2p', 3));
});

test('sets that cannot be the example: Windows, edge, graphics, spot, tainted, other roles, deleted, selecting by expression', () => {
  const unfit: UnfitReason[] = ['windows', 'edge', 'gpu', 'spot', 'tainted', 'role'];
  const found = readMachineSets('aws-unfit');
  expect(found.map((set) => set.unfitReason)).toEqual(unfit);
  expect(chooseInfraSets(found, 'shop-x7k2p', 3)).toEqual({
    state: 'notCloneable',
    names: found.map(({ name }) => name),
  });
  const aws = readMachineSets('aws');
  expect(chooseInfraSets([...found, ...aws], 'shop-x7k2p', 3)).toEqual(chooseInfraSets(aws, 'shop-x7k2p', 3));
  const [awsSet] = readObjects('aws');
  const [gcpSet] = readObjects('gcp');
  if (!awsSet || !gcpSet) throw new Error('no fixture');
  const withSpec = (object: KubeObject, spec: JsonObject): KubeObject => ({
    ...object,
    spec: { ...object.spec, ...spec },
  });
  const withValue = (object: KubeObject, extra: JsonObject): KubeObject => {
    const copy = structuredClone(object);
    Object.assign(providerSpecValue(copy) as Record<string, Json>, extra);
    return copy;
  };
  const cases: [KubeObject, UnfitReason | null][] = [
    [{ ...awsSet, metadata: { ...awsSet.metadata, deletionTimestamp: '2026-03-02T08:11:42Z' } }, 'deleted'],
    [withSpec(awsSet, { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }), 'selector'],
    [withSpec(awsSet, { authoritativeAPI: 'ClusterAPI' }), 'cluster-api'],
    [{ ...awsSet, status: { authoritativeAPI: 'Migrating' } }, 'cluster-api'],
    [withSpec(awsSet, { authoritativeAPI: 'MachineAPI' }), null],
    [withValue(awsSet, { kind: 'AlibabaCloudMachineProviderConfig' }), 'provider'],
    [withValue(gcpSet, { gpus: [{ count: 1, type: 'nvidia-tesla-t4' }] }), 'gpu'],
    [withValue(gcpSet, { preemptible: true }), 'spot'],
  ];
  expect(cases.map(([object]) => parseMachineSet(object).unfitReason)).toEqual(cases.map(([, expected]) => expected));
  expect(chooseInfraSets([parseMachineSet(cases[2]?.[0] ?? awsSet), ...aws.slice(1)], 'shop-x7k2p', 3).state).toBe(
    'clusterApi',
  );
});

test('a name fits a machine, a host and a label, whatever the worker set is called', () => {
  const setName = (name: string, zone = 'eu-1') => deriveInfraSetName({ name, zone }, 'abcdefghijklmnopqrstu-x7k2p');
  expect(setName('own')).toBe('abcdefghijklmnopqrstu-x7k2p-infra-eu-1');
  expect(setName('own', 'AZ_1')).toBe('abcdefghijklmnopqrstu-x7k2p-infra-az-1');
  expect(setName('own', '')).toBe('abcdefghijklmnopqrstu-x7k2p-infra');
  const long = ['a', 'b'].map((end) =>
    setName(`abcdefghijklmnopqrstu-x7k2p-worker-us-gov-west-1-very-long-local-zone-1${end}`),
  );
  expect(new Set(long).size).toBe(2);
  for (const name of long) expect(name).toMatch(/^abcdefghijklmnopqrstu-x7k2p-infra-[a-z0-9-]+-[0-9a-f]{5}$/);
  for (const name of long) expect(`${name}-xxxxx`.length).toBeLessThanOrEqual(63);
});
