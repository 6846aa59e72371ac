import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Address4, Address6 } from 'ip-address';
import type { Clock } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { urlHost } from '../../text/url-host.ts';
import { errorCode, runPatience } from '../patience.ts';

const words = () => catalogue().bastion;

export interface DnsProbe {
  readonly reach: Reach;
  readonly clock: Clock;
  /** The address of the name server; null: the ones that this machine uses. */
  readonly server: string | null;
  /** A full name; for PTR an address. */
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'PTR';
  /** Milliseconds of the clock (and no fewer real ones, up to 3,000). */
  readonly timeoutMs: number;
}

export interface DnsResult {
  readonly state: 'answered' | 'no-name' | 'no-data' | 'refused' | 'timeout' | 'failed';
  /** Sorted; empty unless answered. */
  readonly answers: readonly string[];
  /** In words. */
  readonly detail: string;
}

/** Asks this name server, and no other, for a record (or those of this machine). The hosts file plays no part. */
export async function dnsProbe({ reach, clock, server, name, type, timeoutMs }: DnsProbe): Promise<DnsResult> {
  // Several tries: the first packet to a host that was silent may be lost while its address is being asked for.
  const resolver = new Resolver({ timeout: 2000, tries: 4 });
  if (server !== null) {
    const { host, port } = reach(server, 53);
    resolver.setServers([`${urlHost(host)}:${port}`]);
  }
  const patience = runPatience(clock, timeoutMs);
  patience.signal.addEventListener('abort', () => resolver.cancel());
  try {
    const records = await ask(resolver, name, type);
    const answers = records.map((record) => sanitizeLine(record, 255)).sort();
    return { state: 'answered', answers, detail: words().probe.dnsAnswered(name, answers) };
  } catch (error) {
    return failure(
      server ?? words().probe.systemResolver,
      name,
      type,
      patience.signal.aborted ? 'ETIMEOUT' : errorCode(error),
    );
  } finally {
    patience.end();
  }
}

function ask(resolver: Resolver, name: string, type: DnsProbe['type']): Promise<string[]> {
  if (type === 'A') return resolver.resolve4(name);
  if (type === 'AAAA') return resolver.resolve6(name);
  return resolver.resolvePtr(reverseName(name));
}

/** Not Resolver.reverse(): that one reads the hosts file first. */
function reverseName(address: string): string {
  const full = isIP(address) === 6 ? new Address6(address).reverseForm() : new Address4(address).reverseForm();
  return full.replace(/\.$/, '');
}

function failure(server: string, name: string, type: DnsProbe['type'], code: string): DnsResult {
  const because = (state: DnsResult['state'], detail: string): DnsResult => ({ state, answers: [], detail });
  switch (code) {
    case 'ENOTFOUND':
      return because('no-name', words().probe.dnsNoName(server, name));
    case 'ENODATA':
      return because('no-data', words().probe.dnsNoData(server, name, type));
    case 'ECONNREFUSED':
    case 'EREFUSED':
      return because('refused', words().probe.dnsRefused(server));
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return because('timeout', words().probe.dnsTimeout(server));
    default:
      return because('failed', words().probe.dnsFailed(server, sanitizeLine(code)));
  }
}
