import { MINUTE } from '../../../src/ports/clock.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { widthOf, wrapLines } from '../../../src/text/width.ts';
import { Label, Row } from '../../../src/ui/components/label.tsx';
import { useTurningSign } from '../../../src/ui/components/progress.tsx';
import { type Status, statusText, toneOf } from '../../../src/ui/components/status-mark.tsx';
import { type Look, useLook } from '../../../src/ui/look.tsx';
import { type StepRun, troubleOf } from '../../../src/wizard/live/step-run.ts';

const words = () => catalogue().screens.step;

const STATUS: Readonly<Record<StepRun['phase'], Status>> = {
  unknown: 'running',
  looking: 'running',
  ready: 'pending',
  asking: 'pending',
  applying: 'running',
  watching: 'running',
  done: 'ok',
  failed: 'failed',
};

/** The state of the step, in one sentence. */
function stateText(run: StepRun, now: number): string {
  if (run.phase === 'looking' || run.phase === 'unknown') return words().looking;
  const line =
    run.phase === 'applying'
      ? (run.lines.at(-1) ?? words().applying)
      : (troubleOf(run)?.title ?? run.probe?.summary ?? '');
  const elapsed =
    run.appliedAt !== null && run.phase === 'watching'
      ? `, ${words().elapsed(catalogue().screens.age(now - run.appliedAt))}`
      : '';
  const remark = run.phase !== 'done' && run.probe?.remark ? ` (${run.probe.remark})` : '';
  return `${line}${elapsed}${remark}`;
}

/** That sentence over as many lines as it needs, up to `height`; the last one holds what is left. */
export function stateLines(run: StepRun, now: number, look: Look, height: number): readonly string[] {
  const room = look.columns - widthOf(signOf(statusOf(run), look)) - 1;
  const lines = wrapLines(stateText(run, now), room);
  return lines.length <= height ? lines : [...lines.slice(0, height - 1), lines.slice(height - 1).join(' ')];
}

/**
 *     ✔ every service answers as designed
 *     ⠋ 5 of 10 machines fetched their ignition, for 4 min
 */
export function StateLine({
  run,
  now,
  lines,
}: {
  readonly run: StepRun;
  readonly now: number;
  readonly lines: readonly string[];
}) {
  const look = useLook();
  const status = statusOf(run);
  const isRunning = status === 'running';
  const hasLasted = run.appliedAt === null || now - run.appliedAt > MINUTE;
  const turning = useTurningSign(hasLasted ? 'slow' : run.phase === 'watching' ? 'calm' : 'quick', isRunning);
  const sign = isRunning ? turning : signOf(status, look);
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
    <Row key={index}>
      <Label tone={toneOf(status)}>{`${index === 0 ? sign : ' '.repeat(widthOf(sign))} ${line}`}</Label>
    </Row>
  ));
}

function statusOf({ phase, probe }: StepRun): Status {
  return phase === 'ready' && probe?.state === 'blocked' ? 'failed' : STATUS[phase];
}

function signOf(status: Status, look: Look): string {
  return statusText(status, look, '').trimEnd();
}
