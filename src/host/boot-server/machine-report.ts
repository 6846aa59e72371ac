import { catalogue } from '../../i18n/catalogue.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import * as z from '../../platform/zod.ts';

/** Path of the request in which iPXE reports what it has read of a machine. */
const REPORT_PATH = '/machine';

/** Path of the script with the network tests of a machine, and of their results. */
const NETWORK_TESTS_PATH = '/questions';
/** Query of a network test that reads only the beginning of a file; the request does not count as a fetch. */
export const FILE_START_QUERY = '?head';

/**
 * Whether a request is only a report or a network test. Such a request shows no progress. A web server that does not
 * know such requests answers with an error, and has not refused a file.
 */
export function isReportOrTestRequest(path: string): boolean {
  return path.startsWith(`${REPORT_PATH}?`) || path.startsWith(`${NETWORK_TESTS_PATH}?`) || isFileStartRequest(path);
}

/** Whether a request is for the beginning of a file only. */
export function isFileStartRequest(target: string): boolean {
  return target.endsWith(FILE_START_QUERY);
}

/** Parses the MAC of the machine that requests its network tests; null for another request. */
export function parseNetworkTestRequest(target: string): string | null {
  const query = parseQuery(target, NETWORK_TESTS_PATH);
  return query === null || query.has('id') ? null : parseMac(query.get('mac'));
}

/** The result of a network test. `code`: `ok`, or the error number of iPXE in hexadecimal; empty: none was sent. */
interface NetworkTestResult {
  readonly mac: string;
  readonly id: string;
  readonly code: string;
}

/** Parses the result of a network test in a request target; null for another request. */
export function parseNetworkTestResult(target: string): NetworkTestResult | null {
  const query = parseQuery(target, NETWORK_TESTS_PATH);
  const [mac, id, code] = [parseMac(query?.get('mac')), query?.get('id') ?? '', query?.get('answer') ?? ''];
  const isValid = /^[a-z-]{1,20}$/.test(id) && /^(?:ok|0x[0-9a-f]{1,8}|)$/i.test(code);
  return mac !== null && isValid ? { mac, id, code: code.toLowerCase() } : null;
}

/** Time that iPXE waits for the response in one network test. */
const NETWORK_TEST_TIMEOUT_MS = 10 * SECOND;

/** Renders the script that runs each network test and reports its result. URLs with special characters are left out. */
export function renderNetworkTests({ mac, questions }: MachinePlan): string {
  const macParameter = `mac=${mac.replaceAll(':', '-')}`;
  const isSafe = ({ url }: MachinePlan['questions'][number]) => /^https?:[A-Za-z0-9.:/?=_~+%[\]-]+$/.test(url);
  return [
    '#!ipxe',
    ...questions
      .filter(isSafe)
      .flatMap(({ id, url }) => [
        `imgfetch --timeout ${NETWORK_TEST_TIMEOUT_MS} --name answer ${url} && set answer ok || set answer \${errno}`,
        'imgfree answer ||',
        `imgfetch --name answer \${base}${NETWORK_TESTS_PATH}?${macParameter}&id=${id}&answer=\${answer} ||`,
        'imgfree answer ||',
      ]),
    '',
  ].join('\n');
}

/** Levels of x86-64 (System V ABI, "x86-64 psABI"); `none` is a 32-bit processor. */
const CPU_LEVELS = ['none', 'v1', 'v2', 'v3'] as const;
type CpuLevel = (typeof CPU_LEVELS)[number];

/** Requirements of the design for a machine, and the network tests that it runs. */
export const machinePlanSchema = z.strictObject({
  name: z.string(),
  /** With colons, in lower case. */
  mac: z.string(),
  /** Null: not known for this architecture. */
  cpu: z.enum(CPU_LEVELS).nullable(),
  memoryMiB: z.number(),
  firmware: z.enum(['uefi', 'bios']),
  /** Addresses of which DHCP assigns one to the machine; empty: any address is accepted. */
  addresses: z.array(z.string()),
  /** Addresses of the machine as the socket reports them. */
  clients: z.array(z.string()),
  questions: z.array(z.strictObject({ id: z.string(), url: z.string() })),
});
export type MachinePlan = z.infer<typeof machinePlanSchema>;
export type MachineRequirements = Omit<MachinePlan, 'clients' | 'questions'>;

/** Values that iPXE has read from a machine. A value is null if this build of iPXE cannot read it. */
export interface MachineReport {
  /** MAC of the interface that it boots from, with colons, in lower case. */
  readonly mac: string;
  readonly cpu: CpuLevel | null;
  readonly memoryMiB: number | null;
  readonly firmware: 'uefi' | 'bios' | null;
  /** The time of the machine's clock, in milliseconds since the epoch. */
  readonly time: number | null;
  readonly address: string | null;
  /** MACs of its first interfaces. */
  readonly macs: readonly string[];
  /** The reason that the user gave at its console to install it anyway. */
  readonly override: string | null;
}

/** Maximum length of a request target that is parsed, in characters. */
const MAX_TARGET_LENGTH = 1500;
/** Maximum number of memory modules that are counted: a server with more has enough memory. */
const MAX_MEMORY_MODULES = 48;

/** Parses the report in a request target; null for another request. A malformed value counts as not read. */
export function parseMachineReport(target: string): MachineReport | null {
  const query = parseQuery(target, REPORT_PATH);
  const mac = parseMac(query?.get('mac'));
  if (!query || mac === null) return null;
  const platform = query.get('platform');
  const time = parseNumber(query.get('time'));
  return {
    mac,
    cpu: CPU_LEVELS.find((level) => level === query.get('cpu')) ?? null,
    memoryMiB: parseMemoryMiB(query.get('memory') ?? ''),
    firmware: platform === 'efi' ? 'uefi' : platform === 'pcbios' ? 'bios' : null,
    time: time === null ? null : time * SECOND,
    address: parseAddress(query.get('ip')),
    macs: (query.get('macs') ?? '').split(',').flatMap((macText) => parseMac(macText) ?? []),
    override: parseReason(query.get('why')),
  };
}

/** Parses the query of a request target of this path; null: another path, or too long. */
function parseQuery(target: string, path: string): URLSearchParams | null {
  const [requestPath, query] = target.replace(/^http:\/\/[^/]*/i, '').split('?', 2);
  return requestPath === path && query !== undefined && target.length <= MAX_TARGET_LENGTH
    ? new URLSearchParams(query)
    : null;
}

function parseMac(text: string | null | undefined): string | null {
  const mac = (text ?? '').toLowerCase().replaceAll('-', ':');
  return /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/.test(mac) ? mac : null;
}

/**
 * Sums the sizes of memory modules, in MiB: `SIZE.EXTENDED,…`, each as its bytes in hexadecimal (DMTF DSP0134, type
 * 17). Null: none is known.
 */
function parseMemoryMiB(text: string): number | null {
  const modules = text.split(',', MAX_MEMORY_MODULES).flatMap((module) => {
    const [, size = '', extended = ''] = /^([0-9a-f]{4})\.([0-9a-f]{8})?$/i.exec(module) ?? [];
    return size === '' ? [] : [decodeModuleMiB(parseLittleEndian(size), parseLittleEndian(extended))];
  });
  // One module of unknown size makes the sum too small.
  if (modules.includes(null)) return null;
  return modules.reduce<number>((sum, size) => sum + (size ?? 0), 0) || null;
}

/** Decodes the size of one module, in MiB; null if it is unknown. An empty slot has 0. */
function decodeModuleMiB(size: number, extended: number): number | null {
  if (size === 0xffff) return null;
  if (size === 0x7fff) return extended === 0 ? null : extended % 0x8000_0000;
  return size >= 0x8000 ? (size - 0x8000) / 1024 : size;
}

function parseLittleEndian(hex: string): number {
  return Buffer.from(hex, 'hex')
    .reverse()
    .reduce((value, byte) => value * 256 + byte, 0);
}

/** Parses a number of iPXE: signed ones are decimal, unsigned ones hexadecimal with 0x. Null for anything else. */
function parseNumber(text: string | null): number | null {
  return text !== null && /^(?:\d{1,12}|0x[0-9a-f]{1,10})$/i.test(text) ? Number(text) : null;
}

function parseAddress(text: string | null): string | null {
  return text !== null && /^[0-9a-f.:]{2,45}$/i.test(text) ? text.toLowerCase() : null;
}

function parseReason(text: string | null): string | null {
  const reason = sanitizeLine((text ?? '').slice(0, 200)).trim();
  return reason === '' ? null : reason;
}

/** Why a machine cannot become its node, with the values for the message. */
export type MachineProblem =
  | { readonly kind: 'cpu'; readonly found: CpuLevel; readonly needed: CpuLevel }
  | { readonly kind: 'memory'; readonly foundMiB: number; readonly neededMiB: number }
  /** The machine boots with BIOS, and UEFI is planned. */
  | { readonly kind: 'firmware' }
  /** `errorMs`: how far its clock is ahead; negative: behind. */
  | { readonly kind: 'clock'; readonly errorMs: number }
  | { readonly kind: 'address'; readonly found: string; readonly planned: readonly string[] }
  /** Another interface of the machine has the MAC of `node`. */
  | { readonly kind: 'other-node'; readonly mac: string; readonly node: string };

/**
 * Ignition fetches over TLS before chrony has corrected the clock: a certificate that is not valid yet stops it. A
 * clock that is ahead, as one in local time, is corrected before anything expires.
 */
const MAX_CLOCK_BEHIND_MS = 30 * MINUTE;
const MAX_CLOCK_AHEAD_MS = 12 * HOUR;
/** Part of the memory that may be missing: firmware and graphics keep some, and sizes are rounded. */
const MEMORY_TOLERANCE = 1 / 16;

/**
 * Evaluates the report of a machine. What iPXE could not read is no problem.
 * @param plan null: the machine is not in the design
 * @param receivedAt when the report arrived, ms
 */
export function checkMachineReport(
  report: MachineReport,
  plan: MachineRequirements | null,
  plans: readonly MachineRequirements[],
  receivedAt: number,
): MachineProblem[] {
  const otherPlans = plans.filter(({ mac }) => mac !== report.mac && report.macs.includes(mac));
  const otherNodeProblems = otherPlans.map(({ mac, name }) => ({ kind: 'other-node', mac, node: name }) as const);
  if (plan === null) return otherNodeProblems;
  const { cpu, memoryMiB, firmware, time, address } = report;
  const clockErrorMs = time === null ? 0 : time - receivedAt;
  return [
    ...(cpu !== null && plan.cpu !== null && CPU_LEVELS.indexOf(cpu) < CPU_LEVELS.indexOf(plan.cpu)
      ? [{ kind: 'cpu', found: cpu, needed: plan.cpu } as const]
      : []),
    ...(memoryMiB !== null && memoryMiB < plan.memoryMiB * (1 - MEMORY_TOLERANCE)
      ? [{ kind: 'memory', foundMiB: memoryMiB, neededMiB: plan.memoryMiB } as const]
      : []),
    ...(firmware === 'bios' && plan.firmware === 'uefi' ? [{ kind: 'firmware' } as const] : []),
    ...(clockErrorMs < -MAX_CLOCK_BEHIND_MS || clockErrorMs > MAX_CLOCK_AHEAD_MS
      ? [{ kind: 'clock', errorMs: clockErrorMs } as const]
      : []),
    ...(address !== null && plan.addresses.length > 0 && !plan.addresses.includes(address)
      ? [{ kind: 'address', found: address, planned: plan.addresses } as const]
      : []),
    ...otherNodeProblems,
  ];
}

/** Describes a problem in one line, for screens and for the console of the machine. */
export function describeMachineProblem(problem: MachineProblem): string {
  const words = catalogue().bastion.machineProblem;
  switch (problem.kind) {
    case 'cpu':
      return words.cpu(problem.found, problem.needed);
    case 'memory':
      return words.memory(problem.foundMiB, problem.neededMiB);
    case 'firmware':
      return words.firmware;
    case 'clock':
      return words.clock(problem.errorMs);
    case 'address':
      return words.address(problem.found, problem.planned.join(', '));
    case 'other-node':
      return words['other-node'](problem.mac, problem.node);
  }
}
