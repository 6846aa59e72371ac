import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { generateFiles } from '../../../src/artifacts/generate.ts';
import type { Design, InfraSettings } from '../../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite, generateFileText } from '../../support/example-design.ts';

const FILE = 'bastion/root/upi-wizard/infra.yaml';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly data: { readonly 'config.yaml': string };
}

function generateManifests(infra: Partial<InfraSettings>, design: Partial<Design> = {}): Manifest[] {
  const site = exampleSite({ infra: { ...exampleSite().infra, ...infra }, ...design });
  const documents = parseAllDocuments(generateFileText(site, FILE));
  if (!Array.isArray(documents)) throw new Error('no document');
  for (const { errors } of documents) expect(errors).toEqual([]);
  return documents.map((document) => document.toJS());
}

test('the taint comes last, with the effects and the value of the design', () => {
  const taint = { key: 'node-role.kubernetes.io/infra', value: '', noExecute: true };
  const found = generateManifests({ taint });
  const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'node-role.kubernetes.io/infra', effect }));
  expect(found.slice(-3).map(({ kind, spec }) => [kind, spec.taints])).toEqual(
    Array.from({ length: 3 }, () => ['Node', taints]),
  );
  expect(found.find(({ kind }) => kind === 'IngressController')?.spec).toMatchObject({
    nodePlacement: { tolerations: taints.map((each) => ({ ...each, operator: 'Exists' })) },
  });
});

test('values that YAML 1.1 reads as another type stay strings', () => {
  const { infra } = exampleSite();
  const site = exampleSite({
    infra: {
      ...infra,
      taint: { key: 'y', value: 'yes', noExecute: false },
      monitoring: { ...infra.monitoring, storageClass: 'on' },
    },
  });
  const documents = parseAllDocuments(generateFileText(site, FILE), { version: '1.1' });
  const found = Array.isArray(documents) ? documents.map((document): Manifest => document.toJS()) : [];
  const specs = found.flatMap(({ kind, spec }) => (kind === 'Node' ? [spec] : []));
  expect(specs).toContainEqual({ taints: [{ key: 'y', value: 'yes', effect: 'NoSchedule' }] });
  const config = found.find(({ data }) => data?.['config.yaml'] !== undefined)?.data['config.yaml'] ?? '';
  const { prometheusK8s } = parse(config, { version: '1.1' });
  expect(prometheusK8s).toMatchObject({
    tolerations: [
      { key: 'y', value: 'yes' },
      { key: 'y', value: 'yes' },
    ],
    volumeClaimTemplate: { spec: { storageClassName: 'on' } },
  });
});

test('parts that the design leaves out are not generated', () => {
  const registry = { ...exampleSite().infra.registry, storage: 'none' } as const;
  const kinds = generateManifests({ registry, pool: false }).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== 'Node')).toEqual(['DNS', 'IngressController', 'ConfigMap']);
  const nodes = exampleSite().nodes.filter(({ role }) => role !== 'infra');
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  const { files } = generateFiles({ ...input, design: exampleSite({ nodes }) });
  expect(files.some(({ kind }) => kind === 'infra-manifest')).toBe(false);
});

test('one registry replica with ReadWriteOnce; volumes where the design names a storage class', () => {
  const registry = {
    storage: 'pvc',
    storageClass: 'block',
    accessMode: 'ReadWriteOnce',
    sizeGiB: 50,
    retain: false,
  } as const;
  const monitoring = { storageClass: 'block', prometheusGiB: 40, alertmanagerGiB: 10 };
  const found = generateManifests({ registry, monitoring });
  expect(found.find(({ kind }) => kind === 'PersistentVolumeClaim')?.spec).toEqual({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '50Gi' } },
    storageClassName: 'block',
  });
  expect(found.find(({ kind }) => kind === 'Config')?.spec).toMatchObject({ replicas: 1, rolloutStrategy: 'Recreate' });
  const config = found.find(({ kind }) => kind === 'ConfigMap')?.data['config.yaml'] ?? '';
  expect(config).toContain('storageClassName: block');
  expect(config).toContain('storage: 40Gi');
  const emptyDir = generateManifests({ registry: { ...registry, storage: 'emptyDir' } });
  expect(emptyDir.find(({ kind }) => kind === 'Config')?.spec.storage).toEqual({ emptyDir: {} });
});

test.each([
  ['4.10', 'grafana', 'metricsServer'],
  ['4.18', 'metricsServer', 'grafana'],
])('monitoring of %s has the components of that version', (version, present, absent) => {
  const openshift = { version, architecture: 'x86_64', osImageStream: null } as const;
  const config =
    generateManifests({}, { openshift }).find(({ kind }) => kind === 'ConfigMap')?.data['config.yaml'] ?? '';
  expect(config).toMatch(new RegExp(`^${present}:`, 'm'));
  expect(config).not.toMatch(new RegExp(`^${absent}:`, 'm'));
});

test('has the command that removes the worker role, if the design asks for it', () => {
  expect(generateFileText(exampleSite(), FILE)).not.toContain('oc label');
  const infra = { ...exampleSite().infra, keepWorkerRole: false };
  expect(generateFileText(exampleSite({ infra }), FILE)).toContain(
    '#   oc label node i1.ocp45.example.localdomain i2.ocp45.example.localdomain i3.ocp45.example.localdomain node-role.kubernetes.io/worker-\n',
  );
});

test('storage nodes get their label with the others', () => {
  const nodes = exampleSite().nodes.map((node) => (node.name === 'w3' ? { ...node, role: 'storage' as const } : node));
  const labelled = generateManifests({}, { nodes }).filter(({ kind }) => kind === 'Node');
  expect(labelled.map(({ metadata }) => metadata)).toContainEqual({
    name: 'w3.ocp45.example.localdomain',
    labels: { 'cluster.ocs.openshift.io/openshift-storage': '' },
  });
});

test('monitoring stays where it is when there is one infra node only', () => {
  const nodes = exampleSite().nodes.filter(({ name }) => !/^i[23]$/.test(name));
  const kinds = generateManifests({}, { nodes }).map(({ kind }) => kind);
  expect(kinds).toContain('IngressController');
  expect(kinds).not.toContain('ConfigMap');
});
