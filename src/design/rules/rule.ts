import { catalogue } from '../../i18n/catalogue.ts';
import { getUrlHost } from '../../platform/text.ts';
import { type Network, parseNetwork, toCanonicalAddress } from '../address.ts';
import type { Design, DesignNode, Problem, ServiceHost } from '../model.ts';
import { isObjectOrList, type Path } from '../paths.ts';

/**
 * Reports a problem at a path of the design file. Returns false when the value there could not be read: the problem is
 * then not reported.
 */
export type ReportProblem = (at: Path, problem: ProblemText) => boolean;

/** The message of a problem, and what to do about it. */
interface ProblemText {
  readonly message: string;
  readonly fix: string;
  /** The other value of a pair that does not fit together. */
  readonly otherPath?: Path;
}

/** One requirement for a design: mandatory (error) or recommended (warning). */
export interface Rule {
  /** Stable, kebab-case; `upi-wizard help rules` lists them. */
  readonly id: string;
  /** `error`: the installation cannot work. `warning`: it can work, but at a risk. */
  readonly severity: Problem['severity'];
  /** Origin of the rule: a document, or a repository and path. */
  readonly source: string;
  /** The requirement, in one line. */
  readonly title: () => string;
  /**
   * Paths that the result depends on, besides the reported one. The rule reports nothing when a value there could not
   * be read.
   */
  readonly dependsOn?: readonly Path[];
  /** Must not throw for any design of the right shape: text in it may be anything. */
  readonly check: (design: Design, report: ReportProblem) => void;
}

// Sources that several rules share.
export const INSTALLER_VALIDATION = 'openshift/installer pkg/types/validation/installconfig.go';
export const ASSISTED_VALIDATION = 'openshift/assisted-service internal/network/cidr_validations.go';
export const MINIMUM_RESOURCES = 'openshift-docs modules/installation-minimum-resource-requirements.adoc';
export const STATIC_NETWORK = 'openshift-docs modules/installation-user-infra-machines-static-network.adoc';

const words = () => catalogue().designRules;

/** Returns a rule that checks each node separately. */
export function createNodeRule(
  rule: Omit<Rule, 'check'>,
  check: (node: DesignNode, report: (at: Path, problem: ProblemText) => void, design: Design) => void,
): Rule {
  return {
    ...rule,
    check(design, report) {
      for (const [index, node] of design.nodes.entries()) {
        check(node, (at, problem) => report(['nodes', index, ...at], problem), design);
      }
    },
  };
}

/** A problem of a node. Equal values of `group` mean a common cause. */
interface NodeProblem extends ProblemText {
  readonly at: Path;
  readonly group: string;
}

/**
 * Returns a rule that checks each node. It reports a problem that several nodes share once: at the first of them, with
 * the names of the others.
 * @param createNodeCheck computes once what it needs from the design, and returns the check of one node
 */
export function createNodeGroupRule(
  rule: Omit<Rule, 'check'>,
  createNodeCheck: (design: Design) => (node: DesignNode) => readonly NodeProblem[],
): Rule {
  return {
    ...rule,
    check(design, report) {
      const checkNode = createNodeCheck(design);
      const groups = new Map<string, AffectedNode[]>();
      for (const [index, node] of design.nodes.entries()) {
        for (const problem of checkNode(node)) {
          const group = groups.get(problem.group);
          const affectedNode = { problem, at: ['nodes', index, ...problem.at], name: node.name };
          if (group) group.push(affectedNode);
          else groups.set(problem.group, [affectedNode]);
        }
      }
      for (const group of groups.values()) reportOnce(group, report);
    },
  };
}

interface AffectedNode {
  readonly problem: NodeProblem;
  readonly at: Path;
  readonly name: string;
}

/** Reports the problem at the first node whose value could be read. */
function reportOnce(group: readonly AffectedNode[], report: ReportProblem) {
  for (const affectedNode of group) {
    const otherNames = group.filter((entry) => entry !== affectedNode).map(({ name }) => name);
    const { message, fix } = affectedNode.problem;
    if (report(affectedNode.at, { message: `${message}${words().alsoNodes(otherNames)}`, fix })) return;
  }
}

/** One address of a design, with its path and owner. */
export interface AddressEntry {
  readonly at: Path;
  readonly address: string;
  /** Displayed name of the machine or endpoint. */
  readonly owner: string;
}

/** One description of a service host in a design, with its path. */
export interface HostEntry {
  readonly at: Path;
  readonly host: ServiceHost;
  readonly service: 'bastion' | 'dns' | 'load-balancer';
}

/** Lists every description of a service host; a machine with several services appears several times. */
export function listHostEntries({ services }: Design): HostEntry[] {
  return [
    { at: ['services', 'bastion'], host: services.bastion, service: 'bastion' },
    ...services.dns.servers.map(
      (host, index): HostEntry => ({ at: ['services', 'dns', 'servers', index], host, service: 'dns' }),
    ),
    ...services.loadBalancer.servers.map(
      (host, index): HostEntry => ({
        at: ['services', 'loadBalancer', 'servers', index],
        host,
        service: 'load-balancer',
      }),
    ),
  ];
}

/** Returns the addresses of the nodes, each with its path and the node's name. */
export function listNodeAddresses({ nodes }: Design): AddressEntry[] {
  return nodes.flatMap(({ ip, name }, index) => toAddressEntries(['nodes', index, 'ip'], ip, name));
}

/** Returns the addresses of the service hosts; a machine with several services appears at each of its descriptions. */
export function listHostAddresses(design: Design): AddressEntry[] {
  return listHostEntries(design).flatMap(({ at, host }) => toAddressEntries([...at, 'ip'], host.ip, host.name));
}

/** Returns the addresses of api, api-int and the routes. */
export function listEndpointAddresses({ endpoints }: Design): AddressEntry[] {
  return (['api', 'apiInt', 'ingress'] as const).flatMap((key) =>
    toAddressEntries(['endpoints', key], endpoints[key], key),
  );
}

/** Returns every address of a node, a service host or an endpoint. */
export function listAllAddresses(design: Design): AddressEntry[] {
  return [...listNodeAddresses(design), ...listHostAddresses(design), ...listEndpointAddresses(design)];
}

/** Returns the configured gateways of the machine networks. */
export function listGatewayAddresses({ networks }: Design): AddressEntry[] {
  return networks.machine.flatMap(({ gateway }, index) =>
    gateway === null ? [] : [{ at: ['networks', 'machine', index, 'gateway'], address: gateway, owner: 'gateway' }],
  );
}

/** Returns the address of the router on the company network, if the design has one. */
export function listRouterAddressEntries({ networks }: Design): AddressEntry[] {
  return networks.router === null ? [] : [{ at: ['networks', 'router'], address: networks.router, owner: 'router' }];
}

/** Lists the addresses of servers outside the design that the nodes or the service hosts need. */
export function listExternalAddresses({ services, proxy, imageDigestSources }: Design): AddressEntry[] {
  const forwarders = services.dns.forwarders.map((address, index) => ({
    at: ['services', 'dns', 'forwarders', index],
    address,
    owner: address,
  }));
  const timeServers = services.time.servers.map((address, index) => ({
    at: ['services', 'time', 'servers', index],
    address,
    owner: address,
  }));
  const proxies = (['httpProxy', 'httpsProxy'] as const).flatMap((key) => {
    const url = URL.parse(proxy?.[key] ?? '');
    // Takes only the host, without the brackets of IPv6: the rest of the URL may contain a password.
    return url === null ? [] : [{ at: ['proxy', key], address: getUrlHost(url), owner: key }];
  });
  const mirrors = imageDigestSources.flatMap(({ mirrors: list }, sourceIndex) =>
    list.map((mirror, index) => {
      const address = /^[^:/]*/.exec(mirror)?.[0] ?? '';
      return { at: ['imageDigestSources', sourceIndex, 'mirrors', index], address, owner: address };
    }),
  );
  return [...forwarders, ...timeServers, ...proxies, ...mirrors].filter(
    ({ address }) => toCanonicalAddress(address) !== null,
  );
}

/** Converts addresses to entries. A single address has the path of its key, even in a list. */
function toAddressEntries(at: Path, addresses: readonly string[], owner: string): AddressEntry[] {
  return addresses.map((address, index) => ({ at: addresses.length > 1 ? [...at, index] : at, address, owner }));
}

/** One network of a design, with its path. */
export interface NetworkEntry {
  readonly at: Path;
  readonly cidr: string;
  readonly kind: 'machine' | 'cluster' | 'service' | 'company';
}

/** Lists every network of the design, in the order of the file. */
export function listNetworkEntries({ networks }: Design): NetworkEntry[] {
  return (['machine', 'cluster', 'service', 'company'] as const).flatMap((kind) =>
    networks[kind].map((entry: string | { readonly cidr: string }, index): NetworkEntry => {
      const at: Path = ['networks', kind, index];
      return isObjectOrList(entry)
        ? { at: [...at, 'cidr'], cidr: String(entry.cidr), kind }
        : { at, cidr: entry, kind };
    }),
  );
}

export type ParsedNetwork = NetworkEntry & { readonly network: Network };

/** Lists the networks of the design that can be parsed. */
export function listParsedNetworks(design: Design): ParsedNetwork[] {
  return listNetworkEntries(design).flatMap((entry) => {
    const network = parseNetwork(entry.cidr);
    return network === null ? [] : [{ ...entry, network }];
  });
}

/** Returns the machine networks that can be parsed. When there are none, no rule checks membership. */
export function parseMachineNetworks(design: Design): Network[] {
  return design.networks.machine.flatMap(({ cidr }) => parseNetwork(cidr) ?? []);
}

/** Rules for parsing a design file, checked before the design rules. Each violation is an error. */
export const PARSE_RULES = [
  'syntax',
  'duplicate-key',
  'documents',
  'unknown-key',
  'required',
  'type',
  'choice',
  'range',
  'length',
  'version-not-text',
  'api-version',
] as const;
export type ParseRule = (typeof PARSE_RULES)[number];
