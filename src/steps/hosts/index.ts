import { gatherUnheard, isOfWhole, judgeServices, type ServiceAnswer } from '../../diagnosis/hosts/services.ts';
import { overrideOf } from '../../diagnosis/prepare/gate.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import type { HostRun } from '../recollection.ts';
import { hostCommands, hostInstructions } from '../shared/hosts/commands.ts';
import { copyToHost, isCopied } from '../shared/hosts/copy.ts';
import { type HostRole, hostsInOrder, rolesOf } from '../shared/hosts/order.ts';
import { forgetPut, noteAsPut, type PutState, putAt, putInPlace, putState } from '../shared/hosts/put-in-place.ts';
import { dnsChecks, portChecks } from '../shared/hosts/service-checks.ts';
import { goPast, overridesOf } from '../shared/overrides.ts';
import { type SeenHere, seenHere } from './here.ts';
import { briefHosts, setUpHosts, undoHosts } from './setup/from-here.ts';
import { lookAfterRuns } from './setup/noted.ts';

const words = () => catalogue().steps.hosts;
/** So many of the services that do not answer are told at length. */
const MOST_TOLD = 5;
/** How long a service takes to read files that were put in place. */
const SETTLES = 60 * SECOND;

/**
 * How far a host is. `answers`: its services answer as designed. `found`: we see its files in place, as on this machine.
 * `said`: a person said that they are, and nothing there can be asked; `unfound`: a person said so, and none of them is there.
 * `wrong`: in place, and its services answer something else. `unreached`: in place, and nothing leaves this machine for it.
 * `open`: as far as we know, nobody put anything there. `outdated`: its files were generated anew since. `copied`: the files are
 * on the host, and a person has to run its install.sh.
 */
export type HostState =
  | 'answers'
  | 'found'
  | 'said'
  | 'unfound'
  | 'wrong'
  | 'unreached'
  | 'open'
  | 'outdated'
  | 'copied';

/** A service host, its roles, and how far it is. */
export interface HostView {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly HostRole[];
  readonly state: HostState;
  /** What a person runs, in order, one command a line; none where it is not a person's task. */
  readonly commands: readonly string[];
  /** We can copy its files there over SSH. */
  readonly canCopy: boolean;
  /** The last run of its `install.sh` from here, in this sitting or left under way by an earlier one; null: none. */
  readonly run: HostRun | null;
  readonly checks: readonly ServiceAnswer[];
}

/** What the hosts screen draws. */
export interface HostsView {
  /** In the order in which they are set up. */
  readonly hosts: readonly HostView[];
  /** Answers of services on hosts that are not set up from here. */
  readonly others: readonly ServiceAnswer[];
}

/** Has the files put in place on every service host, and asks each service whether it serves the design. */
export const hostsStep: Step<HostsView> = {
  id: 'hosts',
  lookEvery: 5 * SECOND,
  patience: 10 * 60 * SECOND,
  probe,
  async plan(context) {
    const hosts = hostsInOrder(context.design).filter(({ name }) => putState(context, name) !== 'current');
    return {
      changes: hosts.map(({ name }) => ({ object: name, what: words().putWhat(name), before: null, after: null })),
      isDangerous: false,
      instructions: hosts.flatMap(({ name }) => hostInstructions(context, name)),
    };
  },
  async apply(context, report) {
    for (const { name } of hostsInOrder(context.design)) {
      context.signal.throwIfAborted();
      if (putState(context, name) !== 'current') await putInPlace(context, name, report);
    }
  },
  applyOne: copyToHost,
  brief: briefHosts,
  async override(context, reason, report) {
    const find = async () => (await probe(context)).overridable ?? [];
    await goPast(context, reason, find, report);
  },
  setUp: setUpHosts,
  undo: undoHosts,
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<HostsView>> {
  const [asked] = await Promise.all([
    Promise.all([...dnsChecks(context), ...portChecks(context)]),
    lookAfterRuns(context),
  ]);
  const checks = gatherUnheard(asked.flat(), (server) => hostAt(context, server));
  const { api, apiInt, ingress } = context.design.endpoints;
  const hosts = hostsInOrder(context.design).map((host) => {
    const roles = rolesOf(context.design, host.name);
    const own = checksOf(checks, { ip: host.ip, roles }, [...api, ...apiInt, ...ingress]);
    return { ...host, roles, put: putState(context, host.name), checks: own };
  });
  const { bastion } = context.design.services;
  // Elsewhere the hands have put the files where they belong.
  const here: SeenHere = context.hands.isPerson ? await seenHere(context) : 'there';
  const changedThere = context.hands.isPerson ? [] : hosts.filter((host) => isChangedThere(context, host));
  for (const { name } of changedThere) forgetPut(context, name);
  const own = new Set(hosts.flatMap((host) => host.checks));
  const wrong = checks.filter(({ isOk }) => !isOk);
  const outdated = hosts.filter(({ put }) => put === 'outdated').map(({ name }) => name);
  const isAllRight = wrong.length === 0 && outdated.length === 0;
  const runs = context.recollection.hostRuns;
  if (isAllRight) {
    // Whoever put them there: only new files are missing now. Hosts without checks wait for a person's word.
    const telling = hosts.filter(
      ({ name, checks: asked }) => (!context.hands.isPerson || asked.length > 0) && !runs.get(name)?.isMissing,
    );
    const unknown = telling.filter(({ put }) => put === 'never').map(({ name }) => name);
    if (unknown.length > 0) noteAsPut(context, unknown);
  }
  const missing = hosts.map(({ name }) => name).filter((name) => putState(context, name) !== 'current');
  const view: HostsView = {
    hosts: hosts.map(({ name, ip, roles, put, checks: asked }) => ({
      name,
      address: ip[0] ?? '',
      roles,
      state: stateOf(put, asked, isCopied(context, name), name === bastion.name ? here : 'unknown'),
      commands: hostCommands(context, name),
      run: runs.get(name) ?? null,
      canCopy: context.hands.isPerson && name !== context.design.services.bastion.name,
      checks: asked,
    })),
    others: checks.filter((check) => !own.has(check)),
  };
  const underWay = hosts.map(({ name }) => name).filter((name) => (runs.get(name)?.state ?? 'ended') !== 'ended');
  if (underWay.length > 0)
    return { state: 'waiting', summary: words().underWay(underWay.join(', ')), view, findings: [] };
  if (missing.length > 0) {
    const summary = outdated.length > 0 ? words().outdated(missing.join(', ')) : words().needed(missing.join(', '));
    return { state: 'needed', summary, view, findings: [] };
  }
  if (isAllRight) return { state: 'done', summary: words().done, view, findings: [] };
  const found = judgeServices(checks);
  const closed = found.filter((finding) => overrideOf(finding, overridesOf(context)) === null);
  if (closed.length === 0) return { state: 'done', summary: words().past(found.length), view, findings: [] };
  const [first] = wrong;
  const summary = first && isOfWhole(first) ? first.what : words().waiting(first?.what ?? '');
  return { state: 'waiting', summary, overridable: closed, view, findings: found.slice(0, MOST_TOLD) };
}

/** The short name of the service host at an address. */
function hostAt({ design }: StepContext, address: string): string {
  return hostsInOrder(design).find(({ ip }) => ip.includes(address))?.name ?? address;
}

/** Somebody changed the files on a host: its services answer wrongly, long after the files were put there. */
function isChangedThere(
  context: StepContext,
  { name, put, checks }: { readonly name: string; readonly put: PutState; readonly checks: readonly ServiceAnswer[] },
): boolean {
  const isWrong = put === 'current' && checks.some(({ isOk }) => !isOk);
  return isWrong && context.clock.now() - putAt(context, name) > SETTLES;
}

/**
 * What we asked a host: names of a name server, the ports of the endpoints of every load balancer.
 * @param endpoints their addresses
 */
function checksOf(
  checks: readonly ServiceAnswer[],
  { ip, roles }: { readonly ip: readonly string[]; readonly roles: readonly HostRole[] },
  endpoints: readonly string[],
): ServiceAnswer[] {
  const isBalancer = roles.includes('LB');
  return checks.filter(({ kind, server }) => {
    if (kind === 'port') return isBalancer;
    return ip.includes(server) || (kind === 'unsent' && isBalancer && endpoints.includes(server));
  });
}

const SEEN = { there: 'found', unknown: 'said', absent: 'unfound' } as const satisfies Record<SeenHere, HostState>;

function stateOf(put: PutState, checks: readonly ServiceAnswer[], hasCopy: boolean, here: SeenHere): HostState {
  if (put === 'outdated') return hasCopy ? 'copied' : 'outdated';
  const isRight = checks.every(({ isOk }) => isOk);
  if (checks.length > 0 && isRight) return 'answers';
  if (put === 'current' && !isRight) return checks.some(({ kind }) => kind === 'unsent') ? 'unreached' : 'wrong';
  if (put === 'current') return SEEN[here];
  return hasCopy ? 'copied' : 'open';
}
