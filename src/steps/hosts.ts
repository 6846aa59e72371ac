import { dnsProbe, tcpProbe } from '../bastion/probes.ts';
import { apiIntName, apiName, appsDomain, nodeFqdn, serviceHosts } from '../design/names.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { SECOND } from '../ports/clock.ts';
import { steps } from '../text/en/steps.ts';
import type { Probe, Step, StepContext } from './contract.ts';
import { hostsInOrder, rolesOf } from './host-order.ts';
import { noteAsPut, putInPlace, putState } from './put-in-place.ts';
import { workspace } from './workspace.ts';

const words = steps.hosts;
const TIMEOUT = 3 * SECOND;

/** One thing asked of a running service. */
export interface ServiceCheck {
  readonly kind: 'dns' | 'reverse' | 'port';
  /** Who was asked. */
  readonly server: string;
  readonly what: string;
  readonly isOk: boolean;
  readonly detail: string;
}

export interface HostsView {
  readonly hosts: readonly {
    readonly name: string;
    readonly address: string;
    readonly roles: readonly string[];
    readonly isPut: boolean;
  }[];
  readonly checks: readonly ServiceCheck[];
}

export const hostsStep: Step<HostsView> = {
  id: 'hosts',
  lookEvery: 5 * SECOND,
  patience: 10 * 60 * SECOND,
  probe,
  async plan(context) {
    const hosts = hostsInOrder(context.design).filter(({ name }) => putState(context, name) !== 'current');
    return {
      changes: hosts.map(({ name }) => ({ object: name, what: words.putWhat(name), before: null, after: null })),
      isDangerous: false,
      instructions: hosts.flatMap(({ name }) => hostInstruction(context, name)),
    };
  },
  async apply(context, report) {
    for (const { name } of hostsInOrder(context.design)) {
      if (putState(context, name) !== 'current') await putInPlace(context, name, report);
    }
  },
  verify: probe,
};

/** How a person puts the files of a host in place; nothing where it is not a person's task. */
export function hostInstruction({ hands, design, dir }: StepContext, name: string): string[] {
  if (!hands.isPerson) return [];
  const files = workspace(dir).filesOf(name);
  const address = serviceHosts(design).find((host) => host.name === name)?.ip[0] ?? name;
  return [name === design.services.bastion.name ? words.byHandHere(name, files) : words.byHand(name, files, address)];
}

async function probe(context: StepContext): Promise<Probe<HostsView>> {
  const checks = (await Promise.all([...dnsChecks(context), ...portChecks(context)])).flat();
  const wrong = checks.filter(({ isOk }) => !isOk);
  const hosts = hostsInOrder(context.design).map((host) => ({ ...host, put: putState(context, host.name) }));
  const view: HostsView = {
    hosts: hosts.map(({ name, ip, put }) => ({
      name,
      address: ip[0] ?? '',
      roles: rolesOf(context.design, name),
      isPut: put === 'current',
    })),
    checks,
  };
  const outdated = hosts.filter(({ put }) => put === 'outdated').map(({ name }) => name);
  if (wrong.length === 0 && outdated.length === 0) {
    // Whoever put them there: from now on only what is generated anew is missing.
    const unknown = hosts.filter(({ put }) => put === 'never').map(({ name }) => name);
    if (unknown.length > 0) noteAsPut(context, unknown);
    return { state: 'done', summary: words.done, view, findings: [] };
  }
  const missing = hosts.filter(({ put }) => put !== 'current').map(({ name }) => name);
  if (missing.length > 0) {
    const summary = outdated.length > 0 ? words.outdated(missing.join(', ')) : words.needed(missing.join(', '));
    return { state: 'needed', summary, view, findings: [] };
  }
  return {
    state: 'waiting',
    summary: words.waiting(wrong[0]?.what ?? ''),
    view,
    findings: wrong.slice(0, 5).map(asFinding),
  };
}

function asFinding({ kind, what, detail }: ServiceCheck): Finding {
  const whatToDo = kind === 'port' ? words.portFix : words.dnsFix;
  return {
    severity: 'warning',
    code: `service-${kind}`,
    title: `${words.checks[kind]} ${what}`,
    cause: detail,
    whatToDo,
    subject: what,
  };
}

/** Every record the cluster needs, asked of each of our own servers, and compared with the design. */
function dnsChecks(context: StepContext): Promise<ServiceCheck>[] {
  const { design } = context;
  const servers = design.services.dns.servers.flatMap(({ ip }) => ip.slice(0, 1));
  const forward: [string, readonly string[]][] = [
    [apiName(design), design.endpoints.api],
    [apiIntName(design), design.endpoints.apiInt],
    [`test.${appsDomain(design)}`, design.endpoints.ingress],
    ...design.nodes.map((node): [string, readonly string[]] => [nodeFqdn(design, node), node.ip]),
  ];
  const reverse = design.nodes.flatMap((node) =>
    node.ip.map((address): [string, string] => [address, nodeFqdn(design, node)]),
  );
  return servers.flatMap((server) => [
    ...forward.map(([name, addresses]) => askName(context, server, name, addresses)),
    ...reverse.map(([address, name]) => askReverse(context, server, address, name)),
  ]);
}

async function askName(
  context: StepContext,
  server: string,
  name: string,
  addresses: readonly string[],
): Promise<ServiceCheck> {
  const isV6 = (address: string) => address.includes(':');
  const wanted = addresses.filter((address) => !isV6(address));
  const type = wanted.length > 0 ? 'A' : 'AAAA';
  const want = type === 'A' ? wanted : [...addresses];
  const { answers, detail } = await dnsProbe({
    reach: context.reach,
    clock: context.clock,
    server,
    name,
    type,
    timeoutMs: TIMEOUT,
  });
  const isOk = answers.length === want.length && want.every((address) => answers.includes(address));
  return {
    kind: 'dns',
    server,
    what: name,
    isOk,
    detail: isOk ? answers.join(', ') : words.dnsAnswer(want.join(', '), answers.join(', ') || detail),
  };
}

async function askReverse(context: StepContext, server: string, address: string, name: string): Promise<ServiceCheck> {
  const { answers, detail } = await dnsProbe({
    reach: context.reach,
    clock: context.clock,
    server,
    name: address,
    type: 'PTR',
    timeoutMs: TIMEOUT,
  });
  const isOk = answers.length === 1 && answers[0] === name;
  return {
    kind: 'reverse',
    server,
    what: address,
    isOk,
    detail: isOk ? name : words.dnsAnswer(name, answers.join(', ') || detail),
  };
}

function portChecks(context: StepContext): Promise<ServiceCheck>[] {
  const { endpoints, topology } = context.design;
  // A single node has no load balancer: its own ports open when it is installed.
  if (topology === 'single-node') return [];
  const ports: [string, number][] = [
    ...endpoints.api.map((host): [string, number] => [host, 6443]),
    ...endpoints.apiInt.flatMap((host): [string, number][] => [
      [host, 6443],
      [host, 22623],
    ]),
    ...endpoints.ingress.flatMap((host): [string, number][] => [
      [host, 443],
      [host, 80],
    ]),
  ];
  return ports.map(async ([host, port]): Promise<ServiceCheck> => {
    const { state, detail } = await tcpProbe(context.reach, context.clock, host, port, TIMEOUT);
    // A balancer without a member accepts and closes: it is there, and that is what is asked here.
    const isOk = state === 'open' || state === 'closed-at-once';
    return { kind: 'port', server: host, what: `${host}:${port}`, isOk, detail: isOk ? state : detail };
  });
}
