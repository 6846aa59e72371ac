import { redact } from '../../../text/redact.ts';
import { sanitizeLine } from '../../../text/sanitize.ts';

/** What a run of `install.sh` would change on a host. */
export interface HostChange {
  readonly kind: 'package' | 'file' | 'service' | 'firewall' | 'selinux';
  /** The package, the path, the command, the rule. */
  readonly what: string;
  /**
   * Of a file: new; other than generated; or changed there by a person since it was put in place. When it is undone: put back,
   * removed. Null for the rest.
   */
  readonly how: 'new' | 'changed' | 'edited' | 'restore' | 'remove' | null;
  /** Lines of a unified diff of a file; none where only root may read it. */
  readonly diff: readonly string[];
}

/** How a host compares with the files that were generated for it. */
export interface HostPlan {
  readonly changes: readonly HostChange[];
  /** The services that it should run. */
  readonly units: readonly { readonly name: string; readonly isActive: boolean }[];
  /** Something was put in place here before, and can be undone. */
  readonly isInstalled: boolean;
  /** The last run was neither confirmed nor reverted. */
  readonly isUnsettled: boolean;
  /** Packages that an undo leaves there. */
  readonly packagesThatStay: readonly string[];
}

/** How the last run on a host stands. */
export interface RunStatus {
  /** Null: none since the host started. */
  readonly id: string | null;
  readonly action: 'install' | 'undo';
  readonly isRunning: boolean;
  /** Null while it runs, and when it was killed. */
  readonly exitCode: number | null;
  /** `open`: it reverts unless it is confirmed. Null: it failed and took itself back, or was an undo. */
  readonly outcome: 'open' | 'confirmed' | 'reverted' | 'revert-failed' | null;
  /** Until it reverts; null where it does not, and while it runs. */
  readonly secondsLeft: number | null;
  /** The host was started again while the run was open, and takes or took it back for that. */
  readonly wasRestarted: boolean;
}

/** The records of `install.sh --plan` and `--undo-plan`; what a host says is not trusted. */
export function parsePlan(lines: readonly string[]): HostPlan {
  const changes: HostChange[] = [];
  const diffs = new Map<HostChange, string[]>();
  const units: { name: string; isActive: boolean }[] = [];
  const packagesThatStay: string[] = [];
  const flags = new Set<string>();
  for (const line of lines) {
    const [verb = '', ...rest] = line.split('\t');
    const [what = '', how = ''] = rest.map((field) => sanitizeLine(redact(field), 500));
    if (verb === 'diff') {
      const of = changes.at(-1);
      if (of !== undefined) diffs.get(of)?.push(sanitizeLine(redact(rest.join('\t')), 500));
    } else if (verb === 'unit') units.push({ name: what, isActive: how === 'active' });
    else if (verb === 'stays') packagesThatStay.push(what);
    else if (verb === 'install') for (const name of what.split(' ')) changes.push(changeOf('package', name));
    else if (Object.hasOwn(KINDS, verb)) {
      const diff: string[] = [];
      const change = { ...changeOf(KINDS[verb as keyof typeof KINDS], what), how: howOf(how), diff };
      changes.push(change);
      diffs.set(change, diff);
    } else flags.add(verb);
  }
  const isInstalled = flags.has('installed');
  return { changes, units, isInstalled, isUnsettled: flags.has('unsettled'), packagesThatStay };
}

const KINDS = {
  place: 'file',
  back: 'file',
  run: 'service',
  open: 'firewall',
  close: 'firewall',
  set: 'selinux',
  unset: 'selinux',
} as const;

const HOWS = ['new', 'changed', 'edited', 'restore', 'remove'] as const;

function howOf(text: string): HostChange['how'] {
  return HOWS.find((how) => how === text) ?? null;
}

function changeOf(kind: HostChange['kind'], what: string): HostChange {
  return { kind, what, how: null, diff: [] };
}

const OUTCOMES = ['open', 'confirmed', 'reverted', 'revert-failed'] as const;

/** The record of `host-run.sh status`. */
export function parseStatus(lines: readonly string[]): RunStatus {
  const [, id = '', action = '', running = '', exit = '', outcome = '', left = '', restarted = ''] =
    lines.find((line) => line.startsWith('status\t'))?.split('\t') ?? [];
  return {
    id: /^[\d-]+$/.test(id) ? id : null,
    action: action === 'undo' ? 'undo' : 'install',
    isRunning: running === 'yes',
    exitCode: numberOf(exit),
    outcome: OUTCOMES.find((one) => one === outcome) ?? null,
    secondsLeft: numberOf(left),
    wasRestarted: restarted === 'yes',
  };
}

function numberOf(text: string): number | null {
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
