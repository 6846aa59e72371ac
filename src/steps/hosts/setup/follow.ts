import { type RunnerHost, runOnHost } from '../../../host/host-run.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { MINUTE, SECOND, startWaitTimer } from '../../../platform/clock.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';
import { redact } from '../../../platform/secrets.ts';
import type { StepContext } from '../../contract.ts';

const words = () => catalogue().hosts.progress;

/** Phases of install.sh, in their order. */
const RUN_STAGES = ['packages', 'files', 'checks', 'firewall', 'services', 'revert'] as const;
type RunStage = (typeof RUN_STAGES)[number];

/**
 * The end of a run on a host. `same`: nothing had to change. `lost`: the host was rebooted meanwhile, or knows of no
 * run.
 */
export type RunEnd =
  | { readonly kind: 'same' | 'confirmed' | 'undone' | 'lost' }
  /** The run failed, and the host reverted its changes. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The changes stay, since they cut nothing off, although a check fails. */
  | { readonly kind: 'unproven'; readonly reason: string }
  /** The run was not confirmed. `isRestored`: the host was probed again, and is as it was. */
  | { readonly kind: 'reverted'; readonly isRestored: boolean; readonly reason: string }
  /** The host could not revert the changes. */
  | { readonly kind: 'stuck'; readonly reason: string };

/** An event on a host while its `install.sh` runs there. */
export type HostEvent =
  | {
      readonly type: 'began';
      readonly action: 'install' | 'undo';
      readonly isContinued: boolean;
      readonly revertAfterSeconds: number;
    }
  | { readonly type: 'stage'; readonly stage: RunStage }
  | { readonly type: 'line'; readonly line: string }
  /** The connection to the host is lost; the run continues there. */
  | { readonly type: 'connection-lost'; readonly reason: string }
  | { readonly type: 'connection-restored' }
  /** Still no connection, and the time has passed after which the host reverts the run. */
  | { readonly type: 'revert-due'; readonly lostSeconds: number }
  | { readonly type: 'checking'; readonly failedChecks: readonly string[]; readonly secondsLeft: number | null }
  | { readonly type: 'ended'; readonly end: RunEnd };

/** Formats an event as one line. */
export function formatHostEvent(event: HostEvent): string {
  switch (event.type) {
    case 'began':
      return event.isContinued ? words().found : words().start[event.action](event.revertAfterSeconds);
    case 'stage':
      return words().stages[event.stage];
    case 'line':
      return `  ${event.line}`;
    case 'connection-lost':
      return words().connectionLost(event.reason);
    case 'connection-restored':
      return words().connectionRestored;
    case 'revert-due':
      return words().revertDue(event.lostSeconds, MAX_OUTAGE / MINUTE);
    case 'checking':
      return event.failedChecks.length === 0
        ? words().checksPassed
        : words().checksFailing(event.failedChecks[0] ?? '', event.failedChecks.length, event.secondsLeft);
    case 'ended':
      return formatRunEnd(event.end);
  }
}

/** Formats an end as one line. */
export function formatRunEnd(end: RunEnd): string {
  switch (end.kind) {
    case 'failed':
      return words().failed(end.reason);
    case 'reverted':
      return end.isRestored ? words().reverted(end.reason) : words().revertedWithDifferences(end.reason);
    case 'unproven':
      return words().checksFailed(end.reason);
    case 'stuck':
      return words().revertFailed(end.reason);
    default:
      return words().ends[end.kind];
  }
}

/** Interval of the attempts to connect again. */
const RETRY_INTERVAL = 2 * SECOND;
/** Time after which a lost host is given up: longer than a reboot takes. */
const MAX_OUTAGE = 10 * MINUTE;
const MIN_ATTEMPTS = 10;

/** Time (ms) that a host may take to revert a run, once `revertAfterSeconds` have passed. */
const REVERT_DURATION_MS = 20 * SECOND;

interface RetryContext extends Pick<StepContext, 'clock' | 'signal'> {
  /** Seconds after which the host reverts a run that is not confirmed; 0 or missing: it does not. */
  readonly revertAfterSeconds?: number;
}

/**
 * Repeats a request to a host while the connection to it is lost.
 * @param request calls its argument as soon as the host responds
 * @throws UserErrorException the error of the host if it answers, or the last `ssh-…` if it stays unavailable
 */
export async function retryOverLostConnection<T>(
  { clock, signal, revertAfterSeconds = 0 }: RetryContext,
  onEvent: (event: HostEvent) => void,
  request: (onResponse: () => void) => Promise<T>,
): Promise<T> {
  const wait = startWaitTimer(clock);
  let lostAt: number | null = null;
  let isRevertDue = false;
  const onResponse = () => {
    if (lostAt !== null) onEvent({ type: 'connection-restored' });
    lostAt = null;
    isRevertDue = false;
  };
  for (;;) {
    try {
      const answer = await request(onResponse);
      onResponse();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isConnectionLost(error) || wait.isOverAfterProbe(MAX_OUTAGE, MIN_ATTEMPTS)) throw error;
      if (lostAt === null) onEvent({ type: 'connection-lost', reason: error.userError.cause });
      lostAt ??= clock.now();
      const outage = clock.now() - lostAt;
      if (!isRevertDue && revertAfterSeconds > 0 && outage > revertAfterSeconds * SECOND + REVERT_DURATION_MS) {
        isRevertDue = true;
        onEvent({ type: 'revert-due', lostSeconds: Math.round(outage / SECOND) });
      }
      await clock.sleep(RETRY_INTERVAL, signal);
    }
  }
}

const CONNECTION_ERRORS = new Set(['ssh-unreachable', 'ssh-refused', 'ssh-other']);

function isConnectionLost(error: unknown): error is UserErrorException {
  return error instanceof UserErrorException && CONNECTION_ERRORS.has(error.userError.code);
}

/**
 * Reports the output of a run from its first line until it has ended, also over interrupted connections.
 * @returns the exit code (null: the run was killed), and the last line that was output before the revert
 */
export async function followRun(
  context: RetryContext,
  runner: RunnerHost,
  onEvent: (event: HostEvent) => void,
): Promise<{ readonly exitCode: number | null; readonly lastLine: string }> {
  const { signal } = context;
  let lineCount = 0;
  let lastLine = '';
  let isReverting = false;
  let exitText: string | null = null;
  const onLine = (line: string, onResponse: () => void) => {
    onResponse();
    const [mark, value = ''] = line.split('\t');
    if (mark === '@end') {
      exitText = value;
      return;
    }
    lineCount += 1;
    const stage = mark === '@stage' ? RUN_STAGES.find((candidate) => candidate === value) : undefined;
    isReverting ||= stage === 'revert';
    if (stage !== undefined) return onEvent({ type: 'stage', stage });
    const text = sanitizeLine(redact(line), 500);
    if (!isReverting && text.trim() !== '') lastLine = text;
    onEvent({ type: 'line', line: text });
  };
  while (exitText === null) {
    await retryOverLostConnection(context, onEvent, (onResponse) =>
      runOnHost(runner, ['follow', String(lineCount + 1)], { signal, onLine: (line) => onLine(line, onResponse) }),
    );
  }
  return { exitCode: /^\d+$/.test(exitText) ? Number(exitText) : null, lastLine };
}

/** A change that a run of `install.sh` would make on a host. */
export interface HostChange {
  readonly kind: 'package' | 'file' | 'service' | 'firewall' | 'selinux';
  /** The package, path, command or rule, depending on the kind. */
  readonly subject: string;
  /**
   * The state of a file: new, not as generated, or edited since it was put in place; for an undo: restored, removed.
   * Null for other kinds.
   */
  readonly mode: 'new' | 'changed' | 'edited' | 'restore' | 'remove' | null;
  /** Lines of a unified diff of a file; none if only root may read it. */
  readonly diff: readonly string[];
}

/** Differences between a host and the files that were generated for it. */
export interface HostPlan {
  readonly changes: readonly HostChange[];
  /** The services that the host should run. */
  readonly units: readonly { readonly name: string; readonly isActive: boolean }[];
  /** An earlier run put files in place; undo can revert it. */
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
  /**
   * `open`: the host reverts the run unless it is confirmed. Null: the run failed and reverted itself, or was an undo.
   */
  readonly outcome: 'open' | 'confirmed' | 'reverted' | 'revert-failed' | null;
  /** Seconds until the host reverts the run; null if it will not, and while it runs. */
  readonly secondsLeft: number | null;
  /** The host was rebooted while the run was open; it reverts the run, or has reverted it, for that reason. */
  readonly wasHostRebooted: boolean;
}

/** Parses the records of `install.sh --plan` and `--undo-plan`; the output of a host is not trusted. */
export function parseHostPlan(lines: readonly string[]): HostPlan {
  const changes: HostChange[] = [];
  const diffs = new Map<HostChange, string[]>();
  const units: { name: string; isActive: boolean }[] = [];
  const remainingPackages: string[] = [];
  const flags = new Set<string>();
  for (const line of lines) {
    const [recordType = '', ...rest] = line.split('\t');
    const [subject = '', modeText = ''] = rest.map((field) => sanitizeLine(redact(field), 500));
    if (recordType === 'diff') {
      const lastChange = changes.at(-1);
      if (lastChange !== undefined) diffs.get(lastChange)?.push(sanitizeLine(redact(rest.join('\t')), 500));
    } else if (recordType === 'unit') units.push({ name: subject, isActive: modeText === 'active' });
    else if (recordType === 'stays') remainingPackages.push(subject);
    else if (recordType === 'install')
      for (const name of subject.split(' ')) changes.push(createChange('package', name));
    else if (Object.hasOwn(RECORD_KINDS, recordType)) {
      const diff: string[] = [];
      const change = {
        ...createChange(RECORD_KINDS[recordType as keyof typeof RECORD_KINDS], subject),
        mode: parseMode(modeText),
        diff,
      };
      changes.push(change);
      diffs.set(change, diff);
    } else flags.add(recordType);
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

function parseMode(text: string): HostChange['mode'] {
  return CHANGE_MODES.find((mode) => mode === text) ?? null;
}

function createChange(kind: HostChange['kind'], subject: string): HostChange {
  return { kind, subject, mode: null, diff: [] };
}

const OUTCOMES = ['open', 'confirmed', 'reverted', 'revert-failed'] as const;

/** Parses the record of `host-run.sh status`. */
export function parseRunStatus(lines: readonly string[]): RunStatus {
  const [, id = '', action = '', runningText = '', exit = '', outcome = '', secondsText = '', rebootedText = ''] =
    lines.find((line) => line.startsWith('status\t'))?.split('\t') ?? [];
  return {
    id: /^[\d-]+$/.test(id) ? id : null,
    action: action === 'undo' ? 'undo' : 'install',
    isRunning: runningText === 'yes',
    exitCode: parseInteger(exit),
    outcome: OUTCOMES.find((candidate) => candidate === outcome) ?? null,
    secondsLeft: parseInteger(secondsText),
    wasHostRebooted: rebootedText === 'yes',
  };
}

function parseInteger(text: string): number | null {
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
