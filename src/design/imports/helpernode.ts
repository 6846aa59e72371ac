import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { canonicalAddress, canonicalMac, networkText, parseNetwork } from '../address.ts';
import type { NodeRole } from '../model.ts';
import { documentNodes, type Imported, withoutNothing } from './imported.ts';
import { type NodeRow, readAddresses, splitHostName } from './node-row.ts';
import { block, filled, flag, list, text } from './reading.ts';
import { deviceOf } from './table.ts';

const words = () => catalogue().imports;

/** True for the variables of redhat-cop/ocp4-helpernode: a helper, and the name of a cluster. */
export function isHelpernode(document: unknown): boolean {
  return (
    text(block(document, 'helper'), 'ipaddr') !== undefined && text(block(document, 'dns'), 'clusterid') !== undefined
  );
}

/**
 * The design that helpernode's vars.yaml tells: there one machine (or several behind one address) is bastion, name server,
 * DHCP server and load balancer at once. Variables as in redhat-cop/ocp4-helpernode docs/vars-doc.md.
 */
export function fromHelpernode(vars: Readonly<Record<string, unknown>>): Imported {
  const notes: string[] = [];
  const dns = block(vars, 'dns');
  const dhcp = block(vars, 'dhcp');
  const helper = hostOf(block(vars, 'helper'));
  const members = list(block(vars, 'high_availability'), 'helpernodes')
    .map(hostOf)
    .filter((host) => host !== undefined);
  const hosts = members.length > 0 ? members : helper ? [helper] : [];
  const [first] = hosts;
  // Static addresses mean that nodes are started from an ISO there.
  const isStatic = flag(vars, 'staticips') === true;
  const endpoint = addressOf(vars, dns, 'lb_ipaddr', notes) ?? helper?.ip;
  const others = list(vars, 'other')
    .map((entry) => text(entry, 'name') ?? '')
    .filter((name) => name !== '');
  if (others.length > 0) notes.push(words().others(sanitizeLine(others.join(', '), 200)));
  const network = machineNetwork(dhcp);
  return {
    kind: 'helpernode',
    files: [],
    notes,
    document: withoutNothing({
      openshift: {
        version: versionOf(vars),
        architecture: flag(vars, 'ppc64le') === true ? 'ppc64le' : undefined,
      },
      cluster: { name: text(dns, 'clusterid'), baseDomain: text(dns, 'domain') },
      networks: {
        machine: network === undefined ? undefined : [withoutNothing({ cidr: network, gateway: text(dhcp, 'router') })],
      },
      endpoints: { api: endpoint, apiInt: endpoint, ingress: endpoint },
      nodes: filled(documentNodes(nodesOf(vars))),
      services: {
        bastion: first,
        dns: { kind: 'bind', servers: filled(hosts), forwarders: forwarders(dns) },
        dhcp: isStatic ? { kind: 'none' } : withoutNothing({ server: first?.name }),
        loadBalancer: { kind: 'haproxy', servers: filled(hosts) },
        boot: { kind: isStatic ? 'iso' : 'ipxe', httpPort: 8080 },
        time: { servers: filled(timeServers(vars)) },
      },
    }),
  };
}

function hostOf(entry: unknown): { readonly name: string; readonly ip: string } | undefined {
  const name = text(entry, 'name');
  const ip = text(entry, 'ipaddr');
  return name === undefined || ip === undefined ? undefined : { name: splitHostName(name).name, ip };
}

/** An address that may be written as `{{ helper.ipaddr }}`; other expressions are left to the person. */
function addressOf(vars: unknown, parent: unknown, key: string, notes: string[]): string | undefined {
  const found = text(parent, key);
  if (found === undefined || !found.includes('{{')) return found;
  if (/^\{\{\s*helper\.ipaddr\s*\}\}$/.test(found)) return text(block(vars, 'helper'), 'ipaddr');
  notes.push(words().template(key));
  return undefined;
}

function forwarders(dns: unknown): string[] | undefined {
  return filled(['forwarder1', 'forwarder2'].map((key) => text(dns, key)));
}

/** The network from its id and mask; Ansible's playbook wants both. */
function machineNetwork(dhcp: unknown): string | undefined {
  const id = text(dhcp, 'ipid');
  const prefix = prefixOf(text(dhcp, 'netmaskid') ?? text(dhcp, 'netmask') ?? '');
  const network = id === undefined || prefix === null ? null : parseNetwork(`${id}/${prefix}`);
  return network ? networkText(network) : undefined;
}

/** `255.255.255.0` as 24; null when it is no mask. */
function prefixOf(mask: string): number | null {
  if (canonicalAddress(mask) === null || mask.includes(':')) return null;
  const bits = mask
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('');
  return /^1*0*$/.test(bits) ? bits.replaceAll('0', '').length : null;
}

const GROUPS: readonly (readonly [string, NodeRole])[] = [
  ['bootstrap', 'bootstrap'],
  ['masters', 'control-plane'],
  ['controlplane_nodes', 'control-plane'],
  ['workers', 'compute'],
];

function nodesOf(vars: unknown): NodeRow[] {
  const disk = deviceOf(text(vars, 'disk'));
  return GROUPS.flatMap(([group, role]) =>
    list(vars, group).map((entry) => ({
      ...splitHostName(text(entry, 'name') ?? ''),
      role,
      ip: readAddresses(text(entry, 'ipaddr') ?? ''),
      mac: canonicalMac(text(entry, 'macaddr') ?? '') ?? '',
      ...((deviceOf(text(entry, 'disk')) ?? disk) ? { installDisk: deviceOf(text(entry, 'disk')) ?? disk ?? '' } : {}),
    })),
  );
}

/** From what is downloaded: `…/clients/ocp/4.9.18/openshift-install-linux-4.9.18.tar.gz`, or the release that is mirrored. */
function versionOf(vars: unknown): string | undefined {
  const sources = [
    text(vars, 'ocp_installer'),
    text(vars, 'ocp_client'),
    text(block(vars, 'setup_registry'), 'release_tag'),
  ];
  for (const source of sources) {
    const found = /(?:^|[-/])([45]\.\d+(?:\.\d+)?)(?=[-./]|$)/.exec(source ?? '');
    if (found?.[1]) return found[1].replace(/\.$/, '');
  }
  return undefined;
}

function timeServers(vars: unknown): (string | undefined)[] {
  return list(block(vars, 'chronyconfig'), 'content').map((entry) => text(entry, 'server'));
}
