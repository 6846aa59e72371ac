import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import { type Field, field } from '../fields.ts';

const words = () => catalogue().pages.services;

const MACHINES = 'infra.machineSets';
const WORKERS = 'infra.autoscaler';

const hasInfraNodes = (document: Document) => {
  const nodes = getAt(document, 'nodes');
  return Array.isArray(nodes) && nodes.some((node: unknown) => getAt(node, 'role') === 'infra');
};
const hasMachines = (document: Document) => Boolean(getAt(document, MACHINES));
const hasInfra = (document: Document) => hasInfraNodes(document) || hasMachines(document);
/** Where the design names no infra nodes, a cloud may make them. */
const mayHaveMachines = (document: Document) => !hasInfraNodes(document) || hasMachines(document);
const hasWorkers = (document: Document) => Boolean(getAt(document, WORKERS));

/** Without their number, there are none: nothing of them stays in the design. */
const whole =
  (block: string, number: string) =>
  (document: Document): Document =>
    getAt(document, `${block}.${number}`) === undefined ? setAt(document, block, undefined) : document;
const isVolume = (document: Document) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc';
const hasVolumes = (document: Document) => Boolean(getAt(document, 'infra.monitoring.storageClass'));

/** The flags of the infra nodes: all but one are true by default. */
const flag = (path: string, text: Field['words'], usual: 'true' | 'false'): Field => ({
  path,
  type: 'flag',
  words: text,
  fallback: () => usual,
  isVisible: hasInfra,
});

/** The machines of a cloud: infra nodes that MachineSets make, and workers that come and go. */
const cloudFields: readonly Field[] = [
  field(`${MACHINES}.count`, 'number', () => words().infraMachines, {
    isOptional: true,
    isVisible: mayHaveMachines,
    follow: whole(MACHINES, 'count'),
    alsoOwns: [MACHINES],
  }),
  field(`${MACHINES}.size`, 'text', () => words().infraSize, { isOptional: true, isVisible: hasMachines }),
  field(`${MACHINES}.healthCheck`, 'flag', () => words().infraHealth, {
    fallback: () => 'false',
    isVisible: hasMachines,
  }),
  field(`${WORKERS}.most`, 'number', () => words().mostWorkers, {
    isOptional: true,
    isVisible: (document) => hasMachines(document) || hasWorkers(document),
    follow: whole(WORKERS, 'most'),
    alsoOwns: [WORKERS],
  }),
  field(`${WORKERS}.least`, 'number', () => words().leastWorkers, {
    isOptional: true,
    fallback: () => '1',
    isVisible: hasWorkers,
  }),
];

/** The rarely needed questions about storage and infra nodes, on the page of the services. */
export const infraFields: readonly Field[] = [
  ...cloudFields,
  field('infra.registry.accessMode', 'choice', () => words().registryAccess, {
    choices: ['ReadWriteMany', 'ReadWriteOnce'],
    fallback: () => 'ReadWriteMany',
    isVisible: isVolume,
  }),
  field('infra.registry.sizeGiB', 'number', () => words().registrySize, {
    isOptional: true,
    fallback: () => '100',
    isVisible: isVolume,
  }),
  field('infra.monitoring.storageClass', 'text', () => words().monitoringClass, { isOptional: true }),
  field('infra.monitoring.prometheusGiB', 'number', () => words().prometheusSize, {
    isOptional: true,
    fallback: () => '40',
    isVisible: hasVolumes,
  }),
  field('infra.monitoring.alertmanagerGiB', 'number', () => words().alertmanagerSize, {
    isOptional: true,
    fallback: () => '10',
    isVisible: hasVolumes,
  }),
  field('infra.routerReplicas', 'number', () => words().routerReplicas, {
    isOptional: true,
    fallback: () => '3',
    isVisible: hasInfra,
  }),
  field('infra.taint.key', 'text', () => words().taintKey, {
    isOptional: true,
    fallback: () => 'node-role.kubernetes.io/infra',
    isVisible: hasInfra,
    alsoOwns: ['infra.taint'],
  }),
  field('infra.taint.value', 'text', () => words().taintValue, { fallback: () => 'reserved', isVisible: hasInfra }),
  flag('infra.taint.noExecute', () => words().noExecute, 'false'),
  flag('infra.pool', () => words().pool, 'true'),
  flag('infra.keepWorkerRole', () => words().keepWorker, 'true'),
  flag('infra.removeWorkersFromLoadBalancer', () => words().removeWorkers, 'true'),
].map((each) => ({ ...each, isAdvanced: true }));
