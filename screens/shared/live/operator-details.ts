import type { OperatorState } from '../../../src/checks/operators.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapProse } from '../../../src/i18n/prose.ts';
import { findEntry } from '../../../src/platform/files.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import type { TextLine } from '../../../src/ui/components/text-views.tsx';
import type { Tone } from '../../../src/ui/terminal-style.tsx';

const words = () => catalogue().screens.operators;

/** Renders the details of a cluster Operator, wrapped: what it waits for, its failing pods, and its conditions. */
export function renderOperatorDetails(operator: OperatorState, columns: number, now: number): TextLine[] {
  const wrapDetail = (text: string, indent: number, tone: Tone): TextLine[] =>
    text
      .split('\n')
      .flatMap((part) => wrapLines(part, Math.max(10, columns - indent)))
      .map((line) => ({ text: `${' '.repeat(indent)}${line}`, tone }));
  const conditions = operator.conditions.flatMap(({ type, status, reason, message, since }) => {
    const label = findEntry(findEntry(words().conditions, type) ?? {}, status) ?? words().otherCondition(type, status);
    const age = since === null ? '' : catalogue().screens.age(now - since);
    const shown = reason === 'AsExpected' ? '' : reason;
    return [
      ...wrapDetail(words().condition(label, age, shown), 0, isBad(type, status) ? 'warn' : 'text'),
      ...(message === '' ? [] : wrapDetail(message, 4, 'dim')),
    ];
  });
  const pods = operator.pods.length === 0 ? [] : [{ text: words().pods, tone: 'text' as const }];
  return [
    ...explainState(operator).flatMap(({ text, tone = 'text' }) =>
      // Commands get lines of their own.
      wrapProse(text, Math.max(10, columns)).map(
        ({ text: line, isCommand }): TextLine => ({ text: line, tone: isCommand ? 'accent' : tone }),
      ),
    ),
    ...pods,
    ...operator.pods.flatMap((pod) => [
      ...wrapDetail(formatPod(pod), 2, 'warn'),
      ...(pod.message === '' ? [] : wrapDetail(pod.message, 4, 'dim')),
    ]),
    ...conditions,
    { text: operator.stability === 'stable' ? words().stable : words().notStable, tone: 'dim' },
  ];
}

function explainState({ name, wait, state }: OperatorState): TextLine[] {
  if (wait === null) return [{ text: words().fine(name), tone: 'ok' }];
  if (state === 'fine') return [{ text: words().removed(name, wait.waitsFor) }, { text: wait.whatToDo }];
  if (wait.code === 'other')
    return [
      wait.isNormal
        ? { text: words().otherNormal(name), tone: 'accent' }
        : { text: words().otherLong(name), tone: 'error' },
      { text: wait.whatToDo },
    ];
  if (wait.isNormal) return [{ text: words().normal(name, wait.waitsFor), tone: 'accent' }];
  return [{ text: words().abnormal(name, wait.waitsFor), tone: 'error' }, { text: wait.whatToDo }];
}

function formatPod({ namespace, name, phase, reason, restarts }: OperatorState['pods'][number]): string {
  return words().pod(`${namespace}/${name}`, phase, reason, restarts);
}

function isBad(type: string, status: string): boolean {
  return type === 'Available' ? status !== 'True' : type === 'Degraded' && status !== 'False';
}
