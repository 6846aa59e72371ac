import { catalogue } from '../../../src/i18n/catalogue.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { displayWidth, wrapLines } from '../../../src/platform/text.ts';
import { getStatusTone, type Status, statusText, useSpinnerGlyph } from '../../../src/ui/components/notices.tsx';
import { Label, Row } from '../../../src/ui/components/select.tsx';
import { type TerminalStyle, useTerminalStyle } from '../../../src/ui/terminal-style.tsx';

import { getStepError, type StepRun } from '../../../src/wizard/live/step-run.ts';

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

/** Returns the state of the step, in one sentence. */
function formatState(run: StepRun, now: number): string {
  if (run.phase === 'looking' || run.phase === 'unknown') return words().looking;
  const line =
    run.phase === 'applying'
      ? (run.lines.at(-1) ?? words().applying)
      : (getStepError(run)?.title ?? run.probe?.summary ?? '');
  const elapsed =
    run.appliedAt !== null && run.phase === 'watching'
      ? `, ${words().elapsed(catalogue().screens.age(now - run.appliedAt))}`
      : '';
  const remark = run.phase !== 'done' && run.probe?.remark ? ` (${run.probe.remark})` : '';
  return `${line}${elapsed}${remark}`;
}

/** Wraps that sentence to at most `height` lines; the last line holds the rest. */
export function wrapState(run: StepRun, now: number, style: TerminalStyle, height: number): readonly string[] {
  const textColumns = style.columns - displayWidth(getSign(deriveStatus(run), style)) - 1;
  const lines = wrapLines(formatState(run, now), textColumns);
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
  const style = useTerminalStyle();
  const status = deriveStatus(run);
  const isRunning = status === 'running';
  const isLong = run.appliedAt === null || now - run.appliedAt > MINUTE;
  const spinner = useSpinnerGlyph(isLong ? 'slow' : run.phase === 'watching' ? 'calm' : 'quick', isRunning);
  const sign = isRunning ? spinner : getSign(status, style);
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
    <Row key={index}>
      <Label tone={getStatusTone(status)}>{`${index === 0 ? sign : ' '.repeat(displayWidth(sign))} ${line}`}</Label>
    </Row>
  ));
}

function deriveStatus({ phase, probe }: StepRun): Status {
  return phase === 'ready' && probe?.state === 'blocked' ? 'failed' : STATUS[phase];
}

function getSign(status: Status, style: TerminalStyle): string {
  return statusText(status, style, '').trimEnd();
}
