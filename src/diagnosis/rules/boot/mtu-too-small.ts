import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { listStalledJoins } from './stalled-machines.ts';

/** OVN-Kubernetes needs 100 bytes for its tunnels; with less than this even its smallest packets do not fit (IPv6: 1280). */
const MIN_MTU = 1400;
/** A single one may be a slow server. */
const MIN_OCCURRENCES = 3;

/** Small packets pass, and large ones do not: connections open, and hang at the first large answer. */
export const mtuTooSmall = diagnosticRule('mtu-too-small', 'network', (evidence) => {
  const fromDhcp = evidence.files.flatMap(({ host, kind, path, text }) => {
    const isDhcp = kind === 'isc-dhcpd' || kind === 'kea-dhcp4';
    const found = !isDhcp ? null : /interface-mtu"?[\s,]*(?:"data":\s*")?\s*(\d+)/.exec(text);
    if (found === null || Number(found[1]) >= MIN_MTU) return [];
    const symptom = `${path} on ${host}: interface-mtu ${found[1]}`;
    return [{ likelihood: 'certain' as const, subject: host, symptom, command: `ssh ${host} grep -n mtu ${path}` }];
  });
  const address = evidence.design?.endpoints.apiInt[0] ?? 'API-INT';
  const command = `ping -M do -s 1472 -c 3 ${address}`;
  const explicit = matchLogLines(
    evidence,
    /[Mm]essage too long|frag(?:mentation)? needed|packet too big|mtu[ =]+\d+.*(?:too small|less than|smaller)/i,
  );
  const slow = matchLogLines(
    evidence,
    /(?:timeout|exceeded.*while) awaiting (?:response )?headers|TLS handshake timeout/,
    MIN_OCCURRENCES,
  );
  return [
    ...fromDhcp,
    ...symptomsFromLines(explicit.slice(-1), 'likely', command),
    ...symptomsFromLines(slow.slice(-1), 'possible', command),
    ...findLargeAnswerStalls(evidence),
    ...findRepeatedDownloads(evidence),
  ];
});

/** Every machine goes silent at the first large answer over TLS, although the same port answers from here. */
function findLargeAnswerStalls(evidence: Evidence): Symptom[] {
  const stalled = listStalledJoins(evidence);
  const hasOne = evidence.machines.some(({ role, hasJoined }) => role === 'control-plane' && hasJoined);
  if (hasOne || stalled.length < 2) return [];
  const { loadBalancer } = evidence.design?.services ?? {};
  const [balancer] = loadBalancer?.servers ?? [];
  return stalled.map(({ name, address }) => {
    const symptom = `${name} started from its disk and does not join; api-int:22623 is open from here`;
    // The large packets flow from the load balancer to the machine, which answers a ping even before it has its
    // configuration.
    const ping = `ping -M do -s 1472 -c 3 ${address}`;
    const command = balancer === undefined ? ping : `ssh ${balancer.ip[0] ?? balancer.name} ${ping}`;
    return { likelihood: 'possible', subject: name, symptom, command };
  });
}

/** A machine starts to fetch the first large file again and again, after small files that arrived whole. */
function findRepeatedDownloads({ machines }: Evidence): Symptom[] {
  return machines.flatMap(({ name, address, requests, hasJoined }): Symptom[] => {
    const last = requests.at(-1);
    const times = requests.filter(({ path, status }) => path === last?.path && status < 400).length;
    if (hasJoined || last === undefined || times < MIN_OCCURRENCES || !/^\/images\/.*kernel/.test(last.path)) return [];
    const symptom = `${name}: ${last.path} ${times}×, and nothing after it`;
    return [{ likelihood: 'possible', subject: name, symptom, command: `ping -M do -s 1472 -c 3 ${address}` }];
  });
}
