import { catalogue } from '../i18n/catalogue.ts';
import type { PortState } from '../probes/probe-types.ts';
import { createCheckFactory, type Finding, runChecks } from './check.ts';

const words = () => catalogue().diagnosis.hosts;

/** The result of one query to a running service. */
export interface ServiceProbeResult {
  /**
   * `silent`: a name server that answered no query; one result replaces all of them. `unsent`: a host that this machine
   * cannot send to; one result replaces all queries to it.
   */
  readonly kind: 'dns' | 'reverse' | 'port' | 'silent' | 'unsent';
  readonly server: string;
  readonly queryText: string;
  readonly isOk: boolean;
  readonly detail: string;
  /** Whether no answer arrived. */
  readonly isSilent?: boolean;
  /** Why the query could not leave this machine; missing: it could. */
  readonly sendBlockReason?: string;
  /** Whether the server is external: upi-wizard does not set it up. */
  readonly isExternal?: boolean;
  /** Whether the load balancer listens, and forwards to none of the nodes that answer. */
  readonly isWithoutMember?: boolean;
}

/**
 * Compares the answers of a name server with the design: they must match exactly.
 * @param detail the reason if there is no answer
 */
export function compareDnsAnswers(
  query: Pick<ServiceProbeResult, 'kind' | 'server' | 'queryText' | 'isSilent' | 'sendBlockReason' | 'isExternal'>,
  expected: readonly string[],
  answers: readonly string[],
  detail: string,
): ServiceProbeResult {
  const isOk =
    answers.length === expected.length && expected.every((expectedAddress) => answers.includes(expectedAddress));
  if (query.sendBlockReason !== undefined) return { ...query, isOk, detail };
  const actualText = answers.join(', ');
  return { ...query, isOk, detail: isOk ? actualText : words().expected(expected.join(', '), actualText || detail) };
}

/**
 * Evaluates whether a load balancer serves a port. HAProxy without a member accepts and closes connections, which
 * counts as listening until a member answers on this port. Other load balancers may refuse connections until they have
 * a member: only the bootstrap shows whether they listen.
 * @param isManaged whether upi-wizard sets up the load balancer
 * @param servingMember the node that answers on this port itself; null: none does
 */
export function evaluatePort(
  host: string,
  port: number,
  {
    state,
    detail,
    sendBlockReason,
  }: { readonly state: PortState; readonly detail: string; readonly sendBlockReason?: string },
  isManaged: boolean,
  servingMember: string | null = null,
): ServiceProbeResult {
  const query = {
    kind: 'port',
    server: host,
    queryText: `${host}:${port}`,
    ...(isManaged ? {} : { isExternal: true }),
  } as const;
  if (state === 'open') return { ...query, isOk: true, detail: state };
  if (state === 'closed-at-once')
    return servingMember === null
      ? { ...query, isOk: true, detail: words().noMemberUp }
      : { ...query, isOk: false, isWithoutMember: true, detail: words().memberNotUsed(servingMember) };
  const canHaveNoMember = state === 'refused' && !isManaged;
  if (canHaveNoMember) return { ...query, isOk: true, detail: words().noMemberYet };
  return { ...query, isOk: false, detail, ...(sendBlockReason === undefined ? {} : { sendBlockReason }) };
}

/** Whether this result replaces all queries to a server. */
export function coversWholeServer({ kind }: Pick<ServiceProbeResult, 'kind'>): boolean {
  return kind === 'silent' || kind === 'unsent';
}

/** The code of a finding about a service. */
export type ServiceCode = `service-${ServiceProbeResult['kind']}`;

const createServiceCheck = (id: ServiceCode) =>
  createCheckFactory<ServiceProbeResult>('hosts')(
    id,
    'warning',
    ({ kind, server, isOk, queryText, detail, isExternal = false, isWithoutMember = false }) => {
      if (id !== `service-${kind}` || isOk) return null;
      const { title, remedy: ownFix, externalFix } = isWithoutMember ? words()['service-port'].unused : words()[id];
      const remedy = isExternal ? externalFix : ownFix;
      // The subject of an unanswered server is stable, however many queries were sent to it.
      const subject = coversWholeServer({ kind }) ? server : queryText;
      return { state: 'failed', subject, title: title(queryText), evidence: [detail], remedy };
    },
  );

/** Services that do not answer as designed. */
const SERVICE_CHECKS = [
  createServiceCheck('service-unsent'),
  createServiceCheck('service-silent'),
  createServiceCheck('service-dns'),
  createServiceCheck('service-reverse'),
  createServiceCheck('service-port'),
];

/** The ids of the checks of services. */
export const SERVICE_IDS = SERVICE_CHECKS.map(({ id }) => id);

/**
 * Merges all results of a host that this machine cannot send to, and all name queries of a silent name server, into one
 * result each.
 * @param getHostName returns the name of the host at an address
 */
export function mergeUnansweredQueries(
  results: readonly ServiceProbeResult[],
  getHostName: (server: string) => string,
): ServiceProbeResult[] {
  const servers = [...new Set(results.map(({ server }) => server))];
  const mergedResults = servers.flatMap((server) => {
    const serverResults = results.filter((answer) => answer.server === server);
    return (
      mergeUnsentQueries(serverResults, getHostName(server)) ??
      mergeSilentQueries(serverResults, getHostName(server)) ??
      []
    );
  });
  const isMerged = (answer: ServiceProbeResult, { server, kind }: ServiceProbeResult) =>
    answer.server === server && (kind === 'unsent' || isNameQuery(answer));
  return [
    ...mergedResults,
    ...results.filter((answer) => !mergedResults.some((mergedResult) => isMerged(answer, mergedResult))),
  ];
}

const isNameQuery = ({ kind }: ServiceProbeResult) => kind === 'dns' || kind === 'reverse';

/**
 * Merges the results of a host if none of the queries could leave this machine; null otherwise. The query is the name of
 * the host, and the detail only the reason.
 */
function mergeUnsentQueries(results: readonly ServiceProbeResult[], name: string): ServiceProbeResult | null {
  const [firstResult] = results;
  if (firstResult === undefined || results.some(({ sendBlockReason }) => sendBlockReason === undefined)) return null;
  const { server, sendBlockReason: detail = '' } = firstResult;
  return { kind: 'unsent', server, queryText: name, isOk: false, detail };
}

/** Joins the hosts that this machine cannot send to for the same reason: they are one fault with one remedy. */
export function joinUnsentServers(results: readonly ServiceProbeResult[]): ServiceProbeResult[] {
  const isSameFault = (a: ServiceProbeResult, b: ServiceProbeResult) =>
    a.kind === 'unsent' && b.kind === 'unsent' && a.detail === b.detail;
  return results.flatMap((result, index) => {
    const group = results.filter((other) => isSameFault(result, other));
    if (group.length < 2) return [result];
    const join = (key: 'server' | 'queryText') => group.map((member) => member[key]).join(', ');
    return results.indexOf(group[0] ?? result) === index
      ? [{ ...result, server: join('server'), queryText: join('queryText') }]
      : [];
  });
}

/**
 * Merges the results of a name server if it answered none of several name queries; null otherwise. One finding is
 * enough for a server that does not answer.
 */
function mergeSilentQueries(results: readonly ServiceProbeResult[], name: string): ServiceProbeResult | null {
  const nameQueries = results.filter(isNameQuery);
  const [firstNameQuery] = nameQueries;
  if (firstNameQuery === undefined || nameQueries.length < 2 || !nameQueries.every(({ isSilent }) => isSilent))
    return null;
  const { server, isExternal = false } = firstNameQuery;
  const queryText = words().silent(name, nameQueries.length);
  return { kind: 'silent', server, queryText, isOk: false, detail: '', ...(isExternal ? { isExternal } : {}) };
}

/** Returns a finding for each service that does not answer as designed. */
export function evaluateServices(results: readonly ServiceProbeResult[]): Finding[] {
  return results.filter(({ isOk }) => !isOk).flatMap((answer) => runChecks(SERVICE_CHECKS, answer));
}

/** State of a load balancer's pools for 6443 and 22623. */
export interface BalancerEvidence {
  readonly name: string;
  /**
   * `has-bootstrap`: the bootstrap is in a pool. `no-bootstrap`: it is in none. `silent`: the load balancer does not
   * report its pools.
   */
  readonly state: 'has-bootstrap' | 'no-bootstrap' | 'silent';
  readonly upMembers: readonly string[];
  readonly downMembers: readonly string[];
}

/**
 * Evidence that the bootstrap is removed: the load balancers' status, or answers through them while the bootstrap's own
 * ports are closed.
 */
export interface RemovalProof {
  readonly balancers: readonly BalancerEvidence[];
  /** Whether the bootstrap's own ports 6443 and 22623 are closed. */
  readonly isBootstrapClosed: boolean;
  /** Whether 6443 and 22623 answer through the load balancer. */
  readonly isAnswering: boolean;
}

/** Evidence about a bootstrap that should be removed from the load balancer. */
interface RemovalEvidence {
  /** Short name of the bootstrap node. */
  readonly bootstrap: string;
  /** The condition that keeps the bootstrap node necessary; null if the bootstrap is complete, or the node removed. */
  readonly waitsFor: string | null;
  readonly balancers: readonly BalancerEvidence[];
}

const check = createCheckFactory<RemovalEvidence>('bootstrap');

const bootstrapNeeded = check('bootstrap-needed', 'warning', ({ waitsFor }) =>
  waitsFor === null ? [] : [{ state: 'failed', ...words()['bootstrap-needed'], evidence: [waitsFor] }],
);

const bootstrapInPool = check('bootstrap-in-pool', 'warning', ({ balancers, bootstrap }) => {
  const remainingBalancers = balancers.filter(({ state }) => state === 'has-bootstrap').map(({ name }) => name);
  if (remainingBalancers.length === 0) return [];
  const namesText = remainingBalancers.join(', ');
  const { title, cause, remedy } = words()['bootstrap-in-pool'];
  return [{ state: 'failed', title: title(namesText, bootstrap), evidence: [cause], remedy: remedy(namesText) }];
});

/** Checks that keep the bootstrap in the load balancer. */
export const REMOVAL_CHECKS = [bootstrapNeeded, bootstrapInPool];

/**
 * Assesses whether the bootstrap is removed, if no load balancer reports it in a pool. `out`: proven, and its own ports
 * are closed. `still-on`: proven by the load balancers, but its machine still runs. `no-answer`: nothing answers
 * through the load balancers. `unproven`: the load balancers report no pools, and the answers may come from the
 * bootstrap.
 */
export function assessRemoval({
  balancers,
  isBootstrapClosed,
  isAnswering,
}: RemovalProof): 'out' | 'still-on' | 'no-answer' | 'unproven' {
  if (!isAnswering) return 'no-answer';
  if (isBootstrapClosed) return 'out';
  const isReportedRemoved = balancers.length > 0 && balancers.every(({ state }) => state === 'no-bootstrap');
  const isApiUp = balancers.every(({ upMembers }) => upMembers.some((upMember) => upMember.startsWith('api/')));
  return isReportedRemoved && isApiUp ? 'still-on' : 'unproven';
}
