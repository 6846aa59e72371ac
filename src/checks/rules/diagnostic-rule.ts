import type { UnhealthyObject } from '../../openshift/object.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import { DHCP_LOG_COMMAND } from '../boot/dhcp-log.ts';
import { type Check, type CheckResult, type Likelihood, prefixSubject } from '../check.ts';
import type { Evidence, EvidenceLine, ObservedMachine, SiteCheckResult } from './evidence.ts';

/**
 * A failed result of a diagnostic rule. `subject` is empty for the whole site. `command` confirms the evidence. Title,
 * meaning and remedy replace those of the rule. `object`: the name of the object that the remedy is about; empty for
 * none. Missing: the subject.
 */
export type Symptom = Required<Pick<CheckResult, 'state' | 'subject' | 'likelihood' | 'evidence' | 'command'>> &
  Pick<CheckResult, 'title' | 'meaning' | 'remedy'> & { readonly object?: string };

/**
 * Creates a symptom.
 * @param subject node, name or host; empty for the whole site
 * @param text the observed text, unchanged
 * @param command a complete command that confirms it
 */
export function createSymptom(likelihood: Likelihood, subject: string, text: string, command: string): Symptom {
  return { state: 'failed', likelihood, subject, evidence: [text], command };
}

/** Removes the object of a symptom that does not name the object that its remedy is about. */
export const clearObject = (symptom: Symptom): Symptom => ({ ...symptom, object: '' });

const ANY_PLATFORM_PAGE = 'installing_on_any_platform/installing-platform-agnostic';
const SUPPORT_PAGE = 'support/troubleshooting';
/** Pages of the OpenShift documentation about the faults, without the version. */
export const DOC_PAGES = {
  dns: `${ANY_PLATFORM_PAGE}#installation-dns-user-infra_installing-platform-agnostic`,
  balancer: `${ANY_PLATFORM_PAGE}#installation-load-balancing-user-infra_installing-platform-agnostic`,
  network: `${ANY_PLATFORM_PAGE}#installation-network-user-infra_installing-platform-agnostic`,
  boot: `${ANY_PLATFORM_PAGE}#installation-user-infra-machines-pxe_installing-platform-agnostic`,
  ignition: `${ANY_PLATFORM_PAGE}#installation-user-infra-generate-k8s-manifest-ignition_installing-platform-agnostic`,
  requirements: `${ANY_PLATFORM_PAGE}#installation-minimum-resource-requirements_installing-platform-agnostic`,
  requests: `${ANY_PLATFORM_PAGE}#installation-approve-csrs_installing-platform-agnostic`,
  operators: `${ANY_PLATFORM_PAGE}#installation-operators-config_installing-platform-agnostic`,
  registry: `${ANY_PLATFORM_PAGE}#registry-removed_installing-platform-agnostic`,
  installation: `${SUPPORT_PAGE}#troubleshooting-installations`,
  operatorIssues: `${SUPPORT_PAGE}#troubleshooting-operator-issues`,
} as const;
type DocPage = keyof typeof DOC_PAGES;

/** A check that detects one fault. Pure; finds nothing where the evidence is unknown. */
interface DiagnosticRule<Id extends string = string> extends Check<Evidence, Id, readonly Symptom[]> {
  readonly page: DocPage;
  /**
   * Whether its symptoms may pass in seconds (a health check has not run yet): then they count only if a second probe
   * finds them, too.
   */
  readonly needsConfirmation: boolean;
}

/**
 * Creates a rule for the table.
 * @param needsConfirmation whether a second probe has to find the symptoms, too
 */
export function createDiagnosticRule<const Id extends string>(
  id: Id,
  page: DocPage,
  run: DiagnosticRule['run'],
  needsConfirmation = false,
): DiagnosticRule<Id> {
  return { id, phase: 'diagnosis', severity: 'warning', page, needsConfirmation, run };
}

/** Returns the failed results of a site check, as symptoms. */
export function symptomsFromFailedChecks(
  { checks }: Evidence,
  id: SiteCheckResult['id'],
  likelihood: Likelihood = 'certain',
): Symptom[] {
  return symptomsFromChecks(
    checks.filter((check) => check.id === id && check.state === 'failed'),
    likelihood,
  );
}

/** Converts failed results to symptoms. */
export function symptomsFromChecks(results: readonly SiteCheckResult[], likelihood: Likelihood): Symptom[] {
  return results.map(({ subject, evidence, command }) =>
    createSymptom(likelihood, subject, prefixSubject(subject, evidence.join('; ')), command),
  );
}

/** Whether a site check ran and found everything in order. */
export function allChecksPassed({ checks }: Evidence, id: SiteCheckResult['id']): boolean {
  const results = checks.filter((check) => check.id === id);
  return results.length > 0 && results.every(({ state }) => state === 'ok');
}

/**
 * containers/image names the failure of the mirrors, then that of the source, which a network with mirrors does not
 * reach: only the mirrors count.
 */
const MIRRORS_FAILED = /^(.*\(Mirrors also failed: .*\]\)): .*$/s;

/** Returns the log lines that match a pattern; none if fewer than `minimumCount` match. */
export function matchLogLines({ lines }: Evidence, pattern: RegExp, minimumCount = 1): EvidenceLine[] {
  const matches = lines.filter(({ text }) => pattern.test(text.replace(MIRRORS_FAILED, '$1')));
  return matches.length < minimumCount ? [] : matches;
}

/**
 * Drops the matches of a rule that a later message of the same machine resolves.
 * @param matches lines of the evidence
 * @param successPattern matches the message that ends the problem
 * @returns the other lines, in their order
 */
export function dropResolvedMatches(
  { lines }: Evidence,
  matches: readonly EvidenceLine[],
  successPattern: RegExp,
): EvidenceLine[] {
  const lastSuccessIndexByHost = new Map(
    lines.flatMap(({ host, text }, index) => (successPattern.test(text) ? [[host, index] as const] : [])),
  );
  const matchSet = new Set(matches);
  return lines.filter((line, index) => matchSet.has(line) && index > (lastSuccessIndexByHost.get(line.host) ?? -1));
}

/** Lists the machines that were powered on and have not joined the cluster. */
export function listMissingMachines({ machines }: Evidence): ObservedMachine[] {
  return machines.filter(({ poweredOnAt, hasJoined }) => poweredOnAt !== null && !hasJoined);
}

/** Whether the machine was powered on at least `minimumMs` ago. */
export function isPoweredOnFor({ now }: Evidence, { poweredOnAt }: ObservedMachine, minimumMs: number): boolean {
  return poweredOnAt !== null && now - poweredOnAt >= minimumMs;
}

/**
 * Converts the last of these lines of each machine to a symptom.
 * @param command shows such lines on the machine; default: by the source of the line
 */
export function symptomsFromLines(lines: readonly EvidenceLine[], likelihood: Likelihood, command?: string): Symptom[] {
  const lastLineByHost = new Map(lines.map((line) => [line.host ?? '', line]));
  return [...lastLineByHost].map(([host, { source, text }]) =>
    createSymptom(likelihood, host, `${source}: ${text}`, command ?? buildLogCommand(source, host)),
  );
}

/** Builds the command that shows lines of this source on the machine. */
function buildLogCommand(source: string, host: string): string {
  if (source === 'openshift-install') return 'grep -n "level=error\\|level=fatal" .openshift_install.log | tail';
  if (source === 'dhcp') return `${DHCP_LOG_COMMAND} -n 50`;
  if (source.includes('/')) return buildBundleFileCommand(source, host);
  return `ssh core@${host === '' ? 'NODE' : host} journalctl -b -n 50 -u ${source}`;
}

/**
 * Builds the command that shows the content of a bundle's file on the machine, or in the cluster, that it came from.
 */
function buildBundleFileCommand(source: string, host: string): string {
  const node = host === '' ? 'NODE' : host;
  const [, unit] =
    /(?:journals\/|unit-status\/|host_service_logs\/\w+\/)([\w@.-]+?)(?:_service)?(?:\.service)?\.(?:log|txt)/.exec(
      source,
    ) ?? [];
  if (unit !== undefined) return quoteShellCommand`ssh ${`core@${node}`} journalctl -b -n 50 -u ${unit}`;
  const [, namespace, pod, container] = /^namespaces\/([^/]+)\/pods\/([^/]+)\/([^/]+)\//.exec(source) ?? [];
  if (container !== undefined)
    return quoteShellCommand`oc logs -n ${namespace ?? ''} ${pod ?? ''} -c ${container} --tail 50`;
  const [, name] = /containers\/(?:[\w-]+\/)?([a-z0-9-]+?)(?:-[0-9a-f]{8,})?\.log/.exec(source) ?? [];
  if (name !== undefined) return quoteShellCommand`ssh ${`core@${node}`} sudo crictl ps -a --name ${name}`;
  return quoteShellCommand`ssh ${`core@${node}`} journalctl -b -n 50`;
}

/**
 * Returns the objects of a kind that have been unhealthy for at least `minimumMs`. An object without a start time
 * counts.
 */
export function unhealthyLongerThan(
  { cluster, now }: Evidence,
  kind: UnhealthyObject['kind'],
  minimumMs: number,
): UnhealthyObject[] {
  const objects = (cluster?.unhealthyObjects ?? []).filter((unhealthyObject) => unhealthyObject.kind === kind);
  return objects.filter(({ since }) => since === null || now - since >= minimumMs);
}

/** Whether the installation is complete, so that an object that is missing now existed before. */
export function isInstalled({ cluster }: Evidence): boolean {
  return cluster?.version?.available === true;
}

/** Whether the bootstrap still has work to do; in stage `install` also true while its status is unknown. */
export function isBootstrapping({ cluster, stage }: Evidence): boolean {
  return stage === 'install' && cluster?.bootstrapStatus !== 'complete';
}

/** Whether the control plane runs on its own, so that the bootstrap can be removed. */
export function canRemoveBootstrap({ cluster }: Evidence): boolean {
  return cluster?.bootstrapStatus === 'complete' && cluster.isBootstrapMemberRemoved === true;
}
