import { poolMembers } from '../../bastion/haproxy-stats.ts';
import { dateProbe } from '../../bastion/probes/date-probe.ts';
import { dhcpProbe } from '../../bastion/probes/dhcp-probe.ts';
import { dnsProbe } from '../../bastion/probes/dns-probe.ts';
import { httpProbe, textProbe } from '../../bastion/probes/http-probe.ts';
import { keptHere } from '../../bastion/probes/kept-here.ts';
import { ARP_TABLE, isOnLink, neighbourIn, neighbourProbe } from '../../bastion/probes/neighbour-probe.ts';
import { tcpProbe } from '../../bastion/probes/probes.ts';
import { tftpProbe } from '../../bastion/probes/tftp-probe.ts';
import type { Unmeasured } from '../../diagnosis/site/exchange.ts';
import type { Askers } from '../../diagnosis/site/question.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { lookAtHost } from './host.ts';
import { readHostTexts } from './host-texts.ts';
import { lookAtIgnition } from './ignition-files.ts';
import { lookAtImages } from './images.ts';
import { lookAtRegistry } from './registries.ts';
import { lookAtTime } from './time.ts';

/** What the checks of a site work with. */
export type Place = Pick<
  StepContext,
  'design' | 'dir' | 'reach' | 'clock' | 'programPath' | 'imagesDir' | 'credentials' | 'hands' | 'signal'
> & {
  /** Registries and time servers on the internet are asked as well. */
  readonly isOnline?: boolean;
};

/** A server that is there answers at once; one that is not is given this long (and what fetches a whole file longer). */
const PATIENCE = 3 * SECOND;
const FETCHES_WITHIN = 15 * SECOND;

/** How each kind of question is asked of a site; the same question once. Nothing is changed anywhere. */
export function askersOf(place: Place): Askers {
  const { design, reach, clock, hands, isOnline = false } = place;
  const kept = once((address: string) => keptHere(reach(address, 0).host));
  // Null in life: this machine has its own.
  const file = once((path: string) => hands.readFile(design.services.bastion.name, path));
  const resolver = async () => /^nameserver\s+(\S+)/m.exec((await file('/etc/resolv.conf')) ?? '')?.[1] ?? null;
  const host = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');

  /** An answer; where nobody was heard, and this machine had no way to ask, that there is none. */
  async function heard<Heard>(from: string, isSilent: boolean, answer: Heard): Promise<Heard | Unmeasured> {
    const why = isSilent ? await kept(from) : null;
    return why === null ? answer : { isUnmeasured: true, detail: catalogue().bastion.probe.kept(from, why) };
  }

  /** The same; what a router on the way said of a host is not the host. */
  async function reached<Heard extends { readonly state: string; readonly detail: string }>(
    from: string,
    isSilent: boolean,
    answer: Heard,
  ): Promise<Heard | Unmeasured> {
    const asked = await heard(from, isSilent, answer);
    const isOfRouter = answer.state === 'unreachable' && !isOnLink(from);
    return asked === answer && isOfRouter ? { isUnmeasured: true, detail: answer.detail } : asked;
  }

  return {
    dns: once(async (question) => {
      const server = question.server ?? (await resolver());
      const answer = await dnsProbe({ reach, clock, ...question, server, timeoutMs: PATIENCE });
      const isSilent = answer.state === 'timeout' || answer.state === 'refused';
      return server === null ? answer : await heard(server, isSilent, answer);
    }),
    tcp: once(async (question) => {
      const answer = await tcpProbe(reach, clock, question.host, question.port, PATIENCE);
      return await reached(question.host, answer.state !== 'open' && answer.state !== 'closed-at-once', answer);
    }),
    head: once(async ({ url }) => {
      const answer = await httpProbe(reach, clock, url, PATIENCE);
      return await reached(host(url), answer.status === null, answer);
    }),
    text: once(async ({ url }) => {
      const answer = await textProbe(reach, clock, url, PATIENCE);
      return await heard(host(url), answer.status === null, answer);
    }),
    tftp: once(async (question) => {
      const answer = await tftpProbe(reach, clock, question, FETCHES_WITHIN);
      const isSilent = !('isUnmeasured' in answer) && answer.state !== 'fetched' && answer.state !== 'refused';
      return await heard(question.server, isSilent, answer);
    }),
    members: once(async ({ host: address, port }) => {
      const answer = await poolMembers(reach(address, port), clock);
      return await heard(address, answer === null, answer);
    }),
    neighbour: once(async ({ address }) => {
      const table = await file(ARP_TABLE);
      return table === null ? await neighbourProbe(clock, address) : neighbourIn(table, address);
    }),
    dhcp: once((question) => dhcpProbe(reach, clock, question)),
    files: once((question) => readHostTexts(place, question)),
    host: once(async (question) => {
      const answer = await lookAtHost(place, question);
      const isSilent = answer.state === 'refused' && answer.detail.includes(`connect to host ${question.address} `);
      return await heard(question.address, isSilent, answer);
    }),
    ignition: once((question) => lookAtIgnition(place, question)),
    images: once(({ files }) => lookAtImages(place, files)),
    registry: once((question) => lookAtRegistry(place, question, isOnline)),
    date: once(async (question) => {
      const answer = await dateProbe(reach, clock, question, PATIENCE);
      return await heard(question.host, !answer.isThere, answer);
    }),
    time: once(({ server }) => lookAtTime(place, server, isOnline, PATIENCE)),
  };
}

function once<Asked, Answered>(askIt: (question: Asked) => Promise<Answered>): (question: Asked) => Promise<Answered> {
  const answers = new Map<string, Promise<Answered>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? askIt(question);
    answers.set(key, answer);
    return answer;
  };
}
