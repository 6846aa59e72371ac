import { isIP } from 'node:net';
import { listNodeNameServers } from '../../artifacts/dhcp/settings.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { probeDns } from '../../probes/dns-probe.ts';
import type { ProbeAnswer, Unmeasurable } from '../../probes/probe-types.ts';
import { probeTime } from '../../probes/time-probe.ts';
import type { StepContext } from '../contract.ts';
import { isInternetHost, resolveWithTimeout } from './internet-host.ts';

const words = () => catalogue().bastion.probe;

const NTP_PORT = 123;

type TimeContext = Pick<StepContext, 'design' | 'resolveEndpoint' | 'clock'>;

/**
 * Queries a time server. If this machine does not resolve its name, the nodes' name servers are queried: only nodes
 * have to know it.
 * @param isOnline also queries servers on the internet
 */
export async function probeTimeServer(
  context: TimeContext,
  server: string,
  isOnline: boolean,
  timeoutMs: number,
): Promise<ProbeAnswer<'time'> | Unmeasurable> {
  const { design, resolveEndpoint, clock } = context;
  const resolution = await resolveAddress(context, server, timeoutMs);
  if (typeof resolution !== 'string') return resolution;
  if (!isOnline && (await isInternetHost(design, resolveEndpoint(resolution, NTP_PORT).host)))
    return { offsetMs: null, detail: '', isNotQueried: true };
  return await probeTime(resolveEndpoint, clock, { server, address: resolution }, timeoutMs);
}

/**
 * Resolves a name to an address, or returns why there is none: nodes do not resolve it either, or this cannot be
 * determined from here.
 */
async function resolveAddress(
  { design, resolveEndpoint, clock }: TimeContext,
  name: string,
  timeoutMs: number,
): Promise<string | ProbeAnswer<'time'> | Unmeasurable> {
  if (isIP(name) !== 0 || resolveEndpoint(name, NTP_PORT).host !== name) return name;
  const localAddress = await resolveWithTimeout(name);
  if (localAddress !== null) return localAddress;
  const servers = listNodeNameServers(design);
  const answers = await Promise.all(
    servers.map((server) => probeDns({ resolveEndpoint, clock, server, name, type: 'A', timeoutMs })),
  );
  for (const [index, { state, answers: addresses }] of answers.entries()) {
    const [address] = addresses;
    if (address !== undefined) return address;
    if (state === 'no-name' || state === 'no-data')
      return { offsetMs: null, detail: words().notResolvedByNodes(name, servers[index] ?? '') };
  }
  return { isUnmeasured: true, detail: words().notResolvedHere(name, servers.join(', ')) };
}
