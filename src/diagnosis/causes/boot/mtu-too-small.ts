import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { stoppedJoining } from './installation-stopped.ts';

/** OVN-Kubernetes needs 100 bytes for its tunnels; with less than this even its smallest packets do not fit (IPv6: 1280). */
const LEAST = 1400;
/** One may be a slow server. */
const OFTEN = 3;

/** Small packets pass, and large ones do not: connections open, and hang at the first large answer. */
export const mtuTooSmall = cause('mtu-too-small', 'network', (evidence) => {
  const given = evidence.files.flatMap(({ host, kind, path, text }) => {
    const isDhcp = kind === 'isc-dhcpd' || kind === 'kea-dhcp4';
    const found = !isDhcp ? null : /interface-mtu"?[\s,]*(?:"data":\s*")?\s*(\d+)/.exec(text);
    if (found === null || Number(found[1]) >= LEAST) return [];
    const symptom = `${path} on ${host}: interface-mtu ${found[1]}`;
    return [{ likelihood: 'certain' as const, subject: host, symptom, command: `ssh ${host} grep -n mtu ${path}` }];
  });
  const address = evidence.design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `ping -M do -s 1472 -c 3 ${address}`;
  const sure = told(
    evidence,
    /[Mm]essage too long|frag(?:mentation)? needed|packet too big|mtu[ =]+\d+.*(?:too small|less than|smaller)/i,
  );
  const slow = told(
    evidence,
    /(?:timeout|exceeded.*while) awaiting (?:response )?headers|TLS handshake timeout/,
    OFTEN,
  );
  return [
    ...given,
    ...clueOfLines(sure.slice(-1), 'likely', command),
    ...clueOfLines(slow.slice(-1), 'possible', command),
    ...noneJoins(evidence),
    ...neverArrives(evidence),
  ];
});

/** Every machine goes silent at the first large answer over TLS, although from here the same port answers. */
function noneJoins(evidence: Evidence): Clue[] {
  const left = stoppedJoining(evidence);
  const hasOne = evidence.machines.some(({ role, hasJoined }) => role === 'control-plane' && hasJoined);
  if (hasOne || left.length < 2) return [];
  const { loadBalancer } = evidence.design?.services ?? {};
  const [balancer] = loadBalancer?.servers ?? [];
  return left.map(({ name, address }) => {
    const symptom = `${name} started from its disk and does not join; api-int:22623 is open from here`;
    // Large packets go from the balancer to the machine, which answers a ping before its configuration, too.
    const ping = `ping -M do -s 1472 -c 3 ${address}`;
    const command = balancer === undefined ? ping : `ssh ${balancer.ip[0] ?? balancer.name} ${ping}`;
    return { likelihood: 'possible', subject: name, symptom, command };
  });
}

/** A machine begins the first large file again and again, after small ones that it got whole. */
function neverArrives({ machines }: Evidence): Clue[] {
  return machines.flatMap(({ name, address, requests, hasJoined }): Clue[] => {
    const last = requests.at(-1);
    const times = requests.filter(({ path, status }) => path === last?.path && status < 400).length;
    if (hasJoined || last === undefined || times < OFTEN || !/^\/images\/.*kernel/.test(last.path)) return [];
    const symptom = `${name}: ${last.path} ${times}×, and nothing after it`;
    return [{ likelihood: 'possible', subject: name, symptom, command: `ping -M do -s 1472 -c 3 ${address}` }];
  });
}
