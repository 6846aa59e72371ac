import { dhcpProbe } from '../../bastion/dhcp-probe.ts';
import { dnsProbe } from '../../bastion/dns-probe.ts';
import { poolMembers } from '../../bastion/haproxy-stats.ts';
import { httpProbe, textProbe } from '../../bastion/http-probe.ts';
import { neighbourProbe } from '../../bastion/neighbour-probe.ts';
import { tcpProbe } from '../../bastion/probes.ts';
import { tftpProbe } from '../../bastion/tftp-probe.ts';
import { timeProbe } from '../../bastion/time-probe.ts';
import type { Askers } from '../../diagnosis/site/question.ts';
import { SECOND } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';

type Where = Pick<StepContext, 'reach' | 'clock'>;

/** A server that is there answers at once; one that is not is given this long (and what fetches a whole file longer). */
const PATIENCE = 3 * SECOND;
const FETCHES_WITHIN = 15 * SECOND;

/** How each kind of question is asked of a site; the same question once. Nothing is changed anywhere. */
export function askersOf({ reach, clock }: Where): Askers {
  return {
    dns: once((question) => dnsProbe({ reach, clock, ...question, timeoutMs: PATIENCE })),
    tcp: once(({ host, port }) => tcpProbe(reach, clock, host, port, PATIENCE)),
    head: once(({ url }) => httpProbe(reach, clock, url, PATIENCE)),
    text: once(({ url }) => textProbe(reach, clock, url, PATIENCE)),
    tftp: once((question) => tftpProbe(reach, clock, question, FETCHES_WITHIN)),
    members: once(({ host, port }) => poolMembers(reach(host, port), clock)),
    neighbour: once(({ address }) => neighbourProbe(reach, clock, address)),
    dhcp: once((question) => dhcpProbe(reach, clock, question)),
    time: once(({ server }) => timeProbe(reach, clock, server, PATIENCE)),
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
