import { parseArgs } from 'node:util';
import type { ServiceHost } from '../design/model.ts';
import type { StepContext } from '../steps/contract.ts';
import { checkHost, failing, unitFindings } from '../steps/hosts/setup/checks.ts';
import { lookAtHosts, type SeenHost } from '../steps/hosts/setup/look.ts';
import { hostsInOrder } from '../steps/shared/hosts/order.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { applyAll, type HostConsent, undoAll } from './hosts/act.ts';
import { type CheckedHost, hostJson, hostsText } from './hosts/text.ts';
import { withLive } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import { refuseForeign } from './shared/own-options.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';

const words = () => catalogue().hosts;
const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;
type Action = (typeof ACTIONS)[number];
/** The actions that take an option; the others are taken by all. */
const OWNERS = {
  yes: ['apply', 'undo'],
  overwrite: ['apply', 'undo'],
  'side-by-side': ['apply', 'undo'],
  'revert-after': ['apply'],
} as const satisfies Readonly<Record<string, readonly Action[]>>;

/** What an action came to. */
export interface Outcome {
  readonly hosts: readonly CheckedHost[];
  readonly code: 0 | 4 | 5;
}

/**
 * `upi-wizard hosts plan | apply | verify | undo [--host H] [--json]`: the service hosts of an install directory, in the order in
 * which they are set up, each with what its `install.sh` would change there now; has it run there, checks it, and takes it back.
 * @returns 4 when a host could not be looked at, or is not as it should be; 5 when a person's changes would have been overwritten
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
  refuseForeign('hosts', action, values, OWNERS);
  if (extra !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(extra, 80)));
  const writes = action === 'apply' || action === 'undo';
  if (writes && !values.yes && io.ask === null) throw new UsageError(words().needsYes(action));
  const consent: HostConsent = {
    isYes: values.yes,
    overwrites: values.overwrite,
    isSideBySide: values['side-by-side'],
    revertsAfter: secondsOf(values['revert-after']),
  };
  const needs = { writes, program: 'upi-wizard hosts' };
  return await withLive(
    { dir: values.dir, isDirectoryOnly: true },
    io,
    programs,
    async ({ session }) => {
      if (session === null) return 3;
      const { context } = session;
      const { hosts, code } = await run[action](context, chosen(context, values.host), io, consent);
      io.stdout(values.json ? jsonText({ hosts: hosts.map(hostJson) }) : hostsText(hosts, io.columns));
      return code;
    },
    needs,
  );
}

function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < 10 || seconds > 600) throw new UsageError(words().badSeconds(sanitizeLine(text, 80)));
  return seconds;
}

/** The hosts of an option, in the order of their setup, whatever order the person named them in. */
function chosen({ design }: StepContext, names: readonly string[] | undefined): readonly ServiceHost[] {
  const hosts = hostsInOrder(design);
  const wanted = names?.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted?.find((name) => !hosts.some((host) => host.name === name));
  if (unknown !== undefined)
    throw new UsageError(words().unknownHost(sanitizeLine(unknown, 80), hosts.map(({ name }) => name).join(', ')));
  return hosts.filter(({ name }) => wanted === undefined || wanted.includes(name));
}

type Run = (context: StepContext, hosts: readonly ServiceHost[], io: LiveIo, consent: HostConsent) => Promise<Outcome>;

const run: Readonly<Record<Action, Run>> = {
  async plan(context, hosts) {
    const seen = await lookAtHosts(context, hosts);
    return { hosts: seen, code: seen.every(({ trouble }) => trouble === null) ? 0 : 4 };
  },
  async verify(context, hosts) {
    const checked = await checkAll(context, hosts);
    return { hosts: checked, code: checked.every(isRight) ? 0 : 4 };
  },
  async apply(context, hosts, io, consent) {
    const code = await applyAll(context, hosts, io, consent);
    const checked = await checkAll(context, hosts);
    return { hosts: checked, code: code !== 0 ? code : checked.every(isRight) ? 0 : 4 };
  },
  async undo(context, hosts, io, consent) {
    const code = await undoAll(context, hosts, io, consent);
    return { hosts: await lookAtHosts(context, hosts), code };
  },
};

/** Looks at the hosts, and asks what runs there. */
async function checkAll(context: StepContext, hosts: readonly ServiceHost[]): Promise<readonly CheckedHost[]> {
  const seen = await lookAtHosts(context, hosts);
  return await Promise.all(
    seen.map(async (host): Promise<CheckedHost> => {
      const one = hosts.find(({ name }) => name === host.name);
      if (one === undefined || host.plan === null) return host;
      return { ...host, checks: [...unitFindings(host.name, host.plan), ...(await checkHost(context, one))] };
    }),
  );
}

function isRight({ plan, run, checks = [] }: SeenHost & Pick<CheckedHost, 'checks'>): boolean {
  return plan !== null && plan.changes.length === 0 && run?.outcome !== 'open' && failing(checks).length === 0;
}
