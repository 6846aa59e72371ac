import { getStatsPort } from '../../artifacts/network/firewall.ts';
import { getBalancerMembers } from '../../design/balancer-members.ts';
import { getApiIntName, listNodesWithRole } from '../../design/derived-facts.ts';
import type { DesignNode, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { isUnmeasurable, type ProbeAnswer, type ProbeQuery } from '../../probes/probe-types.ts';
import { listBalancers, listPlannedPools } from './load-balancer.ts';
import {
  createSiteCheckFactory,
  isLocalHost,
  querySite,
  type SiteCheckContext,
  type SiteResult,
  toSiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details.silentMember;
const reachWords = () => catalogue().diagnosis.site.details.reach;
const check = createSiteCheckFactory('load-balancer');

type Member = NonNullable<ProbeAnswer<'members'>>[number];

/** The pools that each control plane node serves. If a node fails in both, the first one is reported. */
const CONTROL_PLANE_POOLS = ['api', 'machine-config'];
/** Seconds. While nodes start or restart one after the other, a member is down for minutes. */
const USUAL_DOWNTIME_S = 600;

/** Checks of single members, once their peers serve. */
export const MEMBER_CHECKS = [
  /** A control plane node is silent while all of its peers serve. Nodes that start one after the other are pending. */
  check('lb-member-silent', 'fatal', (site) => {
    const nodes = listNodesWithRole(site.design, 'control-plane');
    if (nodes.length < 2) return [];
    const balancersPromise = readBalancers(site);
    return nodes.map(async (node) => {
      const address = `${formatUrlHost(node.ip[0] ?? '')}:6443`;
      const querySubject = { subject: node.name, command: `curl -k https://${address}/readyz` };
      const peers = nodes.filter(({ name }) => name !== node.name);
      return await evaluateNode(site, querySubject, { node, peers }, await balancersPromise);
    });
  }),
  /**
   * Each load balancer connects to every member that this machine connects to. A packet filter or a missing route
   * between a load balancer and a member is visible only from the load balancer.
   */
  check('lb-reaches', 'fatal', (site) =>
    listBalancers(site)
      .filter((host) => !isLocalHost(site, host))
      .map((host) => queryReach(site, host)),
  ),
];

async function queryReach(site: SiteCheckContext, { name, ip: [address] }: ServiceHost): Promise<SiteResult> {
  const members = getBalancerMembers(site.design, site.stage);
  const targets = listPlannedPools(site).flatMap(({ pool, port }) =>
    (pool.startsWith('ingress') ? members.ingress : members.api).flatMap((node) =>
      node.ip.slice(0, 1).map((host) => ({ node: node.name, host, port })),
    ),
  );
  const formatReachCommand = (target: { readonly host: string; readonly port: number } | undefined) =>
    `ssh ${address} 'nc -vz -w 3 ${target?.host ?? ''} ${target?.port ?? ''}'`;
  const querySubject = { subject: name, command: formatReachCommand(targets[0]) };
  const localAnswers = await Promise.all(targets.map(({ host, port }) => site.probes.tcp({ host, port })));
  const openTargets = targets.filter((_, index) => {
    const answer = localAnswers[index];
    return answer !== undefined && !isUnmeasurable(answer) && answer.state === 'open';
  });
  const unmeasuredAnswer = localAnswers.find(isUnmeasurable);
  if (openTargets.length === 0)
    return toSiteResult(
      querySubject,
      unmeasuredAnswer === undefined
        ? { state: 'ok', detail: reachWords().noneOpen }
        : { state: 'unknown', detail: unmeasuredAnswer.detail },
    );
  const query = { name, address, targets: openTargets.map(({ host, port }) => ({ host, port })) };
  return await querySite(site, 'reach', query, querySubject, (answer) => {
    if (answer.state === 'unknown') return { state: 'unknown', detail: answer.detail };
    const blockedTargets = openTargets.flatMap(({ node, host, port }, index) => {
      const state = answer.results[index]?.state ?? 'open';
      return state === 'open' ? [] : [{ node, host, port, isSilent: state === 'silent' }];
    });
    const [firstTarget] = blockedTargets;
    return firstTarget === undefined
      ? { state: 'ok', detail: reachWords().all(openTargets.length) }
      : {
          state: 'failed',
          detail: reachWords().blocked(name, blockedTargets),
          remedy: reachWords().remedy(name, firstTarget.host, firstTarget.port),
          command: formatReachCommand(firstTarget),
        };
  });
}

interface Balancer {
  readonly host: ServiceHost;
  readonly statsQuery: ProbeQuery<'members'>;
  readonly members: readonly Member[];
}

async function readBalancers(site: SiteCheckContext): Promise<Balancer[]> {
  const balancerReads = listBalancers(site).map(async (host) => {
    const statsQuery = { host: host.ip[0], port: getStatsPort(site.design, host) };
    const answer = await site.probes.members(statsQuery);
    return answer === null || isUnmeasurable(answer) ? [] : [{ host, statsQuery, members: answer }];
  });
  return (await Promise.all(balancerReads)).flat();
}

async function evaluateNode(
  site: SiteCheckContext,
  querySubject: Pick<SiteResult, 'subject' | 'command'>,
  { node, peers }: { readonly node: DesignNode; readonly peers: readonly DesignNode[] },
  balancers: readonly Balancer[],
): Promise<SiteResult> {
  const memberVerdicts = balancers.flatMap((balancer) =>
    CONTROL_PLANE_POOLS.flatMap((pool) => {
      const verdict = evaluateMember(site, balancer, pool, node, peers);
      return verdict === null ? [] : { balancer, pool, verdict };
    }),
  );
  const verdicts = await Promise.all(
    memberVerdicts.map(async ({ balancer, pool, verdict }): Promise<Verdict> => {
      if (verdict.state !== 'failed') return verdict;
      if (await isCheckOutdated(site, balancer, pool, node)) return { ...verdict, state: 'pending' };
      return { ...verdict, remedy: await chooseRemedy(site, balancer, pool, node) };
    }),
  );
  if (verdicts.length === 0) return await evaluateNodeDirectly(site, querySubject, node, peers);
  const worstVerdict = ['failed', 'pending'].flatMap(
    (wantedState) => verdicts.find(({ state }) => state === wantedState) ?? [],
  )[0];
  return toSiteResult(querySubject, worstVerdict ?? verdicts[0] ?? { state: 'unknown', detail: words().noOthers });
}

/**
 * Evaluates a member of a pool as its load balancer reports it. Returns null if the load balancer does not list the
 * member: another check reports this.
 */
function evaluateMember(
  { stage }: SiteCheckContext,
  { host: { name: balancerName }, members }: Balancer,
  pool: string,
  node: DesignNode,
  peers: readonly DesignNode[],
): Verdict | null {
  const findMember = (name: string) => members.find((candidate) => candidate.pool === pool && candidate.name === name);
  const nodeMember = findMember(node.name);
  if (nodeMember === undefined) return null;
  const label = `${pool}/${node.name}`;
  if (!/^DOWN/.test(nodeMember.status)) return { state: 'ok', detail: words().up(balancerName, label) };
  const report = [nodeMember.status, nodeMember.check ?? ''].filter((text) => text !== '').join(' ');
  // From its own start, HAProxy reports a member as UP until its first check of the member has ended.
  const isUp = (member?: Member) => /^UP/.test(member?.status ?? '') && /^(?:$|L\dOK)/.test(member?.check ?? '');
  const upPeers = peers.filter(({ name }) => isUp(findMember(name))).map(({ name }) => name);
  if (upPeers.length < peers.length) return { state: 'pending', detail: words().notYet(balancerName, label, report) };
  const seconds = nodeMember.unchangedFor ?? null;
  const minutes = seconds === null ? null : Math.floor(seconds / 60);
  const isDownForLong = stage !== 'install' || (seconds ?? 0) >= USUAL_DOWNTIME_S;
  return {
    state: 'failed',
    detail: words().down(balancerName, label, report, minutes, upPeers),
    severity: isDownForLong ? 'fatal' : 'warning',
  };
}

/** Number of queries, a second apart: the load balancer checks each member every 5 s, and the check takes time. */
const MAX_ATTEMPTS = 7;

/** Whether the node serves, and the load balancer has not noticed it yet: its next check of the member succeeds. */
async function isCheckOutdated(
  site: SiteCheckContext,
  { host, statsQuery }: Balancer,
  pool: string,
  node: DesignNode,
): Promise<boolean> {
  const answer = await queryNode(site, pool, node);
  if (isUnmeasurable(answer) || answer.state !== 'tls') return false;
  if (await isConnectionBlocked(site, host, pool, node)) return false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const nextAnswer = await site.probes.members({ ...statsQuery, attempt });
    if (nextAnswer === null || isUnmeasurable(nextAnswer)) return false;
    const laterMember = nextAnswer.find(
      (answerMember) => answerMember.pool === pool && answerMember.name === node.name,
    );
    if (laterMember === undefined) return false;
    // HAProxy counts successful checks before it takes a member back: "DOWN 1/2" (management guide, 9.1).
    if (!/^DOWN$/.test(laterMember.status) || /^L\dOK/.test(laterMember.check ?? '')) return true;
  }
  return false;
}

/** Whether the load balancer itself cannot connect to the node: its checks will not succeed. */
async function isConnectionBlocked(
  site: SiteCheckContext,
  balancer: ServiceHost,
  pool: string,
  node: DesignNode,
): Promise<boolean> {
  if (isLocalHost(site, balancer)) return false;
  const { name, ip } = balancer;
  const [host = ''] = node.ip;
  const answer = await site.probes.reach({ name, address: ip[0], targets: [{ host, port: getPoolPort(site, pool) }] });
  const result = isUnmeasurable(answer) || answer.state === 'unknown' ? null : (answer.results[0] ?? null);
  return result !== null && result.state !== 'open';
}

const getPoolPort = (site: SiteCheckContext, pool: string) =>
  listPlannedPools(site).find((plannedPool) => plannedPool.pool === pool)?.port ?? 6443;

function queryNode(site: SiteCheckContext, pool: string, { ip: [host = ''] }: DesignNode) {
  const port = getPoolPort(site, pool);
  const authority = pool === 'api' ? 'api' : 'machine-config';
  return site.probes.certificate({ host, port, name: getApiIntName(site.design), authority });
}

/** Queries the node directly, because the remedy depends on its answer. */
async function chooseRemedy(
  site: SiteCheckContext,
  { host: { name }, members }: Balancer,
  pool: string,
  node: DesignNode,
): Promise<string> {
  const { remedies } = words();
  const [host = ''] = node.ip;
  const port = getPoolPort(site, pool);
  const answer = await queryNode(site, pool, node);
  const state = isUnmeasurable(answer) ? null : answer.state;
  const report = members.find((member) => member.pool === pool && member.name === node.name)?.check ?? '';
  if (state === 'refused') return remedies.refused(host, port);
  if (/^L7STS/.test(report)) return remedies.notReady(formatUrlHost(host));
  if (state === 'tls') return remedies.reachable(name, `${formatUrlHost(host)}:${port}`);
  return remedies.silent(host);
}

/** Evaluates a node by queries of this machine: no load balancer reports its members. */
async function evaluateNodeDirectly(
  site: SiteCheckContext,
  querySubject: Pick<SiteResult, 'subject' | 'command'>,
  node: DesignNode,
  peers: readonly DesignNode[],
): Promise<SiteResult> {
  const query = ({ ip: [host = ''] }: DesignNode) =>
    site.probes.certificate({ host, port: 6443, name: getApiIntName(site.design), authority: 'api' });
  const [answer, ...peerAnswers] = await Promise.all([node, ...peers].map(query));
  if (answer === undefined || isUnmeasurable(answer))
    return toSiteResult(querySubject, { state: 'unknown', detail: answer?.detail ?? '' });
  if (answer.state === 'tls') return toSiteResult(querySubject, { state: 'ok', detail: answer.detail });
  const arePeersServing = peerAnswers.every((peerAnswer) => !isUnmeasurable(peerAnswer) && peerAnswer.state === 'tls');
  if (!arePeersServing) return toSiteResult(querySubject, { state: 'pending', detail: words().noOthers });
  const [host = ''] = node.ip;
  const remedy = answer.state === 'refused' ? words().remedies.refused(host, 6443) : words().remedies.silent(host);
  const names = peers.map(({ name }) => name);
  return toSiteResult(querySubject, {
    state: 'failed',
    severity: 'warning',
    detail: words().onlyThis(answer.detail, names),
    remedy,
  });
}
