import type { Unwell } from '../../objects/unwell.ts';
import { shell } from '../../text/shell-word.ts';
import type { CheckAnswer, Evidence, Line } from './evidence.ts';

/** How sure a rule is: proven by what was seen, what it usually means, or one of several things that it may mean. */
export const LIKELIHOODS = ['certain', 'likely', 'possible'] as const;
export type Likelihood = (typeof LIKELIHOODS)[number];

/** What shows a cause, once: of one node, one name, one host. */
export interface Clue {
  readonly likelihood: Likelihood;
  /** What it is about; empty for the whole site. */
  readonly subject: string;
  /** What was seen, as raw as it came. */
  readonly symptom: string;
  /** A whole command that shows whether it is so. */
  readonly command: string;
}

/** The pages of the OpenShift documentation that explain causes. */
const ANY_PLATFORM =
  'https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/installing_on_any_platform/installing-platform-agnostic';
const SUPPORT =
  'https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/support/troubleshooting';
export const PAGES = {
  dns: `${ANY_PLATFORM}#installation-dns-user-infra_installing-platform-agnostic`,
  balancer: `${ANY_PLATFORM}#installation-load-balancing-user-infra_installing-platform-agnostic`,
  network: `${ANY_PLATFORM}#installation-network-user-infra_installing-platform-agnostic`,
  boot: `${ANY_PLATFORM}#installation-user-infra-machines-pxe_installing-platform-agnostic`,
  ignition: `${ANY_PLATFORM}#installation-user-infra-generate-k8s-manifest-ignition_installing-platform-agnostic`,
  requirements: `${ANY_PLATFORM}#installation-minimum-resource-requirements_installing-platform-agnostic`,
  requests: `${ANY_PLATFORM}#installation-approve-csrs_installing-platform-agnostic`,
  operators: `${ANY_PLATFORM}#installation-operators-config_installing-platform-agnostic`,
  registry: `${ANY_PLATFORM}#registry-removed_installing-platform-agnostic`,
  installation: `${SUPPORT}#troubleshooting-installations`,
  operatorIssues: `${SUPPORT}#troubleshooting-operator-issues`,
} as const;
export type Page = keyof typeof PAGES;

/** A rule: what one cause looks like. Pure; no finding where nothing is known. */
export interface Cause<Id extends string = string> {
  readonly id: Id;
  readonly page: Page;
  /** What it sees may be gone in seconds (a check that has not run yet): it counts only when a second look sees it too. */
  readonly isFleeting: boolean;
  readonly find: (evidence: Evidence) => readonly Clue[];
}

/** A rule, for the table. */
export function cause<const Id extends string>(id: Id, page: Page, find: Cause['find'], isFleeting = false): Cause<Id> {
  return { id, page, isFleeting, find };
}

/** The failed answers of a check as clues that prove it. */
export function failed({ checks }: Evidence, code: CheckAnswer['code'], likelihood: Likelihood = 'certain'): Clue[] {
  return cluesOf(
    checks.filter((each) => each.code === code && each.state === 'failed'),
    likelihood,
  );
}

/** Failed answers as clues. */
export function cluesOf(answers: readonly CheckAnswer[], likelihood: Likelihood): Clue[] {
  return answers.map(({ subject, detail, command }) => ({ likelihood, subject, symptom: detail || subject, command }));
}

/** Whether a check found everything in order. */
export function isRight({ checks }: Evidence, code: CheckAnswer['code']): boolean {
  const own = checks.filter((each) => each.code === code);
  return own.length > 0 && own.every(({ state }) => state === 'ok');
}

/** The lines that a pattern fits; none where they are fewer than it takes to mean something. */
export function told({ lines }: Evidence, pattern: RegExp, least = 1): Line[] {
  const found = lines.filter(({ text }) => pattern.test(text));
  return found.length < least ? [] : found;
}

/** The latest of such lines as a clue, one for each machine that wrote them. @param command how to see them there */
export function clueOfLines(lines: readonly Line[], likelihood: Likelihood, command?: string): Clue[] {
  const byHost = new Map(lines.map((line) => [line.host ?? '', line]));
  return [...byHost].map(([host, { source, text }]) => ({
    likelihood,
    subject: host,
    symptom: `${source}: ${text}`,
    command: command ?? commandOf(source, host),
  }));
}

/** Where such lines are read again. */
function commandOf(source: string, host: string): string {
  if (source === 'openshift-install') return 'grep -n "level=error\\|level=fatal" .openshift_install.log | tail';
  if (source === 'dhcp') return 'journalctl -u dhcpd -u kea-dhcp4 -n 50';
  if (source.includes('/')) return commandOfFile(source, host);
  return `ssh core@${host === '' ? 'NODE' : host} journalctl -b -n 50 -u ${source}`;
}

/** Where what a file of a bundle holds is read on the machine, or in the cluster, that it came from. */
function commandOfFile(source: string, host: string): string {
  const node = host === '' ? 'NODE' : host;
  const [, unit] =
    /(?:journals\/|unit-status\/|host_service_logs\/\w+\/)([\w@.-]+?)(?:_service)?(?:\.service)?\.(?:log|txt)/.exec(
      source,
    ) ?? [];
  if (unit !== undefined) return shell`ssh ${`core@${node}`} journalctl -b -n 50 -u ${unit}`;
  const [, namespace, pod, container] = /^namespaces\/([^/]+)\/pods\/([^/]+)\/([^/]+)\//.exec(source) ?? [];
  if (container !== undefined) return shell`oc logs -n ${namespace ?? ''} ${pod ?? ''} -c ${container} --tail 50`;
  const [, name] = /containers\/(?:[\w-]+\/)?([a-z0-9-]+?)(?:-[0-9a-f]{8,})?\.log/.exec(source) ?? [];
  if (name !== undefined) return shell`ssh ${`core@${node}`} sudo crictl ps -a --name ${name}`;
  return shell`ssh ${`core@${node}`} journalctl -b -n 50`;
}

/** The objects of a kind that have not been well for longer than is usual, ms; one that does not say since when counts. */
export function unwellFor({ cluster, now }: Evidence, kind: Unwell['kind'], least: number): Unwell[] {
  const own = (cluster?.unwell ?? []).filter((each) => each.kind === kind);
  return own.filter(({ since }) => since === null || now - since >= least);
}

/** The installation is over: what is missing now was there. */
export function isInstalled({ cluster }: Evidence): boolean {
  return cluster?.version?.available === true;
}

/** The bootstrap still has its work to do: false also where nobody can say. */
export function isBootstrapping({ cluster, stage }: Evidence): boolean {
  return stage === 'install' && cluster?.bootstrapStatus !== 'complete';
}

/** The control plane runs on its own: the bootstrap may go. */
export function hasBootstrapped({ cluster }: Evidence): boolean {
  return cluster?.bootstrapStatus === 'complete' && cluster.isEtcdAlone === true;
}
