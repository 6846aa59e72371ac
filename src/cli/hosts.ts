import { parseArgs } from 'node:util';
import type { ServiceHost } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { StepContext } from '../steps/contract.ts';
import { checkHost, filterFailed, listStoppedUnits } from '../steps/hosts/setup/apply.ts';
import { type ProbedHost, probeHosts } from '../steps/hosts/setup/run-hosts.ts';
import { listHostsInSetupOrder } from '../steps/shared/hosts/host-command.ts';
import { applyHosts, type HostConsent, undoHosts } from './host-actions.ts';
import { type CheckedHost, formatHosts, toHostJson } from './host-output.ts';
import { rejectForeignOptions } from './shared/action-options.ts';
import { UsageError } from './shared/io.ts';
import { withLiveTarget } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import type { Programs } from './shared/runtime.ts';

const words = () => catalogue().hosts;
const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;
type Action = (typeof ACTIONS)[number];
/** The actions that accept an option. All actions accept the options that are not listed. */
const OPTION_ACTIONS = {
  yes: ['apply', 'undo'],
  overwrite: ['apply', 'undo'],
  'side-by-side': ['apply', 'undo'],
  'revert-after': ['apply'],
} as const satisfies Readonly<Record<string, readonly Action[]>>;

/** The result of an action. */
export interface HostsOutcome {
  readonly hosts: readonly CheckedHost[];
  readonly code: 0 | 4 | 5;
}

/**
 * `upi-wizard hosts plan | apply | verify | undo [--host H] [--json]`: the service hosts of an install directory, in
 * setup order. Shows what `install.sh` would change on each host, runs it there, checks the services, or undoes it.
 * @returns 4 if a host cannot be probed or is not as planned; 5 if changes of the user would be overwritten
 */
export async function hostsCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      host: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      overwrite: { type: 'boolean', default: false },
      'side-by-side': { type: 'boolean', default: false },
      'revert-after': { type: 'string' },
    },
  });
  const [name, extra] = positionals;
  if (name === undefined) throw new UsageError(words().noAction);
  const action = ACTIONS.find((known) => known === name);
  if (action === undefined) throw new UsageError(words().unknownAction(sanitizeLine(name, 80)));
  rejectForeignOptions('hosts', action, values, OPTION_ACTIONS);
  if (extra !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(extra, 80)));
  const writes = action === 'apply' || action === 'undo';
  if (writes && !values.yes && io.ask === null) throw new UsageError(words().needsYes(action));
  const consent: HostConsent = {
    isYes: values.yes,
    canOverwrite: values.overwrite,
    isParallel: values['side-by-side'],
    revertAfterSeconds: parseRevertSeconds(values['revert-after']),
  };
  const needs = { writes, program: 'upi-wizard hosts' };
  return await withLiveTarget(
    { dir: values.dir, isDirectoryOnly: true },
    io,
    programs,
    async ({ session }) => {
      if (session === null) return 3;
      const { context } = session;
      const { hosts, code } = await runners[action](context, selectHosts(context, values.host), io, consent);
      io.stdout(values.json ? formatJson({ hosts: hosts.map(toHostJson) }) : formatHosts(hosts, io.columns));
      return code;
    },
    needs,
  );
}

function parseRevertSeconds(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < 10 || seconds > 600) throw new UsageError(words().badSeconds(sanitizeLine(text, 80)));
  return seconds;
}

/**
 * Selects the hosts of `--host`, in setup order regardless of their order on the command line.
 * @throws UsageError for an unknown host
 */
function selectHosts({ design }: StepContext, names: readonly string[] | undefined): readonly ServiceHost[] {
  const hosts = listHostsInSetupOrder(design);
  const wanted = names?.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted?.find((name) => !hosts.some((host) => host.name === name));
  if (unknown !== undefined)
    throw new UsageError(words().unknownHost(sanitizeLine(unknown, 80), hosts.map(({ name }) => name).join(', ')));
  return hosts.filter(({ name }) => wanted === undefined || wanted.includes(name));
}

type ActionRunner = (
  context: StepContext,
  hosts: readonly ServiceHost[],
  io: LiveIo,
  consent: HostConsent,
) => Promise<HostsOutcome>;

const runners: Readonly<Record<Action, ActionRunner>> = {
  async plan(context, hosts) {
    const observed = await probeHosts(context, hosts);
    return { hosts: observed, code: observed.every(({ problem }) => problem === null) ? 0 : 4 };
  },
  async verify(context, hosts) {
    const results = await checkHosts(context, hosts);
    return { hosts: results, code: results.every(isVerified) ? 0 : 4 };
  },
  async apply(context, hosts, io, consent) {
    const code = await applyHosts(context, hosts, io, consent);
    const results = await checkHosts(context, hosts);
    return { hosts: results, code: code !== 0 ? code : results.every(isVerified) ? 0 : 4 };
  },
  async undo(context, hosts, io, consent) {
    const code = await undoHosts(context, hosts, io, consent);
    return { hosts: await probeHosts(context, hosts), code };
  },
};

/** Probes the hosts and checks their services. */
async function checkHosts(context: StepContext, hosts: readonly ServiceHost[]): Promise<readonly CheckedHost[]> {
  const observed = await probeHosts(context, hosts);
  return await Promise.all(
    observed.map(async (host): Promise<CheckedHost> => {
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
