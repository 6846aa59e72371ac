import type { OperatorState } from '../../../src/diagnosis/operators/states.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { proseLines } from '../../../src/text/command-lines.ts';
import { entryOf } from '../../../src/text/entry.ts';
import { wrapLines } from '../../../src/text/width.ts';
import type { TextLine } from '../../../src/ui/components/text-views.tsx';
import type { Tone } from '../../../src/ui/theme.ts';

const words = () => catalogue().screens.operators;

/** All that is known of an operator, wrapped: what it waits for, its pods that do not run, and what it says itself. */
export function detailLines(operator: OperatorState, columns: number, now: number): TextLine[] {
  const wrapped = (text: string, indent: number, tone: Tone): TextLine[] =>
    text
      .split('\n')
      .flatMap((part) => wrapLines(part, Math.max(10, columns - indent)))
      .map((line) => ({ text: `${' '.repeat(indent)}${line}`, tone }));
  const said = operator.conditions.flatMap(({ type, status, reason, message, since }) => {
    const what = entryOf(entryOf(words().conditions, type) ?? {}, status) ?? words().otherCondition(type, status);
    const age = since === null ? '' : catalogue().screens.age(now - since);
    const shown = reason === 'AsExpected' ? '' : reason;
    return [
      ...wrapped(words().condition(what, age, shown), 0, isBad(type, status) ? 'warn' : 'text'),
      ...(message === '' ? [] : wrapped(message, 4, 'dim')),
    ];
  });
  const pods = operator.pods.length === 0 ? [] : [{ text: words().pods, tone: 'text' as const }];
  return [
    ...meaningOf(operator).flatMap(({ text, tone = 'text' }) =>
      // What a person types has lines of its own.
      proseLines(text, Math.max(10, columns)).map(
        ({ text: line, isCommand }): TextLine => ({ text: line, tone: isCommand ? 'accent' : tone }),
      ),
    ),
    ...pods,
    ...operator.pods.flatMap((pod) => [
      ...wrapped(podLine(pod), 2, 'warn'),
      ...(pod.message === '' ? [] : wrapped(pod.message, 4, 'dim')),
    ]),
    ...said,
    { text: operator.stability === 'stable' ? words().stable : words().notStable, tone: 'dim' },
  ];
}

function meaningOf({ name, wait, state }: OperatorState): TextLine[] {
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

function podLine({ namespace, name, phase, reason, restarts }: OperatorState['pods'][number]): string {
  return words().pod(`${namespace}/${name}`, phase, reason, restarts);
}

function isBad(type: string, status: string): boolean {
  return type === 'Available' ? status !== 'True' : type === 'Degraded' && status !== 'False';
}
