import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import type { Field } from '../fields.ts';

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
  isAdvanced: true,
  fallback: () => usual,
  isVisible: hasInfra,
});

/** The machines of a cloud: infra nodes that MachineSets make, and workers that come and go. */
const cloudFields: readonly Field[] = [
  {
    path: `${MACHINES}.count`,
    type: 'number',
    words: () => words().infraMachines,
    isOptional: true,
    isAdvanced: true,
    isVisible: mayHaveMachines,
    follow: whole(MACHINES, 'count'),
    alsoOwns: [MACHINES],
  },
  {
    path: `${MACHINES}.size`,
    type: 'text',
    words: () => words().infraSize,
    isOptional: true,
    isAdvanced: true,
    isVisible: hasMachines,
  },
  {
    path: `${MACHINES}.healthCheck`,
    type: 'flag',
    words: () => words().infraHealth,
    isAdvanced: true,
    fallback: () => 'false',
    isVisible: hasMachines,
  },
  {
    path: `${WORKERS}.most`,
    type: 'number',
    words: () => words().mostWorkers,
    isOptional: true,
    isAdvanced: true,
    isVisible: (document) => hasMachines(document) || hasWorkers(document),
    follow: whole(WORKERS, 'most'),
    alsoOwns: [WORKERS],
  },
  {
    path: `${WORKERS}.least`,
    type: 'number',
    words: () => words().leastWorkers,
    isOptional: true,
    isAdvanced: true,
    fallback: () => '1',
    isVisible: hasWorkers,
  },
];

/** The rarely needed questions about storage and infra nodes, on the page of the services. */
export const infraFields: readonly Field[] = [
  ...cloudFields,
  {
    path: 'infra.registry.accessMode',
    type: 'choice',
    words: () => words().registryAccess,
    choices: ['ReadWriteMany', 'ReadWriteOnce'],
    isAdvanced: true,
    fallback: () => 'ReadWriteMany',
    isVisible: isVolume,
  },
  {
    path: 'infra.registry.sizeGiB',
    type: 'number',
    words: () => words().registrySize,
    isOptional: true,
    isAdvanced: true,
    fallback: () => '100',
    isVisible: isVolume,
  },
  {
    path: 'infra.monitoring.storageClass',
    type: 'text',
    words: () => words().monitoringClass,
    isOptional: true,
    isAdvanced: true,
  },
  {
    path: 'infra.monitoring.prometheusGiB',
    type: 'number',
    words: () => words().prometheusSize,
    isOptional: true,
    isAdvanced: true,
    fallback: () => '40',
    isVisible: hasVolumes,
  },
  {
    path: 'infra.monitoring.alertmanagerGiB',
    type: 'number',
    words: () => words().alertmanagerSize,
    isOptional: true,
    isAdvanced: true,
    fallback: () => '10',
    isVisible: hasVolumes,
  },
  {
    path: 'infra.routerReplicas',
    type: 'number',
    words: () => words().routerReplicas,
    isOptional: true,
    isAdvanced: true,
    fallback: () => '3',
    isVisible: hasInfra,
  },
  {
    path: 'infra.taint.key',
    type: 'text',
    words: () => words().taintKey,
    isOptional: true,
    isAdvanced: true,
    fallback: () => 'node-role.kubernetes.io/infra',
    isVisible: hasInfra,
    alsoOwns: ['infra.taint'],
  },
  {
    path: 'infra.taint.value',
    type: 'text',
    words: () => words().taintValue,
    isAdvanced: true,
    fallback: () => 'reserved',
    isVisible: hasInfra,
  },
  flag('infra.taint.noExecute', () => words().noExecute, 'false'),
  flag('infra.pool', () => words().pool, 'true'),
  flag('infra.keepWorkerRole', () => words().keepWorker, 'true'),
  flag('infra.removeWorkersFromLoadBalancer', () => words().removeWorkers, 'true'),
];
