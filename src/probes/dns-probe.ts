import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Address4, Address6 } from 'ip-address';
import { catalogue } from '../i18n/catalogue.ts';
import { getErrorCode } from '../i18n/user-error.ts';
import type { Clock } from '../platform/clock.ts';
import { startDeadline } from '../platform/concurrency.ts';
import type { ResolveEndpoint } from '../platform/manual-actions.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { formatUrlHost } from '../platform/text.ts';

const words = () => catalogue().bastion;

interface DnsQuery {
  readonly resolveEndpoint: ResolveEndpoint;
  readonly clock: Clock;
  /** Address of the name server; null: the ones that this machine uses. */
  readonly server: string | null;
  /** A full name; for PTR an address. */
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'PTR';
  /** Limit in ms of the clock; at least min(timeoutMs, 3,000) ms of real time. */
  readonly timeoutMs: number;
}

interface DnsResult {
  readonly state: 'answered' | 'no-name' | 'no-data' | 'refused' | 'timeout' | 'failed';
  /** Sorted; empty unless answered. */
  readonly answers: readonly string[];
  /** Localized text. */
  readonly detail: string;
}

/** Queries this name server only (or those of this machine) for a record. The hosts file is not used. */
export async function probeDns({
  resolveEndpoint,
  clock,
  server,
  name,
  type,
  timeoutMs,
}: DnsQuery): Promise<DnsResult> {
  // Several tries: the first packet to a host may be lost during the resolution of its link address.
  const resolver = new Resolver({ timeout: 2000, tries: 4 });
  if (server !== null) {
    const { host, port } = resolveEndpoint(server, 53);
    resolver.setServers([`${formatUrlHost(host)}:${port}`]);
  }
  const deadline = startDeadline(clock, timeoutMs);
  deadline.signal.addEventListener('abort', () => resolver.cancel());
  try {
    const records = await resolveRecords(resolver, name, type);
    const answers = records.map((record) => sanitizeLine(record, 255)).sort();
    // An alias whose target has no record of this type resolves without an error, to no records.
    if (answers.length === 0) return toDnsFailure(server, name, type, 'ENODATA');
    return { state: 'answered', answers, detail: words().probe.dnsAnswer(name, answers) };
  } catch (error) {
    return toDnsFailure(server, name, type, deadline.signal.aborted ? 'ETIMEOUT' : getErrorCode(error));
  } finally {
    deadline.end();
  }
}

function resolveRecords(resolver: Resolver, name: string, type: DnsQuery['type']): Promise<string[]> {
  if (type === 'A') return resolver.resolve4(name);
  if (type === 'AAAA') return resolver.resolve6(name);
  return resolver.resolvePtr(formatReverseName(name));
}

/** Formats the name of a reverse record. Resolver.reverse() is not used, because it reads the hosts file first. */
function formatReverseName(address: string): string {
  const reverseName = isIP(address) === 6 ? new Address6(address).reverseForm() : new Address4(address).reverseForm();
  return reverseName.replace(/\.$/, '');
}

function toDnsFailure(address: string | null, name: string, type: DnsQuery['type'], code: string): DnsResult {
  const { nameServer: formatNameServer, systemResolver } = words().probe;
  const server = address ?? systemResolver;
  const nameServer = address === null ? systemResolver : formatNameServer(address);
  const createResult = (state: DnsResult['state'], detail: string): DnsResult => ({ state, answers: [], detail });
  switch (code) {
    case 'ENOTFOUND':
      return createResult('no-name', words().probe.dnsNoName(server, name));
    case 'ENODATA':
      return createResult('no-data', words().probe.dnsNoData(server, name, type));
    case 'ECONNREFUSED':
    case 'EREFUSED':
      return createResult('refused', words().probe.dnsRefused(server));
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return createResult('timeout', words().probe.dnsTimeout(nameServer));
    default:
      return createResult('failed', words().probe.dnsFailed(nameServer, sanitizeLine(code.replace(/^E(?=[A-Z])/, ''))));
  }
}
