import type { ServiceHost } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import type { StepContext } from '../steps/contract.ts';
import { checkHost, filterFailed, listStoppedUnits } from '../steps/hosts/setup/apply.ts';
import { type ProbedHost, probeHosts } from '../steps/hosts/setup/run-hosts.ts';
import { listHostsInSetupOrder } from '../steps/shared/hosts/host-roles.ts';
import type { Arguments } from './commands.ts';
import { applyHosts, type HostConsent, undoHosts } from './host-actions.ts';
import { type CheckedHost, formatHosts, toHostJson } from './host-output.ts';
import { withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError } from './shared/io.ts';
import type { ProcessIo } from './shared/process-io.ts';

const words = () => catalogue().hosts;
/** The result of an action. */
interface HostsResult {
  readonly hosts: readonly CheckedHost[];
  readonly exitCode: 0 | 4 | 5;
}

/** `upi-wizard hosts plan`: what `install.sh` would change on each host. */
export async function planCommand({ options }: Arguments<'hosts plan'>, context: CommandContext): Promise<number> {
  return await actOnHosts(options, await context.openIo(), context, false, async (stepContext, hosts) => {
    const probedHosts = await probeHosts(stepContext, hosts);
    return { hosts: probedHosts, exitCode: probedHosts.every(({ problem }) => problem === null) ? 0 : 4 };
  });
}

/** `upi-wizard hosts verify`: compares the hosts and their services with the design. */
export async function verifyCommand({ options }: Arguments<'hosts verify'>, context: CommandContext): Promise<number> {
  return await actOnHosts(options, await context.openIo(), context, false, async (stepContext, hosts) => {
    const checkedHosts = await checkHosts(stepContext, hosts);
    return { hosts: checkedHosts, exitCode: checkedHosts.every(isVerified) ? 0 : 4 };
  });
}

/** `upi-wizard hosts apply`: runs `install.sh` on each host. */
export async function applyCommand({ options }: Arguments<'hosts apply'>, context: CommandContext): Promise<number> {
  const io = await context.openIo('acting');
  const consent = { ...toConsent('apply', options, io), revertAfterSeconds: options['revert-after'] ?? null };
  return await actOnHosts(options, io, context, true, async (stepContext, hosts) => {
    const exitCode = await applyHosts(stepContext, hosts, io, consent);
    const checkedHosts = await checkHosts(stepContext, hosts);
    return { hosts: checkedHosts, exitCode: exitCode !== 0 ? exitCode : checkedHosts.every(isVerified) ? 0 : 4 };
  });
}

/** `upi-wizard hosts undo`: restores the previous files. */
export async function undoCommand({ options }: Arguments<'hosts undo'>, context: CommandContext): Promise<number> {
  const io = await context.openIo('acting');
  const consent = toConsent('undo', options, io);
  return await actOnHosts(options, io, context, true, async (stepContext, hosts) => {
    const exitCode = await undoHosts(stepContext, hosts, io, consent);
    return { hosts: await probeHosts(stepContext, hosts), exitCode };
  });
}

/** @throws UsageError if the command must ask, and there is no terminal */
function toConsent(action: string, options: Arguments<'hosts undo'>['options'], io: ProcessIo): HostConsent {
  if (!options.yes && io.ask === null) throw new UsageError(words().needsYes(action));
  return { assumeYes: options.yes, canOverwrite: options.overwrite, isParallel: options['side-by-side'] };
}

/**
 * Acts on the service hosts of an install directory, in setup order, and prints them.
 * @returns 4 if a host cannot be probed or is not as planned; 5 if changes of the user would be overwritten
 */
async function actOnHosts(
  options: Arguments<'hosts plan'>['options'],
  io: ProcessIo,
  { launcher }: CommandContext,
  isForWriting: boolean,
  action: (context: StepContext, hosts: readonly ServiceHost[]) => Promise<HostsResult>,
): Promise<number> {
  return await withClusterTarget(
    { dir: options.dir, isDirectoryOnly: true },
    io,
    launcher.programs,
    async ({ session }) => {
      if (session === null) return 3;
      const { hosts, exitCode } = await action(session.context, selectHosts(session.context, options.host));
      io.stdout(options.json ? formatJson({ hosts: hosts.map(toHostJson) }) : formatHosts(hosts, io.columns));
      return exitCode;
    },
    { isForWriting, program: 'upi-wizard hosts' },
  );
}

/**
 * Selects the hosts of `--host`, in setup order regardless of their order on the command line.
 * @throws UsageError for an unknown host
 */
function selectHosts({ design }: StepContext, requestedNames: readonly string[] | undefined): readonly ServiceHost[] {
  const hosts = listHostsInSetupOrder(design);
  const unknownName = requestedNames?.find((name) => !hosts.some((host) => host.name === name));
  if (unknownName !== undefined)
    throw new UsageError(words().unknownHost(sanitizeLine(unknownName, 80), hosts.map(({ name }) => name).join(', ')));
  return hosts.filter(({ name }) => requestedNames === undefined || requestedNames.includes(name));
}

/** Probes the hosts and checks their services. */
async function checkHosts(context: StepContext, hosts: readonly ServiceHost[]): Promise<readonly CheckedHost[]> {
  const probedHosts = await probeHosts(context, hosts);
  return await Promise.all(
    probedHosts.map(async (host): Promise<CheckedHost> => {
      const serviceHost = hosts.find(({ name }) => name === host.name);
      if (serviceHost === undefined || host.plan === null) return host;
      return {
        ...host,
        checks: [...listStoppedUnits(host.name, host.plan), ...(await checkHost(context, serviceHost))],
      };
    }),
  );
}

function isVerified({ plan, run, checks = [] }: ProbedHost & Pick<CheckedHost, 'checks'>): boolean {
  return plan !== null && plan.changes.length === 0 && run?.outcome !== 'open' && filterFailed(checks).length === 0;
}
