import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

interface Instance {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly id: string;
  readonly addresses: readonly string[];
}

/**
 * The load balancers that share an address are not of one group, so that each takes the address for itself; or none takes it.
 * VRRP (RFC 5798, 5.2.3): packets of another virtual router id are of others.
 */
export const vrrpSplit = cause('vrrp-split', 'balancer', (evidence) => {
  const all = evidence.files.flatMap(({ host, kind, path, text }) =>
    kind === 'keepalived' ? instancesIn(host, path, text) : [],
  );
  return [...apart(all), ...nobody(evidence, all)];
});

function apart(all: readonly Instance[]): Clue[] {
  return all.flatMap((one, index) => {
    const other = all
      .slice(index + 1)
      .find(
        (each) => each.host !== one.host && each.id !== one.id && each.addresses.some((a) => one.addresses.includes(a)),
      );
    if (other === undefined) return [];
    const shared = one.addresses.find((address) => other.addresses.includes(address)) ?? '';
    const symptom = `${shared}: virtual_router_id ${one.id} on ${one.host}, ${other.id} on ${other.host}`;
    return [clue(one, shared, symptom)];
  });
}

/** An address that the generated files have, and that no balancer puts on itself. */
function nobody({ files }: Evidence, all: readonly Instance[]): Clue[] {
  const taken = new Set(all.flatMap(({ addresses }) => addresses));
  const lost = files
    .filter(({ kind }) => kind === 'keepalived')
    .flatMap(({ host, path, planned }) => instancesIn(host, path, planned))
    .flatMap((instance) => instance.addresses.map((address) => ({ instance, address })))
    .filter(({ address }) => !taken.has(address));
  const once = new Map(lost.map((each) => [each.address, each]));
  return [...once.values()].map(({ instance, address }) =>
    clue(instance, address, `${instance.path} on ${instance.host}: no ${address} in virtual_ipaddress`),
  );
}

function clue({ host, path }: Instance, subject: string, symptom: string): Clue {
  const command = `ssh ${host} grep -nE 'virtual_router_id|virtual_ipaddress' -A3 ${path}; ip -br addr`;
  return { likelihood: 'certain', subject, symptom, command };
}

function instancesIn(host: string, path: string, text: string): Instance[] {
  const plain = text.replaceAll(/[!#].*$/gm, '');
  return plain.split(/^(?=vrrp_instance\b)/m).flatMap((part) => {
    const name = /^vrrp_instance\s+(\S+)/.exec(part)?.[1];
    const id = /\bvirtual_router_id\s+(\d+)/.exec(part)?.[1];
    const block = /\bvirtual_ipaddress(?:_excluded)?\s*\{([^}]*)\}/.exec(part)?.[1] ?? '';
    if (name === undefined || id === undefined) return [];
    const addresses = block.split('\n').flatMap((line) => line.trim().split(/[\s/]/)[0] || []);
    return [{ host, path, name, id, addresses }];
  });
}
