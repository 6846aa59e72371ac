import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { nameServers } from '../../artifacts/dhcp/plan.ts';
import { dnsProbe } from '../../bastion/probes/dns-probe.ts';
import { timeProbe } from '../../bastion/probes/time-probe.ts';
import type { Answer, Unmeasured } from '../../diagnosis/site/exchange.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { isOutside } from './outside.ts';

const words = () => catalogue().bastion.probe;

const NTP = 123;

type Place = Pick<StepContext, 'design' | 'reach' | 'clock'>;

/**
 * Asks a time server for its time. Its name may be one that only nodes have to know: where this machine does not, their name servers are
 * asked.
 * @param isOnline one on the internet is asked as well
 */
export async function lookAtTime(
  place: Place,
  server: string,
  isOnline: boolean,
  timeoutMs: number,
): Promise<Answer<'time'> | Unmeasured> {
  const { design, reach, clock } = place;
  const found = await addressOf(place, server, timeoutMs);
  if (typeof found !== 'string') return found;
  if (!isOnline && (await isOutside(design, reach(found, NTP).host)))
    return { offsetMs: null, detail: '', isUnasked: true };
  return await timeProbe(reach, clock, { server, address: found }, timeoutMs);
}

/** An address of a name; or why there is none: that nodes do not find it either, or that nobody can tell. */
async function addressOf(
  { design, reach, clock }: Place,
  name: string,
  timeoutMs: number,
): Promise<string | Answer<'time'> | Unmeasured> {
  if (isIP(name) !== 0 || reach(name, NTP).host !== name) return name;
  const own = await lookup(name).catch(() => null);
  if (own !== null) return own.address;
  const servers = nameServers(design);
  for (const server of servers) {
    const { state, answers } = await dnsProbe({ reach, clock, server, name, type: 'A', timeoutMs });
    const [address] = answers;
    if (address !== undefined) return address;
    if (state === 'no-name' || state === 'no-data')
      return { offsetMs: null, detail: words().nodesDoNotKnow(name, server) };
  }
  return { isUnmeasured: true, detail: words().nodesKnow(name, servers.join(', ')) };
}
