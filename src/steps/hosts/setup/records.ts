import { sanitizeLine } from '../../../platform/sanitize.ts';
import { redact } from '../../../platform/secrets.ts';

/** A change that a run of `install.sh` would make on a host. */
export interface HostChange {
  readonly kind: 'package' | 'file' | 'service' | 'firewall' | 'selinux';
  /** The package, the path, the command, the rule. */
  readonly what: string;
  /**
   * Of a file: new; other than generated; or edited there since it was put in place. For an undo: restored, removed.
   * Null for other kinds.
   */
  readonly how: 'new' | 'changed' | 'edited' | 'restore' | 'remove' | null;
  /** Lines of a unified diff of a file; none if only root may read it. */
  readonly diff: readonly string[];
}

/** Differences between a host and the files that were generated for it. */
export interface HostPlan {
  readonly changes: readonly HostChange[];
  /** The services that it should run. */
  readonly units: readonly { readonly name: string; readonly isActive: boolean }[];
  /** Files were put in place here before, and can be undone. */
  readonly isInstalled: boolean;
  /** The last run was neither confirmed nor reverted. */
  readonly isUnconfirmed: boolean;
  /** Packages that an undo leaves there. */
  readonly remainingPackages: readonly string[];
}

/** State of the last run on a host. */
export interface RunStatus {
  /** Null: none since the host booted. */
  readonly id: string | null;
  readonly action: 'install' | 'undo';
  readonly isRunning: boolean;
  /** Null while it runs, and when it was killed. */
  readonly exitCode: number | null;
  /** `open`: it reverts unless it is confirmed. Null: it failed and reverted itself, or was an undo. */
  readonly outcome: 'open' | 'confirmed' | 'reverted' | 'revert-failed' | null;
  /** Until it reverts; null where it does not, and while it runs. */
  readonly secondsLeft: number | null;
  /** The host was rebooted while the run was open; it reverts the run, or has reverted it, for that reason. */
  readonly wasRestarted: boolean;
}

/** Parses the records of `install.sh --plan` and `--undo-plan`; the output of a host is not trusted. */
export function parseHostPlan(lines: readonly string[]): HostPlan {
  const changes: HostChange[] = [];
  const diffs = new Map<HostChange, string[]>();
  const units: { name: string; isActive: boolean }[] = [];
  const remainingPackages: string[] = [];
  const flags = new Set<string>();
  for (const line of lines) {
    const [verb = '', ...rest] = line.split('\t');
    const [what = '', how = ''] = rest.map((field) => sanitizeLine(redact(field), 500));
    if (verb === 'diff') {
      const last = changes.at(-1);
      if (last !== undefined) diffs.get(last)?.push(sanitizeLine(redact(rest.join('\t')), 500));
    } else if (verb === 'unit') units.push({ name: what, isActive: how === 'active' });
    else if (verb === 'stays') remainingPackages.push(what);
    else if (verb === 'install') for (const name of what.split(' ')) changes.push(createChange('package', name));
    else if (Object.hasOwn(RECORD_KINDS, verb)) {
      const diff: string[] = [];
      const change = {
        ...createChange(RECORD_KINDS[verb as keyof typeof RECORD_KINDS], what),
        how: parseMode(how),
        diff,
      };
      changes.push(change);
      diffs.set(change, diff);
    } else flags.add(verb);
  }
  const isInstalled = flags.has('installed');
  return { changes, units, isInstalled, isUnconfirmed: flags.has('unsettled'), remainingPackages };
}

const RECORD_KINDS = {
  place: 'file',
  back: 'file',
  run: 'service',
  open: 'firewall',
  close: 'firewall',
  set: 'selinux',
  unset: 'selinux',
} as const;

const CHANGE_MODES = ['new', 'changed', 'edited', 'restore', 'remove'] as const;

function parseMode(text: string): HostChange['how'] {
  return CHANGE_MODES.find((how) => how === text) ?? null;
}

function createChange(kind: HostChange['kind'], what: string): HostChange {
  return { kind, what, how: null, diff: [] };
}

const OUTCOMES = ['open', 'confirmed', 'reverted', 'revert-failed'] as const;

/** Parses the record of `host-run.sh status`. */
export function parseRunStatus(lines: readonly string[]): RunStatus {
  const [, id = '', action = '', running = '', exit = '', outcome = '', secondsText = '', restarted = ''] =
    lines.find((line) => line.startsWith('status\t'))?.split('\t') ?? [];
  return {
    id: /^[\d-]+$/.test(id) ? id : null,
    action: action === 'undo' ? 'undo' : 'install',
    isRunning: running === 'yes',
    exitCode: parseInteger(exit),
    outcome: OUTCOMES.find((one) => one === outcome) ?? null,
    secondsLeft: parseInteger(secondsText),
    wasRestarted: restarted === 'yes',
  };
}

function parseInteger(text: string): number | null {
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
