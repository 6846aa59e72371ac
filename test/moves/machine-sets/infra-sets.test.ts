import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { chooseSets } from '../../../src/moves/machine-sets/choose.ts';
import { infraSet, infraSetName } from '../../../src/moves/machine-sets/infra-set.ts';
import { type Unfit, type WorkerSet, workerSet } from '../../../src/moves/machine-sets/worker-set.ts';
import { at, type Json, type JsonObject, type KubeObject } from '../../../src/objects/object.ts';
import { diffLines } from '../../../src/text/diff.ts';
import { testDesign } from '../../support/csr-forge.ts';

const SET = 'machine.openshift.io/cluster-api-machineset';
const ROLE = 'machine.openshift.io/cluster-api-machine-role';
const TYPE = 'machine.openshift.io/cluster-api-machine-type';
const design = testDesign();

const objects = (name: string): KubeObject[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/machine-sets/${name}.json`, import.meta.url), 'utf8'));
const sets = (name: string) => objects(name).map(workerSet);
const infrastructureOf = (found: readonly WorkerSet[]) => found[0]?.name.replace(/-worker.*$/, '') ?? '';
const value = (set: unknown) => at(set, 'spec', 'template', 'spec', 'providerSpec', 'value');

/** What a person reads: the lines that the copy has and its example has not, and the reverse. */
function differences(example: KubeObject, copy: object): string[] {
  const text = ({ spec }: { spec?: unknown }) => stringify(spec, { lineWidth: 0 });
  return diffLines(text(example), text(copy), 0).map(
    ({ kind, text }) => `${kind === 'added' ? '+' : '-'}${text.trim()}`,
  );
}

/** By cloud: the zones of its workers, the sets that three machines give, a size, and the lines of that size. */
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
  const found = sets(cloud.cloud);
  expect(found.map(({ zone, size, unfit, isInfra }) => [zone, size, unfit, isInfra])).toEqual(
    cloud.zones.map((zone) => [zone, cloud.sizes[0], null, false]),
  );
  const choice = chooseSets(found, infrastructureOf(found), 3);
  if (choice.state !== 'sets') throw new Error(choice.state);
  expect(choice.wanted.map(({ name }) => name)).toEqual(cloud.names);
  expect(choice.wanted.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(3);
  for (const { name, example } of choice.wanted) {
    const before = structuredClone(example.object);
    const same = infraSet(example, { name, design, size: null });
    expect(value(same)).toEqual(value(example.object));
    const taint = ['+taints:', '+- key: node-role.kubernetes.io/infra', '+value: reserved', '+effect: NoSchedule'];
    const clone = differences(example.object, same);
    expect(clone).toEqual([
      ...(example.replicas === 0 ? [] : [`-replicas: ${example.replicas}`, '+replicas: 0']),
      ...[`-${SET}: ${example.name}`, `+${SET}: ${name}`],
      ...[`-${ROLE}: worker`, `-${TYPE}: worker`, `-${SET}: ${example.name}`],
      ...[`+${ROLE}: infra`, `+${TYPE}: infra`, `+${SET}: ${name}`],
      ...['-metadata: {}', '+metadata:', '+labels:', '+node-role.kubernetes.io/infra: ""'],
      ...taint,
    ]);
    const sized = differences(example.object, infraSet(example, { name, design, size: cloud.sizes[1] }));
    expect(sized.filter((line) => !clone.includes(line))).toEqual(cloud.lines);
    expect(example.provider?.form.test(cloud.sizes[1])).toBe(true);
    for (const bad of ['', 'a b', '-x', '8x 32', 'x'.repeat(80)]) expect(example.provider?.form.test(bad)).toBe(false);
    // The labels agree in all three places, and nobody else's label or annotation came along.
    const labels = same.metadata.labels ?? {};
    const cluster = { 'machine.openshift.io/cluster-api-cluster': infrastructureOf(found) };
    expect(labels).toEqual({ ...cluster, [ROLE]: 'infra', [TYPE]: 'infra', [SET]: name });
    expect(at(same.spec, 'selector', 'matchLabels')).toEqual({ ...cluster, [SET]: name });
    expect(at(same.spec, 'template', 'metadata')).toEqual({
      labels: { ...cluster, [ROLE]: 'infra', [TYPE]: 'infra', [SET]: name },
    });
    expect(Object.keys(same.metadata).sort()).toEqual(['labels', 'name', 'namespace']);
    expect(same).not.toHaveProperty('status');
    expect(example.object).toEqual(before);
  }
});

test('machines are spread over the zones, those with workers first, and infra machines that are there count', () => {
  const aws = sets('aws');
  const spread = (found: readonly WorkerSet[], count: number) => {
    const choice = chooseSets(found, 'shop-x7k2p', count);
    return choice.state === 'sets'
      ? choice.wanted.map(({ name, replicas }) => `${name.slice(-2)} ${replicas}`)
      : choice;
  };
  expect(spread(aws, 1)).toEqual(['2a 1']);
  expect(spread(aws, 2)).toEqual(['2a 1', '2b 1']);
  expect(spread(aws, 5)).toEqual(['2a 2', '2b 2', '2c 1']);
  const [first] = objects('aws');
  const made = (name: string, replicas: number) => {
    const object = infraSet(workerSet(first as KubeObject), { name, design, size: null });
    return workerSet({ apiVersion: '', kind: '', ...object, spec: { ...(object.spec as JsonObject), replicas } });
  };
  // Made by hand under another name: it counts. Made by us: the plan stays the same.
  expect(spread([...aws, made('shop-infra', 2)], 3)).toEqual(['2a 1']);
  expect(spread([...aws, made('shop-infra', 3)], 3)).toEqual([]);
  expect(spread([...aws, made('shop-x7k2p-infra-us-east-2a', 1)], 3)).toEqual(['2a 1', '2b 1', '2c 1']);
  // The name of a set that is for something else is not ours to take.
  const [taken = first as KubeObject] = objects('aws');
  const other = workerSet({ ...taken, metadata: { ...taken.metadata, name: 'shop-x7k2p-infra-us-east-2a' } });
  expect(spread([...aws, other], 3)).toEqual({ state: 'taken', names: ['shop-x7k2p-infra-us-east-2a'] });
  // Of two in a zone the installer's own.
  const late = workerSet({ ...taken, metadata: { ...taken.metadata, name: 'a-team-us-east-2a' } });
  expect(chooseSets([late, ...aws], 'shop-x7k2p', 3)).toEqual(chooseSets(aws, 'shop-x7k2p', 3));
});

test('sets that are no example: Windows, edge, graphics, spot, tainted, other roles, deleted, selecting by expression', () => {
  const unfit: Unfit[] = ['windows', 'edge', 'gpu', 'spot', 'tainted', 'role'];
  const found = sets('aws-unfit');
  expect(found.map((set) => set.unfit)).toEqual(unfit);
  expect(chooseSets(found, 'shop-x7k2p', 3)).toEqual({ state: 'noExample', names: found.map(({ name }) => name) });
  const aws = sets('aws');
  expect(chooseSets([...found, ...aws], 'shop-x7k2p', 3)).toEqual(chooseSets(aws, 'shop-x7k2p', 3));
  const [usual] = objects('aws');
  const [google] = objects('gcp');
  if (!usual || !google) throw new Error('no fixture');
  const withSpec = (object: KubeObject, spec: JsonObject): KubeObject => ({
    ...object,
    spec: { ...object.spec, ...spec },
  });
  const withValue = (object: KubeObject, extra: JsonObject): KubeObject => {
    const copy = structuredClone(object);
    Object.assign(value(copy) as Record<string, Json>, extra);
    return copy;
  };
  const cases: [KubeObject, Unfit | null][] = [
    [{ ...usual, metadata: { ...usual.metadata, deletionTimestamp: '2026-03-02T08:11:42Z' } }, 'deleted'],
    [withSpec(usual, { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }), 'selector'],
    [withSpec(usual, { authoritativeAPI: 'ClusterAPI' }), 'cluster-api'],
    [{ ...usual, status: { authoritativeAPI: 'Migrating' } }, 'cluster-api'],
    [withSpec(usual, { authoritativeAPI: 'MachineAPI' }), null],
    [withValue(usual, { kind: 'AlibabaCloudMachineProviderConfig' }), 'provider'],
    [withValue(google, { gpus: [{ count: 1, type: 'nvidia-tesla-t4' }] }), 'gpu'],
    [withValue(google, { preemptible: true }), 'spot'],
  ];
  expect(cases.map(([object]) => workerSet(object).unfit)).toEqual(cases.map(([, expected]) => expected));
  expect(chooseSets([workerSet(cases[2]?.[0] ?? usual), ...aws.slice(1)], 'shop-x7k2p', 3).state).toBe('clusterApi');
});

test('a name fits a machine, a host and a label, whatever the worker set is called', () => {
  const nameOf = (name: string, zone = 'eu-1') => infraSetName({ name, zone }, 'abcdefghijklmnopqrstu-x7k2p');
  expect(nameOf('own')).toBe('abcdefghijklmnopqrstu-x7k2p-infra-eu-1');
  expect(nameOf('own', 'AZ_1')).toBe('abcdefghijklmnopqrstu-x7k2p-infra-az-1');
  expect(nameOf('own', '')).toBe('abcdefghijklmnopqrstu-x7k2p-infra');
  const long = ['a', 'b'].map((end) =>
    nameOf(`abcdefghijklmnopqrstu-x7k2p-worker-us-gov-west-1-very-long-local-zone-1${end}`),
  );
  expect(new Set(long).size).toBe(2);
  for (const name of long) expect(name).toMatch(/^abcdefghijklmnopqrstu-x7k2p-infra-[a-z0-9-]+-[0-9a-f]{5}$/);
  for (const name of long) expect(`${name}-xxxxx`.length).toBeLessThanOrEqual(63);
});
