import { isIPv4 } from 'node:net';
import type { Design, DesignNode } from '../../../design/model.ts';
import { createMinimumLookup } from '../../../design/rules/nodes.ts';
import { isVersionAtLeast } from '../../../design/versions.ts';
import type { BootRequest } from '../../../host/boot-server/boot-log.ts';
import {
  describeProblem,
  isReportRequest,
  judgeMachine,
  type MachinePlan,
  type MachineProblem,
  type MachineReport,
  parseMachineReport,
} from '../../../host/boot-server/machine-report.ts';
import { catalogue } from '../../../i18n/catalogue.ts';

const MIB_PER_GIB = 1024;

/**
 * Lists what the design requires of each machine. RHCOS is built for x86-64-v2 since it is RHEL 9 (4.13), and for
 * x86-64-v3 as RHEL 10 (5.0). Memory: the documented minimum, or less where less is planned.
 */
export function listMachinePlans(design: Design): MachinePlan[] {
  const { version, architecture } = design.openshift;
  const level = isVersionAtLeast(version, '5.0') ? 'v3' : isVersionAtLeast(version, '4.13') ? 'v2' : 'v1';
  const getMinimum = createMinimumLookup(design);
  // Another DHCP server may give iPXE any address, as the arguments of the kernel may hold the planned one.
  const hasOwnDhcp = design.services.dhcp.kind !== 'none';
  return design.nodes.map(({ name, role, mac, memoryGiB, firmware, ip }) => ({
    name,
    mac,
    cpu: architecture === 'x86_64' ? level : null,
    memoryMiB: Math.min(getMinimum(role)[1], memoryGiB) * MIB_PER_GIB,
    firmware,
    addresses: hasOwnDhcp ? ip.filter((address) => isIPv4(address)) : [],
  }));
}

/** The last report of a machine, compared with the design. */
interface JudgedMachine {
  readonly report: MachineReport;
  /** ms of the clock. */
  readonly at: number;
  readonly problems: readonly MachineProblem[];
  /** The boot server stopped it: it has requested nothing else since. */
  readonly isStopped: boolean;
  /** The reason, given at its console, to install it all the same. */
  readonly override: string | null;
}

/**
 * Judges the last report of a machine.
 * @param requests all requests, oldest first
 * @param own those of the machine's address
 * @param since ms of the clock; an earlier report belongs to an earlier installation
 */
export function judgeLastReport(
  node: DesignNode,
  plans: readonly MachinePlan[],
  requests: readonly BootRequest[],
  own: readonly BootRequest[],
  since: number,
): JudgedMachine | null {
  const reports = requests.flatMap(({ path, at, status }) => {
    const report = at < since ? null : parseMachineReport(path);
    return report?.mac === node.mac ? [{ report, at, isAnswered: status === 200 }] : [];
  });
  const last = reports.at(-1);
  if (last === undefined) return null;
  const { report, at, isAnswered } = last;
  const override =
    reports.findLast((each) => each.isAnswered && each.report.override !== null)?.report.override ?? null;
  const plan = plans.find(({ mac }) => mac === node.mac) ?? null;
  const problems = judgeMachine(report, plan, plans, at);
  const hasGoneOn = own.some((request) => request.at > at && !isReportRequest(request.path));
  return {
    report,
    at,
    problems,
    isStopped: isAnswered && problems.length > 0 && override === null && !hasGoneOn,
    override,
  };
}

/** Describes the values that iPXE could read, how they differ from the design, and the reason to install all the same. */
export function describeMachine({ report, problems, override }: JudgedMachine): string[] {
  const { cpu, memoryMiB, firmware } = report;
  const { reported, cpuLevel, memory, differs, overridden } = catalogue().steps.boot.machine;
  const values = [
    ...(cpu === null ? [] : [cpuLevel(cpu)]),
    ...(memoryMiB === null ? [] : [memory(memoryMiB)]),
    ...(firmware === null ? [] : [firmware === 'uefi' ? 'UEFI' : 'BIOS']),
  ];
  return [
    ...(values.length === 0 ? [] : [reported(values)]),
    ...(problems.length === 0 ? [] : [differs(problems.map(describeProblem))]),
    ...(override === null ? [] : [overridden(override)]),
  ];
}
