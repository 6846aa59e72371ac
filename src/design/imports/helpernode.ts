import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { formatNetwork, parseNetmask, parseNetwork, toCanonicalMac } from '../address.ts';
import type { NodeRole } from '../choices.ts';
import {
  compactList,
  getBlock,
  getBoolean,
  getList,
  getText,
  type ImportedDesign,
  omitEmpty,
} from './imported-design.ts';
import { type NodeRow, parseAddresses, splitHostName, toDevicePath, toDocumentNodes } from './node-table.ts';

const words = () => catalogue().imports;

/** Whether a document is a vars.yaml of redhat-cop/ocp4-helpernode: it has a helper and a cluster name. */
export function isHelpernodeVars(document: unknown): boolean {
  return (
    getText(getBlock(document, 'helper'), 'ipaddr') !== undefined &&
    getText(getBlock(document, 'dns'), 'clusterid') !== undefined
  );
}

/**
 * Converts helpernode's vars.yaml to a design. In helpernode, one machine (or several behind one address) is bastion,
 * name server, DHCP server and load balancer at once. The variables are those of redhat-cop/ocp4-helpernode
 * docs/vars-doc.md.
 */
export function importHelpernode(vars: Readonly<Record<string, unknown>>): ImportedDesign {
  const notes: string[] = [];
  const dns = getBlock(vars, 'dns');
  const dhcp = getBlock(vars, 'dhcp');
  const helper = parseHost(getBlock(vars, 'helper'));
  const helperNodes = getList(getBlock(vars, 'high_availability'), 'helpernodes')
    .map(parseHost)
    .filter((host) => host !== undefined);
  const hosts = helperNodes.length > 0 ? helperNodes : helper ? [helper] : [];
  const [firstHost] = hosts;
  // With `staticips`, nodes boot from an ISO.
  const hasStaticIps = getBoolean(vars, 'staticips') === true;
  const endpoint = resolveAddress(vars, dns, 'lb_ipaddr', notes) ?? helper?.ip;
  const otherNames = getList(vars, 'other')
    .map((entry) => getText(entry, 'name') ?? '')
    .filter((name) => name !== '');
  if (otherNames.length > 0) notes.push(words().hostsOutsideCluster(sanitizeLine(otherNames.join(', '), 200)));
  const network = parseMachineNetwork(dhcp);
  return {
    kind: 'helpernode',
    files: [],
    notes,
    document: omitEmpty({
      openshift: {
        version: findVersion(vars),
        architecture: getBoolean(vars, 'ppc64le') === true ? 'ppc64le' : undefined,
      },
      cluster: { name: getText(dns, 'clusterid'), baseDomain: getText(dns, 'domain') },
      networks: {
        machine: network === undefined ? undefined : [omitEmpty({ cidr: network, gateway: getText(dhcp, 'router') })],
      },
      endpoints: { api: endpoint, apiInt: endpoint, ingress: endpoint },
      nodes: compactList(toDocumentNodes(parseNodes(vars))),
      services: {
        bastion: firstHost,
        dns: { kind: 'bind', servers: compactList(hosts), forwarders: listForwarders(dns) },
        dhcp: hasStaticIps ? { kind: 'none' } : omitEmpty({ server: firstHost?.name }),
        loadBalancer: { kind: 'haproxy', servers: compactList(hosts) },
        boot: { kind: hasStaticIps ? 'iso' : 'ipxe', httpPort: 8080 },
        time: { servers: compactList(listTimeServers(vars)) },
      },
    }),
  };
}

function parseHost(entry: unknown): { readonly name: string; readonly ip: string } | undefined {
  const name = getText(entry, 'name');
  const ip = getText(entry, 'ipaddr');
  return name === undefined || ip === undefined ? undefined : { name: splitHostName(name).name, ip };
}

/** Resolves an address that may be written as `{{ helper.ipaddr }}`; other expressions are left to the user. */
function resolveAddress(vars: unknown, parent: unknown, key: string, notes: string[]): string | undefined {
  const text = getText(parent, key);
  if (text === undefined || !text.includes('{{')) return text;
  if (/^\{\{\s*helper\.ipaddr\s*\}\}$/.test(text)) return getText(getBlock(vars, 'helper'), 'ipaddr');
  notes.push(words().template(key));
  return undefined;
}

function listForwarders(dns: unknown): string[] | undefined {
  return compactList(['forwarder1', 'forwarder2'].map((key) => getText(dns, key)));
}

/** Parses the network from its id and mask; the Ansible playbook needs both. */
function parseMachineNetwork(dhcp: unknown): string | undefined {
  const id = getText(dhcp, 'ipid');
  const prefix = parseNetmask(getText(dhcp, 'netmaskid') ?? getText(dhcp, 'netmask') ?? '');
  const network = id === undefined || prefix === null ? null : parseNetwork(`${id}/${prefix}`);
  return network ? formatNetwork(network) : undefined;
}

const NODE_GROUPS: readonly (readonly [string, NodeRole])[] = [
  ['bootstrap', 'bootstrap'],
  ['masters', 'control-plane'],
  ['controlplane_nodes', 'control-plane'],
  ['workers', 'compute'],
];

function parseNodes(vars: unknown): NodeRow[] {
  const disk = toDevicePath(getText(vars, 'disk'));
  return NODE_GROUPS.flatMap(([group, role]) =>
    getList(vars, group).map((entry) => ({
      ...splitHostName(getText(entry, 'name') ?? ''),
      role,
      ip: parseAddresses(getText(entry, 'ipaddr') ?? ''),
      mac: toCanonicalMac(getText(entry, 'macaddr') ?? '') ?? '',
      ...((toDevicePath(getText(entry, 'disk')) ?? disk)
        ? { installDisk: toDevicePath(getText(entry, 'disk')) ?? disk ?? '' }
        : {}),
    })),
  );
}

/**
 * Finds the version in the URL `…/clients/ocp/4.9.18/openshift-install-linux-4.9.18.tar.gz` or the mirrored release.
 */
function findVersion(vars: unknown): string | undefined {
  const sources = [
    getText(vars, 'ocp_installer'),
    getText(vars, 'ocp_client'),
    getText(getBlock(vars, 'setup_registry'), 'release_tag'),
  ];
  for (const source of sources) {
    const match = /(?:^|[-/])([45]\.\d+(?:\.\d+(?:-okd-scos\.(?:ec\.)?\d+)?)?)(?=[-./]|$)/.exec(source ?? '');
    if (match?.[1]) return match[1].replace(/\.$/, '');
  }
  return undefined;
}

function listTimeServers(vars: unknown): (string | undefined)[] {
  return getList(getBlock(vars, 'chronyconfig'), 'content').map((entry) => getText(entry, 'server'));
}
