import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import { getStatsPort } from '../../artifacts/network/firewall.ts';
import { WORK_DIR } from '../../artifacts/shared/generator.ts';
import { getBalancerMembers } from '../../design/balancer-members.ts';
import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  listNodesWithRole,
} from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUtc } from '../../platform/clock.ts';
import { formatUrlHost } from '../../platform/text.ts';
import {
  isUnmeasurable,
  type ProbeAnswer,
  type ProbeQuery,
  type ServedCertificate,
  type Unmeasurable,
} from '../../probes/probe-types.ts';
import { listBalancers, listPlannedPools } from './load-balancer.ts';
import { createSiteCheckFactory, type SiteCheckContext, type SiteResult, toSiteResult, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.certificate;
const check = createSiteCheckFactory('load-balancer');

/** All routers present the same certificate: it is enough to query this many machines of each role that may run them. */
const MAX_ROUTERS = 3;
const INSTALL_SCRIPT = `${WORK_DIR}/install.sh`;

/** Checks of the certificates that the load balancer passes through, and of those that its members present directly. */
export const CERTIFICATE_CHECKS = [
  /** The API presents a certificate of this cluster, through the load balancer and on each machine. */
  check('api-certificate', 'fatal', (site) => {
    const { design } = site;
    const [api, apiInt] = [getApiName(design), getApiIntName(design)];
    const members =
      design.topology === 'single-node' ? listNodesWithRole(design, 'control-plane') : listApiMembers(site);
    const endpoints =
      design.topology === 'single-node'
        ? []
        : [
            ...design.endpoints.api.map((host) => ({ host, name: api })),
            ...design.endpoints.apiInt.map((host) => ({ host, name: apiInt })),
          ];
    return evaluateCertificatePort(site, { port: 6443, authority: 'api', endpoints, members, names: [api, apiInt] });
  }),
  /**
   * The Machine Config Server presents a certificate that the CA in the ignition files issued: nodes trust no other.
   */
  check('machine-config-certificate', 'fatal', (site) => {
    const { design } = site;
    if (design.topology === 'single-node') return [];
    const name = getApiIntName(design);
    const endpoints = design.endpoints.apiInt.map((host) => ({ host, name }));
    const members = listApiMembers(site);
    return evaluateCertificatePort(site, {
      port: 22_623,
      authority: 'machine-config',
      endpoints,
      members,
      names: [name],
    });
  }),
  /** The routers present a certificate for the names below *.apps. Any CA may have issued it. */
  check('ingress-certificate', 'warning', (site) => {
    const { design, stage } = site;
    if (design.topology === 'single-node') return [];
    const name = `console-openshift-console.${getAppsDomain(design)}`;
    const endpoints = design.endpoints.ingress.map((host) => ({ host, name }));
    const nodesByRole = Map.groupBy(getBalancerMembers(design, stage).ingress, ({ role }) => role);
    const members = [...nodesByRole.values()].flatMap((nodes) => nodes.slice(0, MAX_ROUTERS));
    return evaluateCertificatePort(site, { port: 443, authority: 'none', endpoints, members, names: [name] });
  }),
];

function listApiMembers({ design, stage }: SiteCheckContext): readonly DesignNode[] {
  return getBalancerMembers(design, stage).api;
}

interface CertificatePort {
  readonly port: 6443 | 22_623 | 443;
  readonly authority: ProbeQuery<'certificate'>['authority'];
  readonly clusterDomain: string;
  /** Names of the load balancers that the wizard writes files for. */
  readonly balancers: readonly string[];
  /** The load balancer's addresses, and the name by which clients know each. */
  readonly endpoints: readonly { readonly host: string; readonly name: string }[];
  readonly members: readonly DesignNode[];
  /** The names that clients use. A server may have a certificate for each. */
  readonly names: readonly string[];
}

type CertificateAnswer = ProbeAnswer<'certificate'> | Unmeasurable;

/** The answers of one machine, one for each name. */
interface MemberAnswers {
  readonly node: DesignNode;
  readonly answers: readonly { readonly name: string; readonly answer: CertificateAnswer }[];
}

/** Evaluates the certificates at a port: one result for each address of the load balancer, and one for all members. */
function evaluateCertificatePort(
  site: SiteCheckContext,
  plannedPort: Omit<CertificatePort, 'clusterDomain' | 'balancers'>,
): Promise<SiteResult>[] {
  const balancers = listBalancers(site).map(({ name }) => name);
  const certificatePort = { ...plannedPort, clusterDomain: getClusterDomain(site.design), balancers };
  const { authority, endpoints, members, names } = certificatePort;
  const query = (host: string, name: string) =>
    site.probes.certificate({ host, port: certificatePort.port, name, authority });
  const memberAnswersPromise = Promise.all(
    members.map(async (node): Promise<MemberAnswers> => {
      const answers = names.map(async (name) => ({ name, answer: await query(node.ip[0] ?? '', name) }));
      return { node, answers: await Promise.all(answers) };
    }),
  );
  const endpointResults = removeDuplicates(endpoints.map(({ host, name }) => `${host} ${name}`)).map(async (text) => {
    const [host = '', name = ''] = text.split(' ');
    const querySubject = {
      subject: `${host}:${certificatePort.port}`,
      command: formatCommand(host, certificatePort.port, name),
    };
    const answer = await query(host, name);
    // Users may replace the certificate for api, but never the one for api-int.
    const internalAnswer =
      authority === 'api' && 'certificate' in answer && answer.certificate.trust !== 'trusted'
        ? await query(host, names.at(-1) ?? name)
        : null;
    const verdict = isUnmeasurable(answer)
      ? ({ state: 'unknown', detail: answer.detail } as const)
      : evaluateEndpoint(
          certificatePort,
          name,
          answer,
          internalAnswer,
          await memberAnswersPromise,
          await isPoolDown(site, certificatePort),
        );
    return toSiteResult(querySubject, verdict);
  });
  return [...endpointResults, evaluateMembers(certificatePort, memberAnswersPromise)];
}

/**
 * Evaluates the certificate at one address of the load balancer.
 * @param internalAnswer the answer for api-int, whose certificate no user may replace; null: it is not needed
 */
function evaluateEndpoint(
  certificatePort: CertificatePort,
  name: string,
  answer: ProbeAnswer<'certificate'>,
  internalAnswer: CertificateAnswer | null,
  memberAnswers: readonly MemberAnswers[],
  hasNoMemberUp: boolean,
): Verdict {
  const [{ port }, { remedies }] = [certificatePort, words()];
  const directCertificates = memberAnswers.flatMap(({ node, answers }) => {
    const nameAnswer = answers.find((candidate) => candidate.name === name)?.answer;
    return nameAnswer !== undefined && 'certificate' in nameAnswer ? [{ node, ...nameAnswer }] : [];
  });
  const servingNodes = directCertificates.map(({ node }) => node.name);
  if (answer.state === 'closed' || answer.state === 'refused') return { state: 'pending', detail: answer.detail };
  if (answer.state !== 'tls') {
    const memberWithoutTls = memberAnswers.find(({ answers }) =>
      answers.some((candidate) => isWithoutTls(candidate.answer)),
    );
    if (answer.state === 'not-tls' && memberWithoutTls !== undefined)
      return { state: 'unknown', detail: words().seeMember(memberWithoutTls.node.name) };
    if (answer.state === 'not-tls')
      return {
        state: 'failed',
        detail: answer.detail,
        remedy: remedies.passThrough(port, certificatePort.balancers, INSTALL_SCRIPT),
      };
    // The load balancer may wait for a member that does not answer.
    if (servingNodes.length === 0 || memberAnswers.some(isCertificateUnknown))
      return { state: 'pending', detail: answer.detail };
    return {
      state: 'failed',
      detail: words().onlyDirect(answer.detail, servingNodes),
      remedy: remedies.stalls(memberAnswers[0]?.node.ip[0] ?? ''),
    };
  }
  const { certificate } = answer;
  const owner = directCertificates.find(
    (directCertificate) => directCertificate.certificate.fingerprint === certificate.fingerprint,
  );
  const problem = findProblem(certificate, name, certificatePort.clusterDomain, answer.now);
  if (owner !== undefined)
    return problem === null
      ? { state: 'ok', detail: describeCertificate(certificate) }
      : { state: 'unknown', detail: words().seeMember(owner.node.name) };
  const isUserCertificate =
    internalAnswer !== null && 'certificate' in internalAnswer && internalAnswer.certificate.trust === 'trusted';
  const isFromCluster = certificate.trust === 'trusted' || isUserCertificate;
  if (!isFromCluster && (hasNoMemberUp || isFromNoMember(certificate, directCertificates, memberAnswers)))
    return {
      state: 'failed',
      detail: words().terminatesTls(describeCertificate(certificate), servingNodes),
      remedy: remedies.passThrough(port, certificatePort.balancers, INSTALL_SCRIPT),
    };
  if (isUserCertificate && problem?.kind !== 'time') return { state: 'ok', detail: describeCertificate(certificate) };
  return problem === null
    ? { state: 'ok', detail: describeCertificate(certificate) }
    : { state: 'failed', detail: problem.text, remedy: remedies[problem.kind](port) };
}

/** Whether the certificate of a machine is unknown: a query was not possible, or the port is closed or silent. */
function isCertificateUnknown({ answers }: MemberAnswers): boolean {
  return answers.some(({ answer }) => isUnmeasurable(answer) || answer.state === 'closed' || answer.state === 'silent');
}

function isWithoutTls(answer: CertificateAnswer): boolean {
  return !isUnmeasurable(answer) && answer.state === 'not-tls';
}

/**
 * Whether none of the members can have presented this certificate: all their certificates are known, or no known CA
 * issued it.
 */
function isFromNoMember(
  { trust, issuer }: ServedCertificate,
  directCertificates: readonly { readonly certificate: ServedCertificate }[],
  memberAnswers: readonly MemberAnswers[],
): boolean {
  if (directCertificates.length === 0 || directCertificates.some(({ certificate }) => certificate.issuer === issuer))
    return false;
  return trust !== 'unknown' || !memberAnswers.some(isCertificateUnknown);
}

/**
 * Whether the load balancers report that no member of the pool is up: then no machine behind them presents a
 * certificate.
 */
async function isPoolDown(site: SiteCheckContext, { port }: CertificatePort): Promise<boolean> {
  const pool = listPlannedPools(site).find((plannedPool) => plannedPool.port === port)?.pool;
  const reports = await Promise.all(
    listBalancers(site).map((balancer) =>
      site.probes.members({ host: balancer.ip[0], port: getStatsPort(site.design, balancer) }),
    ),
  );
  const members = reports.flatMap((answer) => (answer === null || isUnmeasurable(answer) ? [] : answer));
  const poolMembers = members.filter((member) => member.pool === pool);
  return poolMembers.length > 0 && poolMembers.every(({ status }) => /^DOWN/.test(status));
}

/** Evaluates all members in one result. It names all members that have the first problem. */
async function evaluateMembers(
  certificatePort: CertificatePort,
  pendingAnswers: Promise<readonly MemberAnswers[]>,
): Promise<SiteResult> {
  const memberAnswers = await pendingAnswers;
  const allAnswers = memberAnswers.flatMap(({ node, answers }) =>
    answers.map(({ name, answer }) => ({ node, name, answer })),
  );
  const problems = allAnswers.flatMap((memberAnswer) => {
    const problem = findMemberProblem(certificatePort, memberAnswer.name, memberAnswer.answer);
    return problem === null ? [] : [{ ...memberAnswer, problem }];
  });
  const [firstProblem] = problems;
  const { node, name } = firstProblem ?? allAnswers[0] ?? { node: null, name: '' };
  const command = formatCommand(node?.ip[0] ?? '', certificatePort.port, name);
  if (firstProblem !== undefined) {
    const { kind, text } = firstProblem.problem;
    const affectedNodes = removeDuplicates(
      problems.filter(({ problem }) => problem.text === text).map((memberProblem) => memberProblem.node.name),
    );
    const subject = `${affectedNodes.join(', ')} port ${certificatePort.port}`;
    const { remedies } = words();
    const remedy =
      kind === 'foreign' || kind === 'name'
        ? remedies.foreignMember(certificatePort.port, node?.ip[0] ?? '')
        : remedies[kind](certificatePort.port);
    return toSiteResult({ subject, command }, { state: 'failed', detail: text, remedy });
  }
  const querySubject = { subject: `${words().members} ${certificatePort.port}`, command };
  const presentingNodes = allAnswers.flatMap(({ node: { name: nodeName }, answer }) =>
    'certificate' in answer ? [nodeName] : [],
  );
  if (presentingNodes.length > 0)
    return toSiteResult(querySubject, { state: 'ok', detail: removeDuplicates(presentingNodes).join(', ') });
  const isAnyQuerySent = allAnswers.some(({ answer }) => !isUnmeasurable(answer));
  return toSiteResult(querySubject, {
    state: isAnyQuerySent || allAnswers.length === 0 ? 'pending' : 'unknown',
    detail: words().noneYet,
  });
}

function findMemberProblem(
  { authority, names, clusterDomain }: CertificatePort,
  name: string,
  answer: CertificateAnswer,
): CertificateProblem | null {
  if (isUnmeasurable(answer)) return null;
  if (answer.state === 'not-tls') return { kind: 'member', text: answer.detail };
  if (answer.state !== 'tls') return null;
  const problem = findProblem(answer.certificate, name, clusterDomain, answer.now);
  // Users may have their own certificate for the name by which they reach the API.
  const isReplaceable = authority === 'api' && name !== names.at(-1);
  return isReplaceable && problem?.kind !== 'time' ? null : problem;
}

interface CertificateProblem {
  readonly kind: 'time' | 'otherRun' | 'foreign' | 'name' | 'member';
  readonly text: string;
}

/**
 * Finds why clients refuse a certificate, the most fundamental reason first; null: they accept it, as far as this is
 * known.
 */
function findProblem(
  certificate: ServedCertificate,
  name: string,
  clusterDomain: string,
  now: number,
): CertificateProblem | null {
  const { issuer, isValidForName, names, trust, validFrom, validUntil } = certificate;
  const description = describeCertificate(certificate);
  if (trust === 'other-run') return { kind: 'otherRun', text: words().otherRun(description, issuer) };
  if (trust === 'foreign') return { kind: 'foreign', text: words().foreign(description, issuer) };
  if (validUntil < now) return { kind: 'time', text: words().expired(description, formatTime(validUntil)) };
  if (validFrom > now)
    return { kind: 'time', text: words().notYet(description, formatTime(validFrom), formatTime(now)) };
  // A server has several certificates, each for some of the names of the cluster. A certificate
  // without any name proves nothing.
  const isOfCluster = names.length === 0 || names.some((candidate) => candidate.endsWith(`.${clusterDomain}`));
  if (!isValidForName && !isOfCluster) return { kind: 'name', text: words().otherName(names, name) };
  return null;
}

function describeCertificate({ subject, issuer, isSelfSigned, names }: ServedCertificate): string {
  return words().certificateLabel(subject || (names[0] ?? ''), isSelfSigned ? null : issuer);
}

function formatCommand(host: string, port: number, name: string): string {
  return `openssl s_client -connect ${formatUrlHost(host)}:${port} -servername ${name} </dev/null 2>/dev/null | openssl x509 -noout -subject -issuer -dates -ext subjectAltName`;
}

const formatTime = (timeMs: number) => `${formatUtc(timeMs, 'second')} UTC`;
