import { type DesignDocument, getAt, setAt } from '../../../design/paths.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { createField, type Field } from '../fields.ts';
import {
  createFullNameFormatter,
  createHostFactsFormatter,
  formatBootUrlFacts,
  formatFreeAddressFacts,
} from './facts.ts';

const words = () => catalogue().pages.services;
const DNS_SERVERS = 'services.dns.servers';
const FORWARDERS = 'services.dns.forwarders';
const BALANCERS = 'services.loadBalancer.servers';

const hasServers = (document: DesignDocument, path: string) => {
  const servers = getAt(document, path);
  return Array.isArray(servers) && servers.length > 0;
};

/** Returns the kind of DNS service. Default, as in the parsed design: BIND if hosts are named for it, else external. */
const getDnsKind = (document: DesignDocument) =>
  String(getAt(document, 'services.dns.kind') ?? (hasServers(document, DNS_SERVERS) ? 'bind' : 'external'));
const getBalancerKind = (document: DesignDocument) =>
  String(getAt(document, 'services.loadBalancer.kind') ?? (hasServers(document, BALANCERS) ? 'haproxy' : 'external'));

const isBind = (document: DesignDocument) => getDnsKind(document) === 'bind';
const isHaproxy = (document: DesignDocument) => getBalancerKind(document) === 'haproxy';
/** Whether a host of the document has no name: the design requires one, even if only the address matters. */
const isNameMissing = (document: DesignDocument, host: string) =>
  getAt(document, host) !== undefined && getAt(document, `${host}.name`) === undefined;

/** Not a key of the design: the answer is derived from, and written to, the hosts of the services. */
const LAYOUT_PATH = 'services.layout';
/** Whether all services that the wizard sets up run on the bastion. */
const isBastionLayout = (document: DesignDocument) => {
  const name = getAt(document, 'services.bastion.name');
  const hosts = [
    ...(isBind(document) ? [getAt(document, `${DNS_SERVERS}.0.name`)] : []),
    ...(isHaproxy(document) ? [getAt(document, `${BALANCERS}.0.name`)] : []),
  ];
  return hosts.length > 0 && hosts.every((host) => host === name);
};

/**
 * Moves all services that the wizard sets up to the bastion, or from there to separate hosts. The addresses of new
 * hosts are then missing answers.
 */
function applyLayout(document: DesignDocument): DesignDocument {
  const layout = getAt(document, LAYOUT_PATH);
  const documentWithoutLayout = setAt(document, LAYOUT_PATH, undefined);
  if (layout === 'bastion') {
    const bastion = getAt(documentWithoutLayout, 'services.bastion');
    return placeServices(documentWithoutLayout, {
      dns: bastion,
      balancer: bastion,
      dhcp: getAt(documentWithoutLayout, 'services.bastion.name'),
    });
  }
  if (!isBastionLayout(documentWithoutLayout)) return documentWithoutLayout;
  return placeServices(documentWithoutLayout, {
    dns: { name: 'ns1', ip: '' },
    balancer: { name: 'lb1', ip: '' },
    dhcp: 'ns1',
  });
}

function placeServices(
  document: DesignDocument,
  { dns, balancer, dhcp }: { readonly dns: unknown; readonly balancer: unknown; readonly dhcp: unknown },
): DesignDocument {
  const documentWithDns = isBind(document) ? setAt(document, DNS_SERVERS, [dns]) : document;
  const documentWithBalancer = isHaproxy(document) ? setAt(documentWithDns, BALANCERS, [balancer]) : documentWithDns;
  const hasDhcp = getAt(document, 'services.dhcp.kind') !== 'none';
  return hasDhcp ? setAt(documentWithBalancer, 'services.dhcp.server', dhcp) : documentWithBalancer;
}

/** Moves the DHCP server to the bastion if it runs on a name server that the wizard no longer sets up. */
function moveOrphanedDhcpServer(document: DesignDocument): DesignDocument {
  const server = getAt(document, 'services.dhcp.server');
  const bastion = getAt(document, 'services.bastion.name');
  const isBalancer = server === getAt(document, `${BALANCERS}.0.name`) && isHaproxy(document);
  const isOrphaned = !isBind(document) && !isBalancer && server === getAt(document, `${DNS_SERVERS}.0.name`);
  return isOrphaned && typeof bastion === 'string' ? setAt(document, 'services.dhcp.server', bastion) : document;
}

const MACHINE_SETS = 'infra.machineSets';
const AUTOSCALER = 'infra.autoscaler';

const hasInfraNodes = (document: DesignDocument) => {
  const nodes = getAt(document, 'nodes');
  return Array.isArray(nodes) && nodes.some((node: unknown) => getAt(node, 'role') === 'infra');
};
const hasMachineSets = (document: DesignDocument) => Boolean(getAt(document, MACHINE_SETS));
const hasInfra = (document: DesignDocument) => hasInfraNodes(document) || hasMachineSets(document);
/**
 * Whether MachineSets of a cloud can create the infra nodes: the design names no infra node, or has MachineSets
 * already.
 */
const canHaveMachineSets = (document: DesignDocument) => !hasInfraNodes(document) || hasMachineSets(document);
const hasAutoscaler = (document: DesignDocument) => Boolean(getAt(document, AUTOSCALER));

/** Removes a block without its number: the other values of the block have no meaning then. */
const removeBlockWithout =
  (block: string, numberKey: string) =>
  (document: DesignDocument): DesignDocument =>
    getAt(document, `${block}.${numberKey}`) === undefined ? setAt(document, block, undefined) : document;
const isRegistryOnVolume = (document: DesignDocument) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc';
const hasMonitoringVolumes = (document: DesignDocument) => Boolean(getAt(document, 'infra.monitoring.storageClass'));

/** Cloud machines: infra nodes that MachineSets create, and the autoscaler's limits for workers. */
const cloudFields: readonly Field[] = [
  createField(`${MACHINE_SETS}.count`, 'number', () => words().infraMachines, {
    isOptional: true,
    // Without a number there are no MachineSets.
    fallback: () => '',
    isVisible: canHaveMachineSets,
    applyFollowUp: removeBlockWithout(MACHINE_SETS, 'count'),
    extraPaths: [MACHINE_SETS],
  }),
  createField(`${MACHINE_SETS}.size`, 'text', () => words().infraSize, { isOptional: true, isVisible: hasMachineSets }),
  createField(`${MACHINE_SETS}.healthCheck`, 'flag', () => words().infraHealth, {
    isVisible: hasMachineSets,
  }),
  createField(`${AUTOSCALER}.most`, 'number', () => words().maxWorkers, {
    isOptional: true,
    isVisible: (document) => hasMachineSets(document) || hasAutoscaler(document),
    applyFollowUp: removeBlockWithout(AUTOSCALER, 'most'),
    extraPaths: [AUTOSCALER],
  }),
  createField(`${AUTOSCALER}.least`, 'number', () => words().minWorkers, {
    isOptional: true,
    isVisible: hasAutoscaler,
  }),
];

/** Rarely needed fields about storage and infra nodes, on the Services page. */
const infraFields: readonly Field[] = [
  ...cloudFields,
  createField('infra.registry.accessMode', 'choice', () => words().registryAccess, {
    isVisible: isRegistryOnVolume,
  }),
  createField('infra.registry.sizeGiB', 'number', () => words().registrySize, {
    isOptional: true,
    isVisible: isRegistryOnVolume,
  }),
  createField('infra.monitoring.storageClass', 'text', () => words().monitoringClass, { isOptional: true }),
  createField('infra.monitoring.prometheusGiB', 'number', () => words().prometheusSize, {
    isOptional: true,
    isVisible: hasMonitoringVolumes,
  }),
  createField('infra.monitoring.alertmanagerGiB', 'number', () => words().alertmanagerSize, {
    isOptional: true,
    isVisible: hasMonitoringVolumes,
  }),
  createField('infra.routerReplicas', 'number', () => words().routerReplicas, {
    isOptional: true,
    isVisible: hasInfra,
  }),
  createField('infra.taint.key', 'text', () => words().taintKey, {
    isOptional: true,
    isVisible: hasInfra,
    extraPaths: ['infra.taint'],
  }),
  createField('infra.taint.value', 'text', () => words().taintValue, { isVisible: hasInfra }),
  createField('infra.taint.noExecute', 'flag', () => words().noExecute, { isVisible: hasInfra }),
  createField('infra.pool', 'flag', () => words().pool, { isVisible: hasInfra }),
  createField('infra.keepWorkerRole', 'flag', () => words().keepWorker, { isVisible: hasInfra }),
  createField('infra.removeWorkersFromLoadBalancer', 'flag', () => words().removeWorkers, { isVisible: hasInfra }),
].map((field) => ({ ...field, isAdvanced: true }));

/** The fields of the page Services. */
export const serviceFields: readonly Field[] = [
  createField('services.bastion.name', 'text', () => words().bastionName, {
    formatFacts: createFullNameFormatter(false),
    extraPaths: ['services.bastion', 'services'],
  }),
  createField('services.bastion.ip', 'addresses', () => words().bastionIp, { formatFacts: formatFreeAddressFacts }),
  createField('services.bastion.os', 'choice', () => words().bastionOs),
  createField('services.dns.kind', 'choice', () => words().dnsKind, {
    fallback: getDnsKind,
    applyFollowUp: moveOrphanedDhcpServer,
  }),
  createField(`${DNS_SERVERS}.0.name`, 'text', () => words().dnsName, {
    formatFacts: createFullNameFormatter(false),
    isVisible: (document) => isBind(document) || isNameMissing(document, `${DNS_SERVERS}.0`),
    extraPaths: [DNS_SERVERS, `${DNS_SERVERS}.0`],
  }),
  createField(`${DNS_SERVERS}.0.ip`, 'addresses', () => words().dnsIp, { formatFacts: formatFreeAddressFacts }),
  createField(FORWARDERS, 'list', () => words().forwarders, {
    isOptional: true,
    isVisible: (document) => isBind(document) || hasServers(document, FORWARDERS),
  }),
  createField('services.dhcp.kind', 'choice', () => words().dhcpKind, {
    fallback: () => 'isc-dhcpd',
  }),
  createField('services.dhcp.server', 'text', () => words().dhcpServer, {
    isVisible: (document) => getAt(document, 'services.dhcp.kind') !== 'none',
  }),
  createField('services.loadBalancer.kind', 'choice', () => words().lbKind, {
    fallback: getBalancerKind,
  }),
  createField(`${BALANCERS}.0.name`, 'text', () => words().lbName, {
    formatFacts: createFullNameFormatter(false),
    isVisible: isHaproxy,
    extraPaths: [BALANCERS, `${BALANCERS}.0`],
  }),
  createField(`${BALANCERS}.0.ip`, 'addresses', () => words().lbIp, {
    formatFacts: formatFreeAddressFacts,
    isVisible: isHaproxy,
  }),
  createField('services.boot.kind', 'choice', () => words().bootKind),
  createField('services.boot.httpPort', 'number', () => words().httpPort, { formatFacts: formatBootUrlFacts }),
  createField('services.time.servers', 'list', () => words().time, { isOptional: true }),
  createField('infra.registry.storage', 'choice', () => words().registryStorage),
  createField('infra.registry.storageClass', 'text', () => words().storageClass, {
    isOptional: true,
    isVisible: (document) => (getAt(document, 'infra.registry.storage') ?? 'pvc') === 'pvc',
  }),
  createField(LAYOUT_PATH, 'choice', () => words().layout, {
    choices: ['hosts', 'bastion'],
    fallback: (document) => (isBastionLayout(document) ? 'bastion' : 'hosts'),
    applyFollowUp: applyLayout,
    isAdvanced: true,
    // The document has no value for it.
    isChanged: isBastionLayout,
  }),
  createField(`${DNS_SERVERS}.0.os`, 'choice', () => words().dnsOs, {
    isAdvanced: true,
    isVisible: isBind,
  }),
  createField(DNS_SERVERS, 'hosts', () => words().dnsMore, {
    formatFacts: createHostFactsFormatter(DNS_SERVERS),
    isOptional: true,
    isAdvanced: true,
  }),
  createField(`${BALANCERS}.0.os`, 'choice', () => words().lbOs, {
    isAdvanced: true,
    isVisible: isHaproxy,
  }),
  createField(BALANCERS, 'hosts', () => words().lbMore, {
    formatFacts: createHostFactsFormatter(BALANCERS),
    isOptional: true,
    isAdvanced: true,
    isVisible: isHaproxy,
  }),
  ...infraFields,
];
