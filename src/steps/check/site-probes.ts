import type { Unmeasurable } from '../../checks/site/probe-types.ts';
import type { Probes } from '../../checks/site/query.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { SECOND } from '../../platform/clock.ts';

import { probeDhcp } from '../../probes/dhcp-probe.ts';
import { probeDns } from '../../probes/dns-probe.ts';
import { fetchPoolMembers } from '../../probes/haproxy-stats.ts';
import { probeHttp, probeText } from '../../probes/http-probe.ts';
import { ARP_TABLE, findNeighbour, findSendBlock, isOnLink, probeNeighbour } from '../../probes/neighbour-probe.ts';
import { probeTcp } from '../../probes/probes.ts';
import { probeTftp } from '../../probes/tftp-probe.ts';
import { probeDate } from '../../probes/time-probe.ts';
import type { StepContext } from '../contract.ts';
import { probeHost } from './host.ts';
import { readHostTexts } from './host-texts.ts';
import { probeIgnitionFiles } from './ignition-files.ts';
import { probeImageFiles } from './images.ts';
import { probeRegistryLogin } from './registries.ts';
import { probeTimeServer } from './time.ts';

/** The context of the site checks. */
export type CheckContext = Pick<
  StepContext,
  | 'design'
  | 'dir'
  | 'resolveEndpoint'
  | 'clock'
  | 'programPath'
  | 'imagesDir'
  | 'credentials'
  | 'manualActions'
  | 'signal'
> & {
  /** Registries and time servers on the internet are probed as well. */
  readonly isOnline?: boolean;
};

/** Timeout of a probe; a server that exists replies at once. Probes that fetch a whole file have longer. */
const PROBE_TIMEOUT = 3 * SECOND;
const FETCH_TIMEOUT = 15 * SECOND;

/**
 * Creates the probes of a site, one per kind of question; the same question is sent once. They change nothing anywhere.
 */
export function createProbes(context: CheckContext): Probes {
  const { design, resolveEndpoint, clock, manualActions, isOnline = false } = context;
  const getSendBlock = memoize((address: string) => findSendBlock(resolveEndpoint(address, 0).host));
  // Null outside a rehearsal: this machine reads its own file.
  const readSiteFile = memoize((path: string) => manualActions.readFile(design.services.bastion.name, path));
  const findResolver = async () =>
    /^nameserver\s+(\S+)/m.exec((await readSiteFile('/etc/resolv.conf')) ?? '')?.[1] ?? null;
  const parseHost = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');

  /** Returns the answer, or `Unmeasurable` if none came and this host could not send the query. */
  async function distinguishLocalFailure<Reply>(
    from: string,
    isSilent: boolean,
    answer: Reply,
  ): Promise<Reply | Unmeasurable> {
    const why = isSilent ? await getSendBlock(from) : null;
    return why === null ? answer : { isUnmeasured: true, detail: catalogue().bastion.probe.sendBlocked(from, why) };
  }

  /** Same as `distinguishLocalFailure`. An `unreachable` from a router on the path proves nothing about the host either. */
  async function distinguishRouterReply<Reply extends { readonly state: string; readonly detail: string }>(
    from: string,
    isSilent: boolean,
    answer: Reply,
  ): Promise<Reply | Unmeasurable> {
    const result = await distinguishLocalFailure(from, isSilent, answer);
    const isRouterReply = answer.state === 'unreachable' && !isOnLink(from);
    return result === answer && isRouterReply ? { isUnmeasured: true, detail: answer.detail } : result;
  }

  return {
    dns: memoize(async (question) => {
      const server = question.server ?? (await findResolver());
      const answer = await probeDns({ reach: resolveEndpoint, clock, ...question, server, timeoutMs: PROBE_TIMEOUT });
      const isSilent = answer.state === 'timeout' || answer.state === 'refused';
      return server === null ? answer : await distinguishLocalFailure(server, isSilent, answer);
    }),
    tcp: memoize(async (question) => {
      const answer = await probeTcp(resolveEndpoint, clock, question.host, question.port, PROBE_TIMEOUT);
      return await distinguishRouterReply(
        question.host,
        answer.state !== 'open' && answer.state !== 'closed-at-once',
        answer,
      );
    }),
    head: memoize(async ({ url }) => {
      const answer = await probeHttp(resolveEndpoint, clock, url, PROBE_TIMEOUT);
      return await distinguishRouterReply(parseHost(url), answer.status === null, answer);
    }),
    text: memoize(async ({ url }) => {
      const answer = await probeText(resolveEndpoint, clock, url, PROBE_TIMEOUT);
      return await distinguishLocalFailure(parseHost(url), answer.status === null, answer);
    }),
    tftp: memoize(async (question) => {
      const answer = await probeTftp(resolveEndpoint, clock, question, FETCH_TIMEOUT);
      const isSilent = !('isUnmeasured' in answer) && answer.state !== 'fetched' && answer.state !== 'refused';
      return await distinguishLocalFailure(question.server, isSilent, answer);
    }),
    members: memoize(async ({ host: address, port }) => {
      const answer = await fetchPoolMembers(resolveEndpoint(address, port), clock);
      return await distinguishLocalFailure(address, answer === null, answer);
    }),
    neighbour: memoize(async ({ address }) => {
      const table = await readSiteFile(ARP_TABLE);
      return table === null ? await probeNeighbour(clock, address) : findNeighbour(table, address);
    }),
    dhcp: memoize((question) => probeDhcp(resolveEndpoint, clock, question)),
    files: memoize((question) => readHostTexts(context, question)),
    host: memoize(async (question) => {
      const answer = await probeHost(context, question);
      const isSilent = answer.state === 'refused' && answer.detail.includes(`connect to host ${question.address} `);
      return await distinguishLocalFailure(question.address, isSilent, answer);
    }),
    ignition: memoize((question) => probeIgnitionFiles(context, question)),
    images: memoize(({ files }) => probeImageFiles(context, files)),
    registry: memoize((question) => probeRegistryLogin(context, question, isOnline)),
    date: memoize(async (question) => {
      const answer = await probeDate(resolveEndpoint, clock, question, PROBE_TIMEOUT);
      return await distinguishLocalFailure(question.host, !answer.isThere, answer);
    }),
    time: memoize(({ server }) => probeTimeServer(context, server, isOnline, PROBE_TIMEOUT)),
  };
}

function memoize<Input, Output>(query: (question: Input) => Promise<Output>): (question: Input) => Promise<Output> {
  const answers = new Map<string, Promise<Output>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? query(question);
    answers.set(key, answer);
    return answer;
  };
}
