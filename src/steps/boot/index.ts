import type { Design, DesignNode } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Change, Probe, Step, StepContext } from '../contract.ts';
import { ignitionLife } from '../shared/installer/ignition-life.ts';
import { type BootView, watchBoot } from '../shared/machines/boot-watch.ts';
import { exposures, toggleIgnition } from '../shared/machines/exposure.ts';
import { IGNITION_OF } from '../shared/machines/ignition-subject.ts';
import { isInstalled, notePowerOn, stillOff } from '../shared/machines/later-nodes.ts';
import { isServerRunning, serve } from '../shared/machines/serving.ts';
import { assertReady, installAnew, joiningMachines, probeJoining } from './joining.ts';

const words = () => catalogue().steps.boot;

/**
 * The machines of this step: bootstrap and control plane. The others follow when the bootstrap is done: while it runs
 * it approves every request it sees, and nobody would check theirs. When the cluster runs, they are the machines of the
 * nodes that have not joined it yet; bootstrap and control plane are never switched on again.
 */
export const bootStep: Step<BootView> = {
  id: 'boot',
  lookEvery: 3 * SECOND,
  patience: 30 * MINUTE,
  probe,
  async plan(context) {
    const all = isInstalled(context) ? await joiningMachines(context) : firstMachines(context.design);
    const machines = stillOff(context, all);
    return {
      changes: powerChanges(context.design, machines),
      isDangerous: false,
      instructions: powerInstructions(context, machines),
    };
  },
  async apply(context, report) {
    if (isInstalled(context)) report(await assertReady(context));
    const machines = isInstalled(context) ? await joiningMachines(context) : firstMachines(context.design);
    await serve(context, report);
    await powerOn(context, machines, report);
    // Screens show it all the time.
    for (const { line } of await exposures(context)) report(line);
  },
  async applyOne(context, subject, report) {
    if (subject.startsWith(IGNITION_OF)) await toggleIgnition(context, [subject.slice(IGNITION_OF.length)], report);
    else await installAnew(context, subject, report);
  },
  verify: probe,
};

/** Bootstrap first, then all of the control plane promptly: each waits for the one before. */
export function firstMachines(design: Design): DesignNode[] {
  return nodesWithRole(design, 'bootstrap').concat(nodesWithRole(design, 'control-plane'));
}

/** Powering on these machines, as changes of a plan. */
export function powerChanges({ services }: Design, machines: readonly DesignNode[]): Change[] {
  const what = words().poweredOn[services.boot.kind];
  return machines.map(({ name }) => ({ object: name, what, before: null, after: null }));
}

/** What a person does to power them on; empty where we do it from here. */
export function powerInstructions(context: StepContext, machines: readonly DesignNode[]): string[] {
  if (!context.hands.isPerson || machines.length === 0) return [];
  const names = machines.map(({ name }) => name).join(', ');
  return [context.design.services.boot.kind === 'iso' ? words().byIso(names) : words().byHand(names)];
}

/** Powers on the machines that are still off, one after the other, and notes when. */
export async function powerOn(
  context: StepContext,
  machines: readonly DesignNode[],
  report: (line: string) => void,
): Promise<void> {
  for (const { name } of stillOff(context, machines)) {
    context.signal.throwIfAborted();
    report(words().powerOn(name));
    await context.hands.powerOn(name);
    notePowerOn(context, name);
  }
}

async function probe(context: StepContext): Promise<Probe<BootView>> {
  if (isInstalled(context)) return await probeJoining(context);
  const machines = firstMachines(context.design);
  const { view, findings, server, there } = await watchBoot(context, machines);
  if (there === machines.length)
    return { state: 'done', summary: words().allThere(machines.length), view, findings: [] };
  const off = view.nodes.filter(({ poweredOnAt, stage }) => poweredOnAt === null && stage === 'off');
  const remark = await ignitionLife(context);
  if (off.length > 0) return { state: 'needed', summary: words().needed(off.length), remark, view, findings: server };
  if (!(await isServerRunning(context)))
    return { state: 'needed', summary: words().serverGone, remark, view, findings: server };
  return { state: 'waiting', summary: words().waiting(there, machines.length), remark, view, findings };
}
