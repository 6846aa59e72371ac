import type { Snapshot } from '../../cluster/snapshot.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../../design/names.ts';
import { type Finding, problems } from '../../diagnosis/finding.ts';
import { judgeJoining } from '../../diagnosis/joining/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Probe, StepContext } from '../contract.ts';
import { apiFindings, look } from '../shared/access.ts';
import { type BootView, watchBoot } from '../shared/machines/boot-watch.ts';
import { closeDoors } from '../shared/machines/doors.ts';
import { anewSince, expectAnew, expectNoMore, laterMachines, wasSeenReady } from '../shared/machines/later-nodes.ts';
import { isServerRunning, serve } from '../shared/machines/serving.ts';
import { joiningEvidence } from './joining-evidence.ts';

const words = () => catalogue().steps.boot;

/** The nodes that have still to join the running cluster, in the order of the design. */
export async function joiningMachines(context: StepContext): Promise<readonly DesignNode[]> {
  return (await watchJoining(context)).machines;
}

/**
 * Watches the machines of the nodes that have still to join: those without a Node object, and those that a person
 * reported as installed anew and that are not back. While the API is away, those that were never seen Ready.
 */
async function watchJoining(context: StepContext) {
  const later = laterMachines(context.design);
  const [snapshot, boot] = await Promise.all([look(context, ['nodes']), watchBoot(context, later)]);
  const there = snapshot?.nodes ? new Set(snapshot.nodes.map(({ name }) => name)) : null;
  const isOpen = new Map(
    boot.view.nodes.map(({ name, stage }) => {
      const isInCluster = there?.has(nodeFqdn(context.design, { name })) ?? wasSeenReady(context, name);
      return [name, stage !== 'ready' && (!isInCluster || anewSince(context, name) !== null)];
    }),
  );
  return {
    snapshot,
    machines: later.filter(({ name }) => isOpen.get(name)),
    view: { ...boot.view, nodes: boot.view.nodes.filter(({ name }) => isOpen.get(name)) },
    findings: boot.findings.filter(({ subject }) => subject === null || isOpen.get(subject) !== false),
  };
}

/** The grid of the nodes that join and, before they are powered on, whether they can. */
export async function probeJoining(context: StepContext): Promise<Probe<BootView>> {
  const { snapshot, machines, view, findings } = await watchJoining(context);
  if (machines.length === 0) return await allJoined(context, snapshot);
  const off = view.nodes.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  if (off.length > 0) {
    const names = new Set(off.map(({ name }) => name));
    const evidence = await joiningEvidence(
      context,
      machines.filter(({ name }) => names.has(name)),
      snapshot,
    );
    return preflight(view, off.length, judgeJoining(evidence));
  }
  const there = view.nodes.filter(({ stage }) => stage === 'ignition').length;
  if (there === machines.length)
    return { state: 'done', summary: words().allThere(machines.length), view, findings: [] };
  const found = [...findings, ...apiFindings(snapshot)];
  if (!(await isServerRunning(context))) return { state: 'needed', summary: words().serverGone, view, findings: found };
  return { state: 'waiting', summary: words().waiting(there, machines.length), view, findings: found };
}

async function allJoined(context: StepContext, snapshot: Snapshot | null): Promise<Probe<BootView>> {
  const later = laterMachines(context.design);
  const { view } = await watchBoot(context, [...nodesWithRole(context.design, 'control-plane'), ...later]);
  return { state: 'done', summary: words().joined(later.length), view, findings: apiFindings(snapshot) };
}

function preflight(view: BootView, off: number, judged: readonly Finding[]): Probe<BootView> {
  const checks = judged.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  const findings = problems(checks);
  const isBlocked = findings.some(({ severity }) => severity === 'fatal');
  const unknown = checks.filter(({ state }) => state === 'unknown').length;
  const said = words().preflight({ failed: findings.length, unknown, all: checks.length });
  const summary = `${words().needed(off)}; ${said}`;
  return {
    state: isBlocked ? 'blocked' : 'needed',
    summary,
    view: { ...view, checks },
    findings,
  };
}

/**
 * Looks once more, just before the machines are powered on.
 * @returns how it stands, in words
 * @throws TroubleError of the first failed check that must pass
 */
export async function assertReady(context: StepContext): Promise<string> {
  const { state, summary, findings } = await probeJoining(context);
  const [first] = findings;
  if (state !== 'blocked' || !first) return summary;
  const { code, title, cause, whatToDo } = first;
  throw new TroubleError({ code, title, cause, whatToDo });
}

const RANK = { failed: 0, pending: 1, unknown: 2, ok: 3 } as const;

/**
 * A person reports that the machine of a node is installed anew: we expect it as if it were new, and its address may
 * fetch the ignition file again. A second report, before the machine has asked for anything, takes that back. Changes
 * nothing in the cluster.
 * @throws TroubleError `not-joining` for a node that does not join later
 */
export async function installAnew(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  const machine = laterMachines(context.design).find((node) => node.name === name);
  if (!machine) throw new TroubleError({ code: 'not-joining', ...words().notJoining(name) });
  const { view } = await watchBoot(context, [machine]);
  if (view.nodes[0]?.isReplaced) {
    expectNoMore(context, name);
    await closeDoors(context);
    return report(words().notAnew(name));
  }
  expectAnew(context, name);
  await serve(context, report);
  report(words().anew(name));
}
