import { type RunnerHost, runOnHost } from '../../../host/host-run.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { SECOND, startWaitTimer } from '../../../platform/clock.ts';
import { sanitizeLine } from '../../../platform/sanitize.ts';
import { redact } from '../../../platform/secrets.ts';

import type { StepContext } from '../../contract.ts';
import { type HostEvent, RUN_PHASES } from './events.ts';

/** Interval of the attempts to connect again. */
const RETRY_INTERVAL = 2 * SECOND;
/** A host that is unavailable for longer than a reboot takes is given up. */
const MAX_OUTAGE = 10 * 60 * SECOND;
const MIN_ATTEMPTS = 10;

type RetryContext = Pick<StepContext, 'clock' | 'signal'>;

/**
 * Repeats a request to a host while the connection to it is lost.
 * @param request calls its argument as soon as the host responds
 * @throws UserErrorException the error of the host if it answers, or the last `ssh-…` if it stays unavailable
 */
export async function retryOverLostConnection<T>(
  { clock, signal }: RetryContext,
  onEvent: (event: HostEvent) => void,
  request: (onResponse: () => void) => Promise<T>,
): Promise<T> {
  const wait = startWaitTimer(clock);
  let isLost = false;
  const onResponse = () => {
    if (isLost) onEvent({ type: 'connection-restored' });
    isLost = false;
  };
  for (;;) {
    try {
      const answer = await request(onResponse);
      onResponse();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isConnectionLost(error) || wait.isOver(MAX_OUTAGE, MIN_ATTEMPTS)) throw error;
      if (!isLost) onEvent({ type: 'connection-lost', why: error.userError.cause });
      isLost = true;
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
 * @returns the exit code of the run, null if it was killed, and its last line before it reverted itself
 */
export async function followRun(
  context: RetryContext,
  runner: RunnerHost,
  onEvent: (event: HostEvent) => void,
): Promise<{ readonly exitCode: number | null; readonly last: string }> {
  const { signal } = context;
  let lineCount = 0;
  let last = '';
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
    const stage = mark === '@stage' ? RUN_PHASES.find((each) => each === value) : undefined;
    isReverting ||= stage === 'revert';
    if (stage !== undefined) return onEvent({ type: 'stage', stage });
    const text = sanitizeLine(redact(line), 500);
    if (!isReverting && text.trim() !== '') last = text;
    onEvent({ type: 'line', line: text });
  };
  while (exitText === null) {
    await retryOverLostConnection(context, onEvent, (onResponse) =>
      runOnHost(runner, ['follow', String(lineCount + 1)], { signal, onLine: (line) => onLine(line, onResponse) }),
    );
  }
  return { exitCode: /^\d+$/.test(exitText) ? Number(exitText) : null, last };
}
