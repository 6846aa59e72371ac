import { poolMembers } from '../../bastion/haproxy-stats.ts';
import { dateProbe } from '../../bastion/probes/date-probe.ts';
import { dhcpProbe } from '../../bastion/probes/dhcp-probe.ts';
import { dnsProbe } from '../../bastion/probes/dns-probe.ts';
import { httpProbe, textProbe } from '../../bastion/probes/http-probe.ts';
import { neighbourProbe } from '../../bastion/probes/neighbour-probe.ts';
import { tcpProbe } from '../../bastion/probes/probes.ts';
import { tftpProbe } from '../../bastion/probes/tftp-probe.ts';
import { timeProbe } from '../../bastion/probes/time-probe.ts';
import type { Askers } from '../../diagnosis/site/question.ts';
import { SECOND } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';
import { lookAtHost } from './host.ts';
import { lookAtIgnition } from './ignition-files.ts';
import { lookAtImages } from './images.ts';
import { isOutside } from './outside.ts';
import { lookAtRegistry } from './registries.ts';

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
  const { reach, clock, isOnline = false } = place;
  return {
    dns: once((question) => dnsProbe({ reach, clock, ...question, timeoutMs: PATIENCE })),
    tcp: once(({ host, port }) => tcpProbe(reach, clock, host, port, PATIENCE)),
    head: once(({ url }) => httpProbe(reach, clock, url, PATIENCE)),
    text: once(({ url }) => textProbe(reach, clock, url, PATIENCE)),
    tftp: once((question) => tftpProbe(reach, clock, question, FETCHES_WITHIN)),
    members: once(({ host, port }) => poolMembers(reach(host, port), clock)),
    neighbour: once(({ address }) => neighbourProbe(reach, clock, address)),
    dhcp: once((question) => dhcpProbe(reach, clock, question)),
    host: once((question) => lookAtHost(place, question)),
    ignition: once((question) => lookAtIgnition(place, question)),
    images: once(({ files }) => lookAtImages(place, files)),
    registry: once((question) => lookAtRegistry(place, question, isOnline)),
    date: once((question) => dateProbe(reach, clock, question, PATIENCE)),
    time: once(async ({ server }) =>
      isOnline || !(await isOutside(place.design, reach(server, 123).host))
        ? await timeProbe(reach, clock, server, PATIENCE)
        : { offsetMs: null, detail: '', isUnasked: true as const },
    ),
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
