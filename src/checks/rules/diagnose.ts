import { getNodeFqdn, runsEtcd } from '../../design/derived-facts.ts';
import { formatDocumentationLink } from '../../design/documentation.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { type Finding, LIKELIHOODS, prefixSubject } from '../check.ts';
import { OPERATORS_ON_COMPUTE_NODES } from '../operator-waits.ts';
import { SITE_CHECKS, type SiteCheckId } from '../site/index.ts';
import { DOC_PAGES, isBootstrapping, isPoweredOnFor, listMissingMachines, type Symptom } from './diagnostic-rule.ts';
import { type Evidence, NO_EVIDENCE, type SiteProblem } from './evidence.ts';
import { addHostsToCommands, simulateHostCommands } from './host-commands.ts';
import {
  CHECKS_BY_RULE,
  DIAGNOSTIC_RULES,
  type Diagnosis,
  type DiagnosticRuleId,
  type DiagnosticRuleTexts,
  PAGE_BY_PHASE,
} from './index.ts';

/** Maximum number of evidence lines of one diagnosis. */
const MAX_EVIDENCE_LINES = 12;

/**
 * Diagnoses the faults that the evidence shows, the most certain first. A failed check of the site is reported as such
 * if no rule reports its fault. Such a check replaces a rule that only sees a consequence of the fault.
 * @param previousDiagnoses an earlier diagnosis: a fault that may pass in seconds counts only if it was found then, too
 */
export function diagnose(evidence: Evidence, previousDiagnoses?: readonly Diagnosis[]): Diagnosis[] {
  const { design } = evidence;
  const symptomsByRule = new Map(DIAGNOSTIC_RULES.map(({ id, run }) => [id, sortByLikelihood(run(evidence))]));
  const ruleByLostNode = mapLostNodesToRules(symptomsByRule);
  const isLikely = (id: DiagnosticRuleId) => (symptomsByRule.get(id)?.[0]?.likelihood ?? 'possible') !== 'possible';
  const hasRouteFault = ROUTE_RULES.some(isLikely);
  const operatorsWithoutPods = isLikely('webhook-unanswered')
    ? (symptomsByRule.get('operator-degraded') ?? []).filter(({ subject }) => waitsForPods(evidence, subject))
    : [];
  const siteProblems = evidence.siteProblems.filter(
    (problem) => !isCausedByMissingNode(evidence, problem) && !isCausedByLostNode(ruleByLostNode, problem),
  );
  const formatPage = (page: keyof typeof DOC_PAGES) =>
    formatDocumentationLink(design?.openshift.version ?? '', DOC_PAGES[page]);
  const ruleFindings = DIAGNOSTIC_RULES.flatMap(({ id, page, needsConfirmation }) => {
    // For a lost etcd member, the rule about the member replaces the one about its node: it says more. A fault of the
    // routes replaces the operators that wait for them. So does a webhook for those whose pods are not created.
    const symptoms = (symptomsByRule.get(id) ?? []).filter(({ subject }) => {
      if (id === 'node-gone') return ruleByLostNode.get(subject) === id;
      if (id !== 'operator-degraded') return true;
      if (operatorsWithoutPods.some((operator) => operator.subject === subject)) return false;
      return !hasRouteFault || !waitsForRoutes(evidence, subject);
    });
    const [firstSymptom] = symptoms;
    if (
      firstSymptom === undefined ||
      (needsConfirmation && previousDiagnoses !== undefined && !previousDiagnoses.some(({ rule }) => rule === id))
    )
      return [];
    if (siteProblems.some((problem) => isConsequence(id, problem))) return [];
    const consequences = id === 'webhook-unanswered' ? operatorsWithoutPods : [];
    const { title, cause, remedy }: DiagnosticRuleTexts = catalogue().diagnosis.causes[id];
    const diagnosis: Diagnosis = {
      rule: id,
      likelihood: firstSymptom.likelihood,
      title: firstSymptom.title ?? title,
      cause: firstSymptom.meaning ?? cause,
      remedy:
        firstSymptom.remedy ??
        (typeof remedy === 'string'
          ? remedy
          : remedy(firstSymptom.subject, isEtcdMember(evidence, firstSymptom.subject), listObjectNames(symptoms))),
      subjects: [...new Set(symptoms.map(({ subject }) => subject).filter((subject) => subject !== ''))],
      symptom: firstSymptom.evidence.join('; '),
      confirmCommand: firstSymptom.command,
      evidence: [...new Set([...symptoms, ...consequences].flatMap((symptom) => symptom.evidence))].slice(
        0,
        MAX_EVIDENCE_LINES,
      ),
      documentationUrl: formatPage(page),
    };
    return [{ id, page, diagnosis, symptoms }];
  });
  // A file that differs from the generated one is evidence of a fault that names it, and no second fault. A HAProxy
  // file explains every fault of its load balancer.
  const explainsFault = (problem: SiteProblem, { page, diagnosis }: (typeof ruleFindings)[number]) =>
    diagnosis.likelihood === 'certain' &&
    (diagnosis.evidence.some((text) => isFileNamedIn(problem, diagnosis.subjects, text)) ||
      (page === 'balancer' && isBalancerFile(problem, diagnosis)));
  const unreportedProblems = siteProblems.filter(
    (problem) =>
      !ruleFindings.some(
        (ruleFinding) =>
          isReported(problem, ruleFinding.id, ruleFinding.symptoms) || explainsFault(problem, ruleFinding),
      ),
  );
  const diagnoses = [
    ...ruleFindings.map((ruleFinding) => {
      const causes = siteProblems.filter((problem) => explainsFault(problem, ruleFinding));
      const causeTexts = causes.map(({ finding }) => formatFindingEvidence(finding));
      const diagnosis =
        design === null
          ? ruleFinding.diagnosis
          : addHostsToCommands({ ...evidence, design }, ruleFinding.diagnosis, causes.length > 0);
      return { ...diagnosis, evidence: [...diagnosis.evidence, ...causeTexts].slice(0, MAX_EVIDENCE_LINES) };
    }),
    ...diagnoseSiteProblems(unreportedProblems, formatPage),
  ];
  return sortByRank(
    evidence,
    diagnoses.filter((candidate) => !isStallExplained(evidence, candidate, diagnoses)),
  ).map((diagnosis) => (design === null ? diagnosis : simulateHostCommands({ ...evidence, design }, diagnosis)));
}

/**
 * Sorts diagnoses: what blocks the present step first, then by likelihood. What a missing machine explains comes after
 * the machine.
 */
function sortByRank(evidence: Evidence, diagnoses: readonly Diagnosis[]): Diagnosis[] {
  const getRank = (diagnosis: Diagnosis) =>
    (canBlock(evidence, diagnosis) ? 0 : LIKELIHOODS.length) + LIKELIHOODS.indexOf(diagnosis.likelihood);
  const machineRanks = diagnoses.filter((candidate) => isAboutMissingMachine(evidence, candidate)).map(getRank);
  const consequenceRank = Math.min(...machineRanks) + 0.5;
  const getRankAmongDiagnoses = (diagnosis: Diagnosis) => {
    const isExplained = machineRanks.length > 0 && isExplainedByMissingMachines(evidence, diagnosis, diagnoses);
    return isExplained ? Math.max(getRank(diagnosis), consequenceRank) : getRank(diagnosis);
  };
  return diagnoses
    .map((diagnosis) => ({ diagnosis, rank: getRankAmongDiagnoses(diagnosis) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ diagnosis }) => diagnosis);
}

/** Pages of rules about a machine itself, or about what it needs to boot and join. */
const MACHINE_PAGES: ReadonlySet<string> = new Set<keyof typeof DOC_PAGES>([
  ...(['boot', 'ignition', 'dns', 'network', 'requirements'] as const),
]);

/** Whether the diagnosis names a machine that was powered on and has not joined the cluster. */
function isAboutMissingMachine(evidence: Evidence, { rule, subjects }: Diagnosis): boolean {
  const page = DIAGNOSTIC_RULES.find(({ id }) => id === rule)?.page ?? '';
  return MACHINE_PAGES.has(page) && listMissingMachines(evidence).some(({ name }) => subjects.includes(name));
}

/** Rules about operators and pods that may only wait for a compute node. */
const WORKLOAD_RULES: ReadonlySet<string> = new Set<DiagnosticRuleId>([
  ...(['operator-degraded', 'routers-without-nodes', 'routers-not-running', 'version-failing'] as const),
]);

/** Whether missing machines explain the diagnosis: their nodes would run the pods, or none needed the server yet. */
function isExplainedByMissingMachines(
  evidence: Evidence,
  { rule, subjects }: Diagnosis,
  diagnoses: readonly Diagnosis[],
): boolean {
  if (rule === 'boot-server-silent') return hasOnlySilentMachines(evidence, diagnoses);
  const operators = subjects.filter((subject) => subject !== 'openshift-ingress');
  return WORKLOAD_RULES.has(rule) && operators.every((name) => OPERATORS_ON_COMPUTE_NODES.has(name));
}

/**
 * Whether no machine that has yet to join got an address, as the log of the DHCP server shows: such machines do not
 * wait for the boot server.
 */
function hasOnlySilentMachines(evidence: Evidence, diagnoses: readonly Diagnosis[]): boolean {
  const silentNames = diagnoses.find(({ rule }) => rule === 'node-never-boots')?.subjects ?? [];
  return (
    evidence.lines.some(({ source }) => source === 'dhcp') &&
    listMissingMachines(evidence).every(({ name }) => silentNames.includes(name))
  );
}

/** Rules that, where they only see that machines do not go on, suspect a cause without evidence of it. */
const STALL_RULES: ReadonlySet<string> = new Set<DiagnosticRuleId>([
  ...(['mtu-too-small', 'control-plane-absent', 'registry-unreachable'] as const),
]);

/**
 * Whether a mere suspicion is superfluous: a certain fault, or settings from before a correction, already explain that
 * machines do not join.
 */
function isStallExplained(evidence: Evidence, { rule, likelihood }: Diagnosis, diagnoses: readonly Diagnosis[]) {
  const explainsStall = (diagnosis: Diagnosis) =>
    (diagnosis.likelihood === 'certain' && canBlock(evidence, diagnosis)) ||
    (diagnosis.likelihood === 'likely' && diagnosis.rule === 'dhcp-options-wrong');
  return likelihood === 'possible' && STALL_RULES.has(rule) && diagnoses.some(explainsStall);
}

/** Faults that, as those of `BOOT_PAGES` and `BOOT_PHASES`, delay only machines that have yet to boot and join. */
const JOINING_FAULTS: ReadonlySet<string> = new Set<DiagnosticRuleId>(['ptr-missing', 'ptr-dot-missing']);
const BOOT_PAGES: ReadonlySet<string> = new Set<keyof typeof DOC_PAGES>(['boot', 'ignition']);
const BOOT_PHASES: ReadonlySet<string> = new Set<SiteProblem['phase']>([
  'dhcp',
  'boot-files',
  'ignition',
  'before-boot',
]);

/** Faults of the routes, which nothing needs before the bootstrap is complete. */
const ROUTE_FAULTS: ReadonlySet<string> = new Set<Diagnosis['rule']>([
  ...(['routers-outside-pool', 'ingress-health-check-wrong', 'apps-wildcard-missing', 'ingress-certificate'] as const),
]);
/** The pools and ports of the load balancer that are for routes, as the checks name them. */
const ROUTE_SUBJECT = / ingress-https?$|:(?:443|80)$/;
/** Firmware that gets its boot program sends its first request within this time. */
const FIRST_REQUEST_TIMEOUT = 10 * MINUTE;

/**
 * Whether a fault can block the present step: nothing needs routes while the control plane bootstraps, nor the load
 * balancer before machines have fetched their first file. A hostile CSR never does: the wizard does not approve it.
 */
function canBlock(evidence: Evidence, { rule: id, subjects }: Pick<Diagnosis, 'rule' | 'subjects'>): boolean {
  if (id === 'hostile-csr') return false;
  const machines = evidence.machines.filter(({ poweredOnAt }) => poweredOnAt !== null);
  if (machines.length === 0) return true;
  const page = DIAGNOSTIC_RULES.find((rule) => rule.id === id)?.page ?? '';
  const phase = SITE_CHECKS.find((check) => check.id === id)?.phase ?? '';
  const isOfBalancer = page === 'balancer' || phase === 'load-balancer';
  if (isOfBalancer && isStuckBeforeFirstFile(evidence, machines)) return false;
  if (isBootstrapping(evidence)) {
    const hasRouteSubjects = subjects.length > 0 && subjects.every((subject) => ROUTE_SUBJECT.test(subject));
    return !ROUTE_FAULTS.has(id) && !(isOfBalancer && hasRouteSubjects);
  }
  const hasAllJoined = machines.every(({ hasJoined }) => hasJoined);
  return !hasAllJoined || (!JOINING_FAULTS.has(id) && !BOOT_PAGES.has(page) && !BOOT_PHASES.has(phase));
}

/** Whether none of these machines, which boot from the network, gets its first file. */
function isStuckBeforeFirstFile(evidence: Evidence, machines: Evidence['machines']): boolean {
  return (
    evidence.design?.services.boot.kind === 'ipxe' &&
    evidence.isRequestLogComplete !== false &&
    machines.every(
      (machine) =>
        machine.requests.length === 0 && !machine.hasJoined && isPoweredOnFor(evidence, machine, FIRST_REQUEST_TIMEOUT),
    )
  );
}

/** Lists the objects that a remedy is about. A name that the API would refuse is left out: it would break a command. */
const listObjectNames = (symptoms: readonly Symptom[]): string[] =>
  [...new Set(symptoms.map(({ object, subject }) => object ?? subject))].filter((name) => /^[\w.:-]+$/.test(name));

/** Whether a node (its name in the API) runs a member of etcd; null if the design does not have it. */
function isEtcdMember({ design }: Evidence, name: string): boolean | null {
  const plannedNode = design?.nodes.find((node) => getNodeFqdn(design, node) === name);
  return plannedNode === undefined ? null : runsEtcd(plannedNode);
}

/** Whether the problem is a silent pool member whose node has not joined: the fault is what keeps it from joining. */
function isCausedByMissingNode({ cluster, machines }: Evidence, { finding }: SiteProblem): boolean {
  if (finding.code !== 'lb-member-silent' || cluster?.nodes == null) return false;
  return machines.some(({ name, hasJoined }) => name === finding.subject && !hasJoined);
}

/** Rules about faults between clients and the routers: requests to routes then get no answer. */
const ROUTE_RULES: readonly DiagnosticRuleId[] = ['routers-outside-pool', 'balancer-closed', 'proxy-without-no-proxy'];

/** Whether a cluster operator waits only for answers of routes. */
const getWaitCode = ({ cluster }: Evidence, operator: string) =>
  cluster?.operators?.find(({ name }) => name === operator)?.wait?.code;

const waitsForRoutes = (evidence: Evidence, operator: string) => getWaitCode(evidence, operator) === 'routes-closed';

const waitsForPods = (evidence: Evidence, operator: string) =>
  ['rollout', 'daemons'].includes(getWaitCode(evidence, operator) ?? '');

/** Maps the nodes that are lost, by their names in the API, each to the rule that reports it. */
function mapLostNodesToRules(
  symptomsByRule: ReadonlyMap<DiagnosticRuleId, readonly Symptom[]>,
): ReadonlyMap<string, DiagnosticRuleId> {
  const rules = ['node-gone', 'etcd-member-lost'] as const;
  return new Map(rules.flatMap((id) => (symptomsByRule.get(id) ?? []).map(({ subject }) => [subject, id] as const)));
}

/** Whether the problem is a silent pool member whose node is lost: it follows from the loss of the node. */
function isCausedByLostNode(ruleByLostNode: ReadonlyMap<string, unknown>, { finding }: SiteProblem): boolean {
  if (finding.code !== 'lb-member-silent') return false;
  return [...ruleByLostNode.keys()].some((name) => name.split('.')[0] === finding.subject);
}

/** Whether the rule sees a consequence of the problem, or the check knows more about the same fault. */
function isConsequence(rule: DiagnosticRuleId, { finding, consequences }: SiteProblem): boolean {
  const observingChecks: readonly string[] = CHECKS_BY_RULE[rule] ?? [];
  if (finding.code === 'machine-clock') return rule === 'clock-skew';
  return !observingChecks.includes(finding.code) && consequences.some(({ code }) => observingChecks.includes(code));
}

/** Whether the problem is a file, on one of these hosts, that differs from the generated one, and the text names it. */
function isFileNamedIn({ finding: { code, subject } }: SiteProblem, hosts: readonly string[], text: string): boolean {
  const [host = '', path] = subject?.split(' ') ?? [];
  return code === 'host-files' && hosts.includes(host) && path !== undefined && text.includes(path);
}

/** Whether the problem is a HAProxy file that differs from the generated one, on a host that the fault names. */
function isBalancerFile({ finding: { code, subject } }: SiteProblem, fault: Pick<Diagnosis, 'subjects' | 'evidence'>) {
  const [host = '', path = ''] = subject?.split(' ') ?? [];
  const isNamed = fault.subjects.includes(host) || fault.evidence.some((text) => text.includes(` on ${host}: `));
  return code === 'host-files' && path.endsWith('/haproxy.cfg') && isNamed;
}

/** Whether the symptoms of a rule show the problem. */
function isReported({ finding }: SiteProblem, rule: DiagnosticRuleId, symptoms: readonly Symptom[]): boolean {
  const checks: readonly string[] = CHECKS_BY_RULE[rule] ?? [];
  if (checks.includes(finding.code)) return symptoms.some(({ likelihood }) => likelihood === 'certain');
  const { subject } = finding;
  const problemText = formatFindingEvidence(finding);
  return symptoms.some(({ evidence }) =>
    evidence.some((text) => subject !== null && text.startsWith(subject) && problemText.startsWith(text)),
  );
}

/** Checks whose warnings are about the future: they explain no current fault. */
const EARLY_WARNING_CHECKS: ReadonlySet<string> = new Set<SiteCheckId>(['ignition-age']);

const isCurrentProblem = ({ severity, finding }: SiteProblem) =>
  severity === 'fatal' || (severity === 'warning' && !EARLY_WARNING_CHECKS.has(finding.code));

/** Whether `file` is the differing HAProxy file of the host whose load balancer has the problem: it is its evidence. */
function isExplainedByFile({ phase, severity, finding }: SiteProblem, file: SiteProblem): boolean {
  const [host = ''] = finding.subject?.split(' ') ?? [];
  return (
    phase === 'load-balancer' &&
    severity === 'fatal' &&
    host !== '' &&
    isBalancerFile(file, { subjects: [host], evidence: [] })
  );
}

/** Reports each check once, with all of its subjects. A file that differs (host-files) may be intended. */
function diagnoseSiteProblems(
  problems: readonly SiteProblem[],
  formatPage: (page: keyof typeof DOC_PAGES) => string,
): Diagnosis[] {
  const listExplainingFiles = (problem: SiteProblem) => problems.filter((file) => isExplainedByFile(problem, file));
  const explainingFiles = new Set(problems.flatMap(listExplainingFiles));
  const currentProblems = problems.filter((problem) => isCurrentProblem(problem) && !explainingFiles.has(problem));
  return [...Map.groupBy(currentProblems, ({ finding }) => finding.code)].flatMap(
    ([code, checkProblems]): Diagnosis[] => {
      const [firstCheckProblem] = checkProblems;
      const id = SITE_CHECKS.find((check) => check.id === code)?.id;
      if (firstCheckProblem === undefined || id === undefined) return [];
      const { finding, severity, phase } = firstCheckProblem;
      const evidence = [...checkProblems, ...checkProblems.flatMap(listExplainingFiles)].flatMap((problem) =>
        [problem.finding, ...problem.consequences].map(formatFindingEvidence),
      );
      return [
        {
          rule: id,
          likelihood: severity === 'fatal' ? 'certain' : id === 'host-files' ? 'possible' : 'likely',
          title: finding.title,
          cause: finding.meaning ?? finding.title,
          remedy: finding.remedy,
          subjects: [...new Set(checkProblems.flatMap((checkProblem) => checkProblem.finding.subject ?? []))],
          symptom: finding.cause,
          confirmCommand: finding.command ?? `upi-wizard check --only ${id}`,
          evidence: [...new Set(evidence)].slice(0, MAX_EVIDENCE_LINES),
          documentationUrl: formatPage(PAGE_BY_PHASE[phase]),
        },
      ];
    },
  );
}

const formatFindingEvidence = ({ subject, cause }: Finding) => prefixSubject(subject, cause);

/** Diagnoses the part of the evidence that a screen has, as findings. */
export function diagnosePartialEvidence(evidence: Partial<Evidence> & Pick<Evidence, 'now'>): Finding[] {
  return diagnose({ ...NO_EVIDENCE, ...evidence }).map(({ rule, title, symptom, remedy }) => ({
    ...{ code: rule, state: 'failed', severity: 'warning', subject: null },
    ...{ title, cause: symptom, remedy },
  }));
}

/** Whether a second probe is needed: a fault was found that may pass in seconds. */
export function needsSecondProbe(diagnoses: readonly Diagnosis[]): boolean {
  return diagnoses.some(({ rule }) =>
    DIAGNOSTIC_RULES.some(({ id, needsConfirmation }) => needsConfirmation && id === rule),
  );
}

function sortByLikelihood(symptoms: readonly Symptom[]): Symptom[] {
  return symptoms.toSorted((a, b) => LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood));
}
