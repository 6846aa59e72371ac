import { type DesignDocument, getAt, setAt } from '../../../design/paths.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { type Field, field } from '../fields.ts';

const words = () => catalogue().pages.services;

const MACHINE_SETS = 'infra.machineSets';
const AUTOSCALER = 'infra.autoscaler';

const hasInfraNodes = (document: DesignDocument) => {
  const nodes = getAt(document, 'nodes');
  return Array.isArray(nodes) && nodes.some((node: unknown) => getAt(node, 'role') === 'infra');
};
const hasMachineSets = (document: DesignDocument) => Boolean(getAt(document, MACHINE_SETS));
const hasInfra = (document: DesignDocument) => hasInfraNodes(document) || hasMachineSets(document);
/** If the design names no infra nodes, MachineSets of a cloud can create them. */
const canHaveMachineSets = (document: DesignDocument) => !hasInfraNodes(document) || hasMachineSets(document);
const hasAutoscaler = (document: DesignDocument) => Boolean(getAt(document, AUTOSCALER));

/** Removes a block without its number: the other values of the block have no meaning then. */
const removeBlockWithout =
  (block: string, number: string) =>
  (document: DesignDocument): DesignDocument =>
    getAt(document, `${block}.${number}`) === undefined ? setAt(document, block, undefined) : document;
const isVolume = (document: DesignDocument) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc';
const hasVolumes = (document: DesignDocument) => Boolean(getAt(document, 'infra.monitoring.storageClass'));

/** Cloud machines: infra nodes that MachineSets create, and the autoscaler's limits for workers. */
const cloudFields: readonly Field[] = [
  field(`${MACHINE_SETS}.count`, 'number', () => words().infraMachines, {
    isOptional: true,
    // Without a number there are no MachineSets.
    fallback: () => '',
    isVisible: canHaveMachineSets,
    applyFollowUp: removeBlockWithout(MACHINE_SETS, 'count'),
    extraPaths: [MACHINE_SETS],
  }),
  field(`${MACHINE_SETS}.size`, 'text', () => words().infraSize, { isOptional: true, isVisible: hasMachineSets }),
  field(`${MACHINE_SETS}.healthCheck`, 'flag', () => words().infraHealth, {
    isVisible: hasMachineSets,
  }),
  field(`${AUTOSCALER}.most`, 'number', () => words().maxWorkers, {
    isOptional: true,
    isVisible: (document) => hasMachineSets(document) || hasAutoscaler(document),
    applyFollowUp: removeBlockWithout(AUTOSCALER, 'most'),
    extraPaths: [AUTOSCALER],
  }),
  field(`${AUTOSCALER}.least`, 'number', () => words().minWorkers, {
    isOptional: true,
    isVisible: hasAutoscaler,
  }),
];

/** Rarely needed fields about storage and infra nodes, on the page Services. */
export const infraFields: readonly Field[] = [
  ...cloudFields,
  field('infra.registry.accessMode', 'choice', () => words().registryAccess, {
    isVisible: isVolume,
  }),
  field('infra.registry.sizeGiB', 'number', () => words().registrySize, {
    isOptional: true,
    isVisible: isVolume,
  }),
  field('infra.monitoring.storageClass', 'text', () => words().monitoringClass, { isOptional: true }),
  field('infra.monitoring.prometheusGiB', 'number', () => words().prometheusSize, {
    isOptional: true,
    isVisible: hasVolumes,
  }),
  field('infra.monitoring.alertmanagerGiB', 'number', () => words().alertmanagerSize, {
    isOptional: true,
    isVisible: hasVolumes,
  }),
  field('infra.routerReplicas', 'number', () => words().routerReplicas, {
    isOptional: true,
    isVisible: hasInfra,
  }),
  field('infra.taint.key', 'text', () => words().taintKey, {
    isOptional: true,
    isVisible: hasInfra,
    extraPaths: ['infra.taint'],
  }),
  field('infra.taint.value', 'text', () => words().taintValue, { isVisible: hasInfra }),
  field('infra.taint.noExecute', 'flag', () => words().noExecute, { isVisible: hasInfra }),
  field('infra.pool', 'flag', () => words().pool, { isVisible: hasInfra }),
  field('infra.keepWorkerRole', 'flag', () => words().keepWorker, { isVisible: hasInfra }),
  field('infra.removeWorkersFromLoadBalancer', 'flag', () => words().removeWorkers, { isVisible: hasInfra }),
].map((each) => ({ ...each, isAdvanced: true }));
