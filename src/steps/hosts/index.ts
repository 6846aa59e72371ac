import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listNodeNameServers } from '../../artifacts/dhcp/settings.ts';
import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import { WORK_DIR } from '../../artifacts/shared/generator.ts';
import { type Finding, toFinding } from '../../checks/check.ts';
import { findOverride } from '../../checks/prepare/overrides.ts';
import { addHostsToServiceRemedy } from '../../checks/rules/host-commands.ts';
import {
  coversWholeServer,
  evaluateServices,
  joinUnsentServers,
  mergeUnansweredQueries,
  type ServiceProbeResult,
} from '../../checks/service-hosts.ts';
import { readPreviousOutput } from '../../host/output-dir.ts';
import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';
import { computeSha256 } from '../../platform/text.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import type { HostRun, HostUnits } from '../probe-cache.ts';
import {
  copyToHost,
  describeHostAccess,
  isCopied,
  listChangedFiles,
  listHostCommands,
  listHostInstructions,
} from '../shared/hosts/host-command.ts';
import {
  compareHostFiles,
  forgetHostFiles,
  getFilesInstalledAt,
  type HostFilesState,
  installServiceFiles,
  recordHostFiles,
} from '../shared/hosts/host-file-records.ts';
import { type HostRole, listHostRoles, listHostsInSetupOrder } from '../shared/hosts/host-roles.ts';
import { probeDnsServers, probeEndpointPorts } from '../shared/hosts/service-probes.ts';
import { overrideFailedChecks, readOverrides } from '../shared/overrides.ts';
import { workspace } from '../shared/workspace.ts';
import { requireTarget } from '../step-action.ts';
import { checkBootServices, filterFailed } from './setup/apply.ts';
import { previewHosts, setUpHosts, undoHosts } from './setup/host-actions.ts';
import { refreshRuns } from './setup/run-hosts.ts';

/**
 * `present`: all generated files of this machine are in place. `absent`: all of them are missing. `unknown`: some are
 * missing, different or unreadable, or none was generated.
 */
type LocalFilesState = 'present' | 'absent' | 'unknown';

/**
 * Probes whether the generated files of the bastion are in place. This machine is the bastion, so they can be read.
 * @param root replaces the root directory in tests
 */
export async function probeLocalFiles(
  { design, dir }: Pick<StepContext, 'design' | 'dir'>,
  root = '/',
): Promise<LocalFilesState> {
  const prefix = `${design.services.bastion.name}/`;
  const manifestFiles = readPreviousOutput(workspace(dir).filesDir)?.manifest.files ?? [];
  const bastionFiles = manifestFiles.filter(({ file }) => file.startsWith(prefix));
  const states = await Promise.all(
    bastionFiles.map(async ({ file, sha256 }) => {
      try {
        const content = await readFile(join(root, file.slice(prefix.length)));
        return computeSha256(content) === sha256 ? 'same' : 'other';
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        return isMissing ? 'missing' : 'unreadable';
      }
    }),
  );
  if (bastionFiles.length === 0) return 'unknown';
  if (states.every((state) => state === 'same')) return 'present';
  return states.every((state) => state === 'missing') ? 'absent' : 'unknown';
}

/** Probes whether the bastion of a rehearsal has any of its files. The bastion gets all of its files at once. */
async function probeSimulatedBastion(context: StepContext): Promise<LocalFilesState> {
  const { hostsDir, design } = context;
  if (hostsDir === null) return 'present';
  const state = await probeLocalFiles(context, join(hostsDir, design.services.bastion.name));
  return state === 'absent' ? 'absent' : 'present';
}

const words = () => catalogue().steps.hosts;
/** Maximum number of findings about services that do not answer. */
const MAX_FINDINGS = 5;
/** Time (ms) that a service may take to load files that were put in place. */
const SETTLE_TIME = 60 * SECOND;

/**
 * Setup state of a host. `answers`: its services answer as designed. `found`: its files are observed in place, as on
 * this machine. `confirmed`: the user confirmed that they are, and nothing there can be probed; `files-missing`: the
 * user confirmed it, but none of them is there. `wrong`: in place, but its services answer something else. `no-route`:
 * in place, but this machine cannot send to it. `not-set-up`: nothing was put there, as far as known. `outdated`: its
 * files have been generated again since. `changed`: a file there is not the generated one. `stopped`: one of its
 * services does not run. `copied`: the files are on the host, and you have to run its install.sh.
 */
type HostState =
  | 'answers'
  | 'found'
  | 'confirmed'
  | 'files-missing'
  | 'wrong'
  | 'no-route'
  | 'not-set-up'
  | 'outdated'
  | 'changed'
  | 'stopped'
  | 'copied';

/** A service host, its roles and its setup state. */
export interface HostView {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly HostRole[];
  readonly state: HostState;
  /**
   * Files were installed there, by the wizard or as the user confirmed: from then on, a failed check counts as a
   * failure.
   */
  readonly isSetUp: boolean;
  /** The configuration files there that are not the generated ones, as far as they can be read. */
  readonly changedFiles: readonly string[];
  /** Commands that you run, in order; empty if you do not have to. */
  readonly commands: readonly string[];
  /** The wizard can copy the host's files to the host over SSH. */
  readonly canCopy: boolean;
  /** The last run of its `install.sh` from here, by this process or left running by an earlier one; null: none. */
  readonly run: HostRun | null;
  readonly checks: readonly ServiceProbeResult[];
  /** Its services as last probed there; null: not probed. */
  readonly services: HostUnits | null;
  /** The command that probes the services. */
  readonly verifyCommand: string;
}

/** A service of your own: external DNS or an external load balancer. */
export interface ExternalService {
  readonly role: 'DNS' | 'LB';
  readonly addresses: readonly string[];
  /** Directory of the files for its administrators: the DNS records to enter, or notes on the ports and pools. */
  readonly filesDir: string;
  /** In a rehearsal: the records are entered without you, as soon as the bastion has its files. */
  readonly isEnteredAutomatically: boolean;
  readonly checks: readonly ServiceProbeResult[];
}

/** Data for the hosts screen. */
export interface HostsView {
  /** In the order in which they are set up. */
  readonly hosts: readonly HostView[];
  readonly externalServices: readonly ExternalService[];
}

/**
 * Installs the files on every service host, or shows you how to, and probes whether each service answers as designed.
 */
export const hostsStep: Step<HostsView> = {
  id: 'hosts',
  probeIntervalMs: 5 * SECOND,
  timeoutMs: 10 * 60 * SECOND,
  probe,
  async plan(context) {
    const hosts = listHostsInSetupOrder(context.design).filter(
      ({ name }) => compareHostFiles(context, name) !== 'current',
    );
    return {
      changes: hosts.map(({ name }) => ({ object: name, what: words().putInPlace(name), before: null, after: null })),
      isDangerous: false,
      instructions: hosts.flatMap(({ name }) => listHostInstructions(context, name)),
    };
  },
  async apply(context, report) {
    for (const { name } of listHostsInSetupOrder(context.design)) {
      context.signal.throwIfAborted();
      if (compareHostFiles(context, name) !== 'current') await installServiceFiles(context, name, report);
    }
  },
  async applyOne(context, target, report) {
    for (const name of requireTarget(target, 'hosts').names) await copyToHost(context, name, report);
  },
  previewAction: previewHosts,
  async override(context, reason, report) {
    const findOverridable = async () => (await probe(context)).overridableChecks ?? [];
    await overrideFailedChecks(context, reason, findOverridable, report);
  },
  setUp: setUpHosts,
  undo: undoHosts,
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<HostsView>> {
  const [results] = await Promise.all([
    Promise.all([...probeDnsServers(context), ...probeEndpointPorts(context)]),
    refreshRuns(context),
  ]);
  const checks = mergeUnansweredQueries(results.flat(), (server) => findHostName(context, server));
  const { api, apiInt, ingress } = context.design.endpoints;
  const hosts = await Promise.all(
    listHostsInSetupOrder(context.design).map(async (host) => {
      const roles = listHostRoles(context.design, host.name);
      const hostChecks = selectResults(checks, { ip: host.ip, roles }, [...api, ...apiInt, ...ingress]);
      const filesState = compareHostFiles(context, host.name);
      const isSetUp = filesState !== 'never' || getFilesInstalledAt(context, host.name) > 0;
      const hasOurFiles = isSetUp || (hostChecks.length > 0 && hostChecks.every(({ isOk }) => isOk));
      const changedFiles = hasOurFiles ? await listChangedFiles(context, host.name) : [];
      return { ...host, roles, filesState, isSetUp, changedFiles, checks: hostChecks };
    }),
  );
  const { bastion } = context.design.services;
  const { canInstallHostFiles, canLogIn } = context.manualActions;
  const localFiles = canInstallHostFiles ? await probeSimulatedBastion(context) : await probeLocalFiles(context);
  const changedHosts = canInstallHostFiles ? hosts.filter((host) => isChangedOnHost(context, host)) : [];
  for (const { name } of changedHosts) forgetHostFiles(context, name);
  const assignedChecks = new Set(hosts.flatMap((host) => host.checks));
  const failedChecks = checks.filter(({ isOk }) => !isOk);
  const outdatedNames = hosts.filter(({ filesState }) => filesState === 'outdated').map(({ name }) => name);
  const isAllCorrect = failedChecks.length === 0 && outdatedNames.length === 0;
  const runs = context.probeCache.hostRuns;
  if (isAllCorrect) {
    // Correct answers prove that the files are in place: from now on only new files count as missing. Hosts without
    // checks wait for the user's confirmation.
    const isProven = ({ name, checks: hostResults }: (typeof hosts)[number]) =>
      hostResults.length > 0 || (canInstallHostFiles && (name !== bastion.name || localFiles !== 'absent'));
    const provenHosts = hosts.filter((host) => isProven(host) && !runs.get(host.name)?.areFilesMissing);
    const unrecordedNames = provenHosts.filter(({ filesState }) => filesState === 'never').map(({ name }) => name);
    if (unrecordedNames.length > 0) recordHostFiles(context, unrecordedNames);
  }
  const hostsToInstall = hosts.map(({ name }) => name).filter((name) => compareHostFiles(context, name) !== 'current');
  const bootFailures =
    isAllCorrect && hostsToInstall.length === 0 ? await readBootServiceFailures(context) : NO_FAILURES;
  const view: HostsView = {
    hosts: hosts.map(({ name, ip, roles, isSetUp, changedFiles, checks: hostResults, ...host }) => ({
      name,
      address: ip[0] ?? '',
      roles,
      state: deriveState(
        {
          ...host,
          isSetUp,
          hasChangedFiles: changedFiles.length > 0,
          checks: hostResults,
          services: findUnits(context, name),
          hasBootFailure: bootFailures.has(name),
        },
        isCopied(context, name),
        name === bastion.name ? localFiles : 'unknown',
      ),
      isSetUp,
      changedFiles: changedFiles.map(({ path }) => path),
      commands: listHostCommands(context, name),
      run: runs.get(name) ?? null,
      canCopy: canLogIn && name !== context.design.services.bastion.name,
      checks: hostResults,
      services: findUnits(context, name),
      verifyCommand: formatCommandLine('hosts', 'verify', '--host', name, '--dir', context.dir),
    })),
    externalServices: listExternalServices(
      context,
      checks.filter((check) => !assignedChecks.has(check)),
    ),
  };
  const runningHosts = hosts.map(({ name }) => name).filter((name) => (runs.get(name)?.state ?? 'ended') !== 'ended');
  if (runningHosts.length > 0)
    return { state: 'waiting', summary: words().unconfirmed(runningHosts.join(', ')), view, findings: [] };
  if (hostsToInstall.length > 0) {
    const failingHosts = hosts.filter(({ name, isSetUp }) => isSetUp && hostsToInstall.includes(name));
    const newNames = hostsToInstall.filter((name) => !failingHosts.some((host) => host.name === name));
    const failures = failingHosts.map((host) => {
      const check = host.checks.find(({ isOk }) => !isOk);
      return check === undefined ? host.name : words().failingCheck(host.name, check.queryText, check.detail);
    });
    const summary =
      outdatedNames.length > 0
        ? words().outdated(hostsToInstall.join(', '))
        : [
            ...(failures.length > 0 ? [words().failing(failures.join('; '))] : []),
            ...(newNames.length > 0 ? [words().needed(newNames.join(', '))] : []),
          ].join('; ');
    return { state: 'needed', summary, view, findings: [] };
  }
  if (isAllCorrect) {
    const listNames = (hostState: HostState) =>
      view.hosts.filter(({ state }) => state === hostState).map(({ name }) => name);
    // The worst state first: the sentence is about its hosts.
    const sentences = [
      ['files-missing', words().withoutFiles],
      ['changed', words().changed],
      ['wrong', words().bootServices],
      ['stopped', words().stopped],
    ] as const;
    const [warning] = sentences.flatMap(([hostState, formatWarning]) => {
      const names = listNames(hostState);
      return names.length === 0 ? [] : formatWarning(names.join(', '));
    });
    const fields = warning === undefined ? { summary: words().done } : { summary: warning, hasWarning: true };
    // Names the file and its first different line: plain lines have no rows of hosts.
    const findings = hosts.flatMap(({ name, changedFiles }) =>
      changedFiles.map(({ path, difference }) =>
        toFinding(
          { id: 'host-files', severity: 'note' },
          // The summary has the remedy.
          { state: 'failed', subject: `${name} ${path}`, evidence: [difference], remedy: '' },
          catalogue().diagnosis.site.checks['host-files'],
        ),
      ),
    );
    const bootFindings = [...bootFailures.values()].flat();
    return { state: 'done', ...fields, view, findings: [...findings, ...bootFindings].slice(0, MAX_FINDINGS) };
  }
  const access = { design: context.design, ...describeHostAccess(context) };
  const createFindings = (failures: readonly ServiceProbeResult[]) =>
    failures.flatMap((check) =>
      evaluateServices([check]).map((finding) =>
        check.isExternal === true ? finding : addHostsToServiceRemedy(access, finding, check.server),
      ),
    );
  // Each host is overridden on its own: a later probe may reach some of them.
  const hostFindings = createFindings(failedChecks);
  const blockingFindings = hostFindings.filter((finding) => findOverride(finding, readOverrides(context)) === null);
  if (blockingFindings.length === 0)
    return { state: 'done', summary: words().overridden(hostFindings.length), view, findings: [] };
  const findings = createFindings(joinUnsentServers(failedChecks));
  const [firstFailure] = failedChecks;
  const summary =
    firstFailure && coversWholeServer(firstFailure)
      ? (findings[0]?.title ?? '')
      : words().waiting(firstFailure?.queryText ?? '');
  return {
    state: 'waiting',
    summary,
    overridableChecks: blockingFindings,
    view,
    findings: findings.slice(0, MAX_FINDINGS),
  };
}

/** Age (ms) after which the checks of DHCP and TFTP run again. */
const BOOT_CHECK_PERIOD = 30 * SECOND;
const NO_FAILURES: ReadonlyMap<string, readonly Finding[]> = new Map();

/**
 * Reads the failed checks of DHCP and TFTP by host, cached for a moment. They are warnings here: machines decide, not
 * this host, whether they boot.
 */
async function readBootServiceFailures(context: StepContext): Promise<ReadonlyMap<string, readonly Finding[]>> {
  const { design, probeCache, clock } = context;
  const cachedChecks = probeCache.bootServiceChecks;
  if (cachedChecks !== null && getElapsedSince(clock, cachedChecks.at) < BOOT_CHECK_PERIOD) return cachedChecks.results;
  const entries = await Promise.all(
    listHostsInSetupOrder(design).map(async (host) => {
      const failures = filterFailed(await checkBootServices(context, host));
      return [host.name, failures.map((finding): Finding => ({ ...finding, severity: 'warning' }))] as const;
    }),
  );
  const results = new Map(entries.filter(([, failures]) => failures.length > 0));
  probeCache.bootServiceChecks = { at: clock.now(), results };
  return results;
}

/** Lists the services that are not set up from here, with the checks that belong to no host. */
function listExternalServices(context: StepContext, checks: readonly ServiceProbeResult[]): ExternalService[] {
  const { design, dir, manualActions } = context;
  const servers = listNodeNameServers(design);
  const isDns = ({ server }: ServiceProbeResult) => servers.includes(server);
  const { api, apiInt, ingress } = design.endpoints;
  const commonFields = {
    filesDir: join(workspace(dir).hostFilesDir(design.services.bastion.name), WORK_DIR),
    isEnteredAutomatically: manualActions.canInstallHostFiles,
  };
  const services: ExternalService[] = [
    { role: 'DNS', addresses: servers, ...commonFields, checks: checks.filter(isDns) },
    {
      role: 'LB',
      addresses: removeDuplicates([...api, ...apiInt, ...ingress]),
      ...commonFields,
      checks: checks.filter((check) => !isDns(check)),
    },
  ];
  return services.filter((service) => service.checks.length > 0);
}

/** Finds the short name of the service host at an address; the address itself if there is none. */
function findHostName({ design }: StepContext, address: string): string {
  return listHostsInSetupOrder(design).find(({ ip }) => ip.includes(address))?.name ?? address;
}

/**
 * Whether the files on a host were changed there: its services answer wrongly, long after the files were put in place.
 * A load balancer needs some time to notice a new member, which is no such change.
 */
function isChangedOnHost(
  context: StepContext,
  {
    name,
    filesState,
    checks,
  }: { readonly name: string; readonly filesState: HostFilesState; readonly checks: readonly ServiceProbeResult[] },
): boolean {
  const isWrong = filesState === 'current' && checks.some(({ isOk, isWithoutMember }) => !isOk && !isWithoutMember);
  return isWrong && context.clock.now() - getFilesInstalledAt(context, name) > SETTLE_TIME;
}

/**
 * Selects the results of a host: of a name server, its names; of a load balancer, the ports of all endpoints.
 * @param endpoints the addresses of the endpoints
 */
function selectResults(
  checks: readonly ServiceProbeResult[],
  { ip, roles }: { readonly ip: readonly string[]; readonly roles: readonly HostRole[] },
  endpoints: readonly string[],
): ServiceProbeResult[] {
  const isLoadBalancer = roles.includes('LB');
  return checks.filter(({ kind, server }) => {
    if (kind === 'port') return isLoadBalancer;
    return ip.includes(server) || (kind === 'unsent' && isLoadBalancer && endpoints.includes(server));
  });
}

const findUnits = ({ probeCache }: StepContext, name: string) => probeCache.hostUnits.get(name) ?? null;

const LOCAL_HOST_STATES = { present: 'found', unknown: 'confirmed', absent: 'files-missing' } as const satisfies Record<
  LocalFilesState,
  HostState
>;

function deriveState(
  {
    filesState,
    isSetUp,
    hasChangedFiles,
    checks,
    services,
    hasBootFailure,
  }: Pick<HostView, 'isSetUp' | 'checks' | 'services'> & {
    readonly filesState: HostFilesState;
    readonly hasChangedFiles: boolean;
    /** A check of DHCP or TFTP fails. */
    readonly hasBootFailure: boolean;
  },
  hasCopy: boolean,
  localFiles: LocalFilesState,
): HostState {
  if (filesState === 'outdated') return hasCopy ? 'copied' : 'outdated';
  if (hasChangedFiles) return 'changed';
  const isCorrect = checks.every(({ isOk }) => isOk);
  if (isSetUp && isCorrect && services?.units.some(({ isActive }) => !isActive)) return 'stopped';
  if (hasBootFailure) return 'wrong';
  if (checks.length > 0 && isCorrect) return 'answers';
  if (filesState === 'current' && !isCorrect)
    return checks.some(({ kind }) => kind === 'unsent') ? 'no-route' : 'wrong';
  if (filesState === 'current') return LOCAL_HOST_STATES[localFiles];
  // The record of its installed files was deleted, because the host gave wrong answers for too long.
  if (isSetUp) return 'wrong';
  return hasCopy ? 'copied' : 'not-set-up';
}
