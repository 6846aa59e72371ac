import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/** A single packet may come from a restart. */
const MIN_OCCURRENCES = 2;

/** Other machines on the network use the same virtual router ID: the shared address may move to one of them. */
export const vrrpIdConflict = diagnosticRule('vrrp-id-shared', 'balancer', (evidence) =>
  symptomsFromLines(
    matchLogLines(
      evidence,
      /received an invalid (?:passwd|authentication)|bogus VRRP packet received|VRID mismatch|ip address associated with VRID/i,
      MIN_OCCURRENCES,
    ).slice(-1),
    'likely',
    'sudo tcpdump -c 5 -ni any vrrp',
  ),
);

interface VrrpInstance {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly id: string;
  readonly addresses: readonly string[];
}

/**
 * The load balancers of a shared address have different virtual router IDs, so each of them takes the address; or none
 * is configured to take it. A packet with another virtual router ID belongs to another group (VRRP, RFC 5798, 5.2.3).
 */
export const vrrpMisconfigured = diagnosticRule('vrrp-split', 'balancer', (evidence) => {
  const all = evidence.files.flatMap(({ host, kind, path, text }) =>
    kind === 'keepalived' ? parseInstances(host, path, text) : [],
  );
  return [...findDifferentIds(all), ...findUnassignedAddresses(evidence, all)];
});

function findDifferentIds(all: readonly VrrpInstance[]): Symptom[] {
  return all.flatMap((one, index) => {
    const other = all
      .slice(index + 1)
      .find(
        (each) => each.host !== one.host && each.id !== one.id && each.addresses.some((a) => one.addresses.includes(a)),
      );
    if (other === undefined) return [];
    const shared = one.addresses.find((address) => other.addresses.includes(address)) ?? '';
    const symptom = `${shared}: virtual_router_id ${one.id} on ${one.host}, ${other.id} on ${other.host}`;
    return [createSymptom(one, shared, symptom)];
  });
}

/** Addresses of the generated files that no load balancer is configured to take. */
function findUnassignedAddresses({ files }: Evidence, all: readonly VrrpInstance[]): Symptom[] {
  const taken = new Set(all.flatMap(({ addresses }) => addresses));
  const unassigned = files
    .filter(({ kind }) => kind === 'keepalived')
    .flatMap(({ host, path, planned }) => parseInstances(host, path, planned))
    .flatMap((instance) => instance.addresses.map((address) => ({ instance, address })))
    .filter(({ address }) => !taken.has(address));
  const once = new Map(unassigned.map((each) => [each.address, each]));
  return [...once.values()].map(({ instance, address }) =>
    createSymptom(instance, address, `${instance.path} on ${instance.host}: no ${address} in virtual_ipaddress`),
  );
}

function createSymptom({ host, path }: VrrpInstance, subject: string, symptom: string): Symptom {
  const command = `ssh ${host} grep -nE 'virtual_router_id|virtual_ipaddress' -A3 ${path}; ip -br addr`;
  return { likelihood: 'certain', subject, symptom, command };
}

function parseInstances(host: string, path: string, text: string): VrrpInstance[] {
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
