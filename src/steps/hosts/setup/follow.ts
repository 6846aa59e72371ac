import { type RunPlace, runOnHost } from '../../../bastion/host-run.ts';
import { SECOND } from '../../../ports/clock.ts';
import { beginWait } from '../../../ports/waiting.ts';
import { redact } from '../../../text/redact.ts';
import { sanitizeLine } from '../../../text/sanitize.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { type HostEvent, STAGES } from './events.ts';

/** How soon a lost line is tried again. */
const AGAIN = 2 * SECOND;
/** A host that is away for longer than it takes to start is not waited for. */
const LONGEST_AWAY = 10 * 60 * SECOND;
const LEAST_TRIES = 10;

type Where = Pick<StepContext, 'clock' | 'signal'>;

/**
 * Repeats what is asked of a host while the line to it is lost.
 * @param ask calls what it is given as soon as the host says something
 * @throws TroubleError what the host says when it answers, or the last `ssh-…` when it stays away
 */
export async function outlast<T>(
  { clock, signal }: Where,
  tell: (event: HostEvent) => void,
  ask: (answers: () => void) => Promise<T>,
): Promise<T> {
  const wait = beginWait(clock);
  let isLost = false;
  const answers = () => {
    if (isLost) tell({ type: 'line-back' });
    isLost = false;
  };
  for (;;) {
    try {
      const answer = await ask(answers);
      answers();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isLineLost(error) || wait.isOver(LONGEST_AWAY, LEAST_TRIES)) throw error;
      if (!isLost) tell({ type: 'line-lost', why: error.trouble.cause });
      isLost = true;
      await clock.sleep(AGAIN, signal);
    }
  }
}

const LOST = new Set(['ssh-unreachable', 'ssh-refused', 'ssh-other']);

function isLineLost(error: unknown): error is TroubleError {
  return error instanceof TroubleError && LOST.has(error.trouble.code);
}

/**
 * Tells what a run says, from its first line until it has ended, whatever happens to the line meanwhile.
 * @returns the exit code of the run, null when it was killed, and the last line that it said before it took itself back
 */
export async function followRun(
  context: Where,
  place: RunPlace,
  tell: (event: HostEvent) => void,
): Promise<{ readonly exitCode: number | null; readonly last: string }> {
  const { signal } = context;
  let seen = 0;
  let last = '';
  let isTakenBack = false;
  let ended: string | null = null;
  const onLine = (line: string, answers: () => void) => {
    answers();
    const [mark, what = ''] = line.split('\t');
    if (mark === '@end') {
      ended = what;
      return;
    }
    seen += 1;
    const stage = mark === '@stage' ? STAGES.find((each) => each === what) : undefined;
    isTakenBack ||= stage === 'revert';
    if (stage !== undefined) return tell({ type: 'stage', stage });
    const said = sanitizeLine(redact(line), 500);
    if (!isTakenBack && said.trim() !== '') last = said;
    tell({ type: 'line', line: said });
  };
  while (ended === null) {
    await outlast(context, tell, (answers) =>
      runOnHost(place, ['follow', String(seen + 1)], { signal, onLine: (line) => onLine(line, answers) }),
    );
  }
  return { exitCode: /^\d+$/.test(ended) ? Number(ended) : null, last };
}
