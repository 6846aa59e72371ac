import type { Finding } from '../checks/check.ts';
import { ETCD_ROLES } from '../design/choices.ts';
import { listNodesWithRole } from '../design/derived-facts.ts';
import type { Design, DesignNode } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { assertCanPowerOn, listJoiningMachines, probeNodeJoin, toggleReinstalled } from './boot/node-join.ts';
import type { PlannedChange, Probe, Step, StepContext } from './contract.ts';
import { describeIgnitionLifetime } from './shared/installer/images.ts';
import {
  type BootView,
  deriveBootProgress,
  getBootMethod,
  isMachineLate,
  probeBoot,
} from './shared/machines/boot-progress.ts';
import { isServerRunning, startBootServerJob } from './shared/machines/boot-server-job.ts';
import { applyReplacement, findReplacement, planReplacement } from './shared/machines/member-replacement.ts';
import {
  allowIgnition,
  getReinstalledAt,
  isIgnitionDenied,
  isInstallationOver,
  listMachinesNotPoweredOn,
  recordPowerOn,
} from './shared/machines/node-facts.ts';
import { listServedIgnitionFiles, toggleIgnitionAccess } from './shared/machines/served-ignition.ts';
import { requireTarget } from './step-action.ts';

const words = () => catalogue().steps.boot;

/**
 * Boots the bootstrap and control plane machines. Compute machines follow when the bootstrap is complete: while
 * the bootstrap node runs, it approves every CSR without a check. Once the cluster runs, this step boots the machines
 * of the nodes that have not joined yet; bootstrap and control plane machines are never switched on again.
 */
export const bootStep: Step<BootView> = {
  id: 'boot',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 30 * MINUTE,
  probe,
  async plan(context) {
    const replacement = isInstallationOver(context) ? await findReplacement(context) : null;
    if (replacement !== null) return planReplacement(context, replacement);
    const candidates = isInstallationOver(context)
      ? await listJoiningMachines(context)
      : listInitialMachines(context.design);
    const machines = listMachinesNotPoweredOn(context, candidates);
    return {
      changes: listPowerChanges(context.design, machines),
      isDangerous: false,
      instructions: listPowerInstructions(context, machines),
      ...((await isServerRunning(context))
        ? {}
        : { enter: words().enterWithoutServer(machines.length, context.manualActions.canPowerOn) }),
    };
  },
  async apply(context, report) {
    const replacement = isInstallationOver(context) ? await findReplacement(context) : null;
    if (replacement !== null) return await applyReplacement(context, replacement, report);
    if (isInstallationOver(context)) report(await assertCanPowerOn(context));
    const machines = isInstallationOver(context)
      ? await listJoiningMachines(context)
      : listInitialMachines(context.design);
    // Ignition was denied to every node for the network test: allow it, so that the machines install.
    const names = context.design.nodes.map(({ name }) => name);
    if (names.every((name) => isIgnitionDenied(context, name))) allowIgnition(context, names);
    await startBootServerJob(context, report);
    await powerOn(context, machines, report);
    // The full-screen front end always shows these lines; the plain front end prints them only here.
    for (const { line } of await listServedIgnitionFiles(context)) report(line);
  },
  async applyOne(context, target, report) {
    if (target.kind === 'network-test') await toggleNetworkTest(context, report);
    else if (target.kind === 'ignition') await toggleIgnitionAccess(context, [target.node], report);
    else await toggleReinstalled(context, requireTarget(target, 'machine').name, report);
  },
  verify: probe,
};

/**
 * Toggles the network test and starts the boot server. While ignition files are withheld, machines that the user powers
 * on only test DNS names and files, and report the results. The same action again, or powering the machines on in this
 * step, serves the files again.
 */
async function toggleNetworkTest(context: StepContext, report: (line: string) => void): Promise<void> {
  await toggleIgnitionAccess(
    context,
    context.design.nodes.map(({ name }) => name),
    report,
  );
  await startBootServerJob(context, report);
}

/**
 * Returns the machines in the order of power-on: the bootstrap, then control plane and arbiters, which boot from its
 * configuration.
 */
export function listInitialMachines(design: Design): DesignNode[] {
  return listNodesWithRole(design, 'bootstrap').concat(listNodesWithRole(design, ...ETCD_ROLES));
}

/** Returns the power-on of these machines as changes of a plan. */
export function listPowerChanges({ services }: Design, machines: readonly DesignNode[]): PlannedChange[] {
  const what = words().poweredOn[services.boot.kind];
  return machines.map(({ name }) => ({ object: name, what, before: null, after: null }));
}

/** Returns the user's instructions to power machines on; empty if the wizard powers them on. */
export function listPowerInstructions(context: StepContext, machines: readonly DesignNode[]): string[] {
  if (context.manualActions.canPowerOn || machines.length === 0) return [];
  const names = machines.map(({ name }) => name).join(', ');
  return [context.design.services.boot.kind === 'iso' ? words().powerOnFromIso(names) : words().powerOnByHand(names)];
}

/** Powers on the machines that are still off, one after the other, and records the times. */
export async function powerOn(
  context: StepContext,
  machines: readonly DesignNode[],
  report: (line: string) => void,
): Promise<void> {
  for (const { name } of listMachinesNotPoweredOn(context, machines)) {
    context.signal.throwIfAborted();
    report(words().powerOn(name));
    // A machine that still runs with the ignition file of before has to boot from the network again.
    if (getReinstalledAt(context, name) !== null) await context.manualActions.powerOff(name);
    await context.manualActions.powerOn(name);
    recordPowerOn(context, name);
  }
}

/** Maximum number of findings about DHCP and TFTP: one fault fails the checks of every machine. */
const MAX_SERVICE_FINDINGS = 2;

/** Lists the failures of DHCP and TFTP that Hosts observed last: machines that are powered on now would not boot. */
function listBootServiceFailures({ probeCache }: StepContext): readonly Finding[] {
  return [...(probeCache.bootServiceChecks?.results.values() ?? [])].flat().slice(0, MAX_SERVICE_FINDINGS);
}

async function probe(context: StepContext): Promise<Probe<BootView>> {
  // The bootstrap and its removal are over: nodes that join later only request certificates.
  if (isInstallationOver(context)) return { ...(await probeNodeJoin(context)), nextStep: 'certificates' };
  const machines = listInitialMachines(context.design);
  const { view, findings, serverFindings, fetchedCount } = await probeBoot(context, machines);
  const hasPreparedIsos = getBootMethod(context.design) === 'prepared-iso';
  if (fetchedCount === machines.length) {
    const { allInstalled, allFetched } = words();
    const summary = (hasPreparedIsos ? allInstalled : allFetched)(machines.length);
    return { state: 'done', summary, view, findings: [] };
  }
  // During the network test, a machine fetches its script without being powered on for the installation: it counts as
  // off.
  const nodesOff = view.nodes.filter(
    ({ poweredOnAt, stage, isDenied }) =>
      poweredOnAt === null && (stage === 'off' || (isDenied && ['lease', 'script'].includes(stage))),
  );
  const remark = await describeIgnitionLifetime(context);
  const machineFindings = findings.filter(({ code }) => code === 'boot-machine-unfit' || code === 'boot-unreached');
  const progress = deriveBootProgress(context.design, view.nodes);
  const nodesWithoutIgnition = view.nodes.filter(({ stage }) => stage !== 'ignition' && stage !== 'ready');
  const isLate = isMachineLate(nodesWithoutIgnition);
  const commonFields = { remark, progress, isLate, view };
  if (nodesOff.length > 0) {
    const summary = words().needed(nodesOff.length);
    const allFindings = [...serverFindings, ...machineFindings, ...listBootServiceFailures(context)];
    return { ...commonFields, state: 'needed', summary, findings: allFindings };
  }
  if (!(await isServerRunning(context)))
    return { ...commonFields, state: 'needed', summary: words().serverStopped, findings: serverFindings };
  const { installing, waiting } = words();
  const summary = (hasPreparedIsos ? installing : waiting)(fetchedCount, machines.length);
  // A machine that boots from an ISO may send no request at all: its finding does not say that it stands still.
  const isStuck =
    context.design.services.boot.kind === 'ipxe' &&
    nodesWithoutIgnition.every(({ name }) => findings.some(({ subject }) => subject === name));
  return { ...commonFields, state: 'waiting', summary, isStuck, findings };
}
