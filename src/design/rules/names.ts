import { catalogue } from '../../i18n/catalogue.ts';
import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  getNodeFqdn,
  getServiceHostFqdn,
  listServiceHosts,
} from '../derived-facts.ts';
import type { Design } from '../model.ts';
import type { Path } from '../paths.ts';
import { isDnsLabel, isDomain } from '../text-formats.ts';
import { listHostEntries } from './entries.ts';
import { createNodeGroupRule, type DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

const NAME_VALIDATION = 'openshift/installer pkg/validate/validate.go';
// The longest prefix that OpenShift adds to the cluster domain.
const MAX_PREFIX_LENGTH = 'api-int.'.length;

const nameFormat: DesignRule = {
  id: 'name-format',
  severity: 'error',
  source: 'RFC 1123 section 2.1; ocp-power-automation/ocp4-upi-powervm#76 (a full name typed into the short field)',
  title: () => words().nameFormat.title,
  check(design, report) {
    const names: { path: Path; name: string }[] = [
      ...design.nodes.map(({ name }, index) => ({ path: ['nodes', index, 'name'], name })),
      ...listHostEntries(design).map(({ path, host }) => ({ path: [...path, 'name'], name: host.name })),
    ];
    for (const { path, name } of names) {
      if (isDnsLabel(name)) continue;
      const firstLabel = name.split('.')[0] ?? '';
      const fix =
        name.includes('.') && isDnsLabel(firstLabel) ? words().nameFormat.fixShort(firstLabel) : words().nameFormat.fix;
      report(path, { message: words().nameFormat.message(name), fix });
    }
  },
};

const nameReserved: DesignRule = {
  id: 'name-reserved',
  severity: 'error',
  source: 'openshift-docs modules/installation-dns-user-infra.adoc',
  title: () => words().nameReserved.title,
  check(design, report) {
    const toProblem = (name: string) => ({
      message: words().nameReserved.message(name),
      fix: words().nameReserved.fix,
    });
    for (const [index, { name }] of design.nodes.entries()) {
      if (/^(?:api|api-int|apps|localhost[46]?)$/.test(name)) report(['nodes', index, 'name'], toProblem(name));
    }
    for (const { path, host } of listHostEntries(design)) {
      if (/^localhost[46]?$/.test(host.name)) report([...path, 'name'], toProblem(host.name));
    }
  },
};

const nameDuplicate: DesignRule = {
  id: 'name-duplicate',
  severity: 'error',
  source: 'a name resolves to one machine',
  title: () => words().nameDuplicate.title,
  check({ nodes }, report) {
    const indexByName = new Map<string, number>();
    for (const [index, { name }] of nodes.entries()) {
      const firstIndex = indexByName.get(name);
      if (firstIndex === undefined) indexByName.set(name, index);
      else if (isDnsLabel(name))
        report(['nodes', index, 'name'], {
          message: words().nameDuplicate.message(name),
          fix: words().nameDuplicate.fix,
          otherPath: ['nodes', firstIndex, 'name'],
        });
    }
  },
};

const nodeNameLength = createNodeGroupRule(
  {
    id: 'node-name-length',
    dependsOn: [['cluster']],
    severity: 'error',
    source: 'Kubernetes label values (kubernetes.io/hostname) and Linux host names have 63 characters at most',
    title: () => words().nodeNameLength.title,
  },
  (design) => (node) => {
    const fqdn = getNodeFqdn(design, node);
    if (fqdn.length <= 63 || !isDnsLabel(node.name)) return [];
    const message = words().nodeNameLength.message(fqdn, fqdn.length);
    return [{ path: ['name'], group: '', message, fix: words().nodeNameLength.fix }];
  },
);

const hostConflict: DesignRule = {
  id: 'host-conflict',
  severity: 'error',
  source: 'one forward zone: a host name has one set of addresses',
  title: () => words().hostConflict.title,
  check(design, report) {
    const descriptionByName = new Map<string, string>();
    for (const { path, host } of listHostEntries(design)) {
      const description = JSON.stringify([host.ip, host.os]);
      const firstDescription = descriptionByName.get(host.name);
      if (firstDescription === undefined) descriptionByName.set(host.name, description);
      else if (firstDescription !== description) {
        report([...path, 'name'], { message: words().hostConflict.message(host.name), fix: words().hostConflict.fix });
      }
    }
  },
};

const hostTwice: DesignRule = {
  id: 'host-twice',
  dependsOn: [['services']],
  severity: 'error',
  source: 'a name server does not copy from itself, nor does a load balancer fail over to itself',
  title: () => words().hostTwice.title,
  check(design, report) {
    const reportedKeys = new Set<string>();
    for (const { path, host, service } of listHostEntries(design)) {
      const key = `${service} ${host.name}`;
      if (reportedKeys.has(key))
        report([...path, 'name'], { message: words().hostTwice.message(host.name), fix: words().hostTwice.fix });
      reportedKeys.add(key);
    }
  },
};

const clusterName: DesignRule = {
  id: 'cluster-name',
  severity: 'error',
  source: `${NAME_VALIDATION}: ClusterName (63 minus 9 characters; dots are allowed on platform none)`,
  title: () => words().clusterName.title,
  check({ cluster }, report) {
    if (cluster.name.length <= 54 && isDomain(cluster.name)) return;
    const wrongCharacters = [...new Set(cluster.name.match(/[^a-z0-9.-]/gu))].slice(0, 5);
    const message = words().clusterName.message(cluster.name, wrongCharacters);
    report(['cluster', 'name'], { message, fix: words().clusterName.fix });
  },
};

const baseDomain: DesignRule = {
  id: 'base-domain',
  severity: 'error',
  source: `${NAME_VALIDATION}: DomainName`,
  title: () => words().baseDomain.title,
  check({ cluster }, report) {
    if (isDomain(cluster.baseDomain)) return;
    const meantDomain = cluster.baseDomain.toLowerCase().replaceAll(/^[.\s]+|[.\s]+$/g, '');
    report(['cluster', 'baseDomain'], {
      message: words().baseDomain.message(cluster.baseDomain),
      fix: isDomain(meantDomain) ? words().baseDomain.fixMeant(meantDomain) : words().baseDomain.fix,
    });
  },
};

const baseDomainDigit: DesignRule = {
  id: 'base-domain-digit',
  severity: 'error',
  source: 'openshift/cluster-authentication-operator#566',
  title: () => words().baseDomainDigit.title,
  check({ cluster }, report) {
    const topLevelDomain = cluster.baseDomain.split('.').at(-1) ?? '';
    if (!isDomain(cluster.baseDomain) || !/\d$/.test(topLevelDomain)) return;
    report(['cluster', 'baseDomain'], {
      message: words().baseDomainDigit.message(topLevelDomain),
      fix: words().baseDomainDigit.fix,
    });
  },
};

const baseDomainSpecial: DesignRule = {
  id: 'base-domain-special',
  severity: 'error',
  source:
    'RFC 6761; RFC 7686; RFC 8375 (home.arpa is free to use); Kubernetes: cluster.local is resolved inside the cluster',
  title: () => words().baseDomainSpecial.title,
  check(design, report) {
    const domain = getClusterDomain(design);
    const [, specialDomain] =
      /(?:^|\.)(cluster\.local|localhost|invalid|onion|(?<!(?:^|\.)home\.)arpa)$/.exec(domain) ?? [];
    if (specialDomain === undefined) return;
    const problem = { message: words().baseDomainSpecial.message(specialDomain), fix: words().baseDomainSpecial.fix };
    report(['cluster', 'baseDomain'], problem);
  },
};

const baseDomainLocal: DesignRule = {
  id: 'base-domain-local',
  severity: 'warning',
  source: 'RFC 6762 section 3',
  title: () => words().baseDomainLocal.title,
  check({ cluster }, report) {
    if (!/(?:^|\.)local$/.test(cluster.baseDomain)) return;
    report(['cluster', 'baseDomain'], { message: words().baseDomainLocal.message, fix: words().baseDomainLocal.fix });
  },
};

const baseDomainRepeats: DesignRule = {
  id: 'base-domain-repeats',
  dependsOn: [['cluster', 'name']],
  severity: 'warning',
  source:
    'openshift-docs modules/installation-bare-metal-config-yaml.adoc: the cluster name is put before the base domain',
  title: () => words().baseDomainRepeats.title,
  check(design, report) {
    const { name, baseDomain: domain } = design.cluster;
    if (name === '' || !domain.startsWith(`${name}.`)) return;
    const message = words().baseDomainRepeats.message(getApiName(design));
    report(['cluster', 'baseDomain'], { message, fix: words().baseDomainRepeats.fix(domain.slice(name.length + 1)) });
  },
};

const domainLength: DesignRule = {
  id: 'domain-length',
  severity: 'error',
  source: `${NAME_VALIDATION}: the joined cluster domain`,
  title: () => words().domainLength.title,
  check(design, report) {
    const length = getClusterDomain(design).length + MAX_PREFIX_LENGTH;
    if (length <= 253 || !isDomain(design.cluster.baseDomain) || !isDomain(design.cluster.name)) return;
    report(['cluster', 'baseDomain'], { message: words().domainLength.message(length), fix: words().domainLength.fix });
  },
};

export const nameRules: readonly DesignRule[] = [
  clusterName,
  baseDomain,
  baseDomainDigit,
  baseDomainSpecial,
  baseDomainLocal,
  baseDomainRepeats,
  domainLength,
  nameFormat,
  nameReserved,
  nameDuplicate,
  nodeNameLength,
  hostConflict,
  hostTwice,
];

/** The name of a host that nodes have to resolve, with its path in the design. */
interface RequiredName {
  readonly path: Path;
  readonly name: string;
}

/**
 * Lists the names of the hosts that the nodes reach by name. Addresses and unreadable values may be among them: they
 * are never in the base domain.
 */
function listRequiredNames({ services, proxy, imageDigestSources }: Design): RequiredName[] {
  const parseHost = (url: string) => URL.parse(url)?.hostname ?? '';
  return [
    ...(['httpProxy', 'httpsProxy'] as const).map((key) => ({
      path: ['proxy', key],
      name: parseHost(proxy?.[key] ?? ''),
    })),
    ...services.time.servers.map((name, index) => ({ path: ['services', 'time', 'servers', index], name })),
    ...imageDigestSources.flatMap(({ mirrors }, sourceIndex) =>
      mirrors.map((mirror, index) => ({
        path: ['imageDigestSources', sourceIndex, 'mirrors', index],
        name: mirror.split(/[/:]/)[0] ?? '',
      })),
    ),
  ].map(({ path, name }) => ({ path, name: name.toLowerCase() }));
}

/** Creates a predicate: whether a name is in the generated forward zone (src/artifacts/dns/records.ts). */
function createZoneMatcher(design: Design): (name: string) => boolean {
  const zoneNames = new Set([
    ...listServiceHosts(design).map((host) => getServiceHostFqdn(design, host)),
    ...design.nodes.map((node) => getNodeFqdn(design, node)),
    getApiName(design),
    getApiIntName(design),
  ]);
  return (name) => zoneNames.has(name) || name.endsWith(`.${getAppsDomain(design)}`);
}

const nameUnanswered: DesignRule = {
  id: 'name-unanswered',
  dependsOn: [['cluster'], ['nodes'], ['services']],
  severity: 'warning',
  source:
    'RFC 1034 section 4.3.2: a server answers for its whole zone, and never forwards queries for names missing in it',
  title: () => words().nameUnanswered.title,
  check(design, report) {
    const { baseDomain } = design.cluster;
    if (design.services.dns.kind !== 'bind' || baseDomain === '') return;
    const isInZone = createZoneMatcher(design);
    const reportedNames = new Set<string>();
    for (const { path, name } of listRequiredNames(design)) {
      const isInBaseDomain = name === baseDomain || name.endsWith(`.${baseDomain}`);
      if (!isInBaseDomain || isInZone(name) || reportedNames.has(name)) continue;
      const message = words().nameUnanswered.message(name, baseDomain);
      if (report(path, { message, fix: words().nameUnanswered.fix(baseDomain) })) reportedNames.add(name);
    }
  },
};

export const requiredNameRules: readonly DesignRule[] = [nameUnanswered];
