import { catalogue } from '../i18n/catalogue.ts';
import type { HolderAnswer, HolderPage, ViewedSession } from '../wizard/front-end.ts';
import type { LineInput } from './line-input.ts';
import type { ScreenTextModel } from './screen-text-model.ts';
import { describeChanges, NOTHING_REPORTED } from './state-changes.ts';

const words = () => catalogue().plain;
const holderWords = () => catalogue().holder;

/** Prints who works on the directory and asks what to do. The end of the input means quit. */
export async function showHolderPage(
  { dir, headline, lines, warning, prompt }: HolderPage,
  input: LineInput,
  print: (line: string) => void,
): Promise<HolderAnswer> {
  for (const line of [headline, words().directory(dir), ...lines]) print(line);
  if (warning !== null) print(words().notice('warning', warning));
  switch (prompt.kind) {
    case 'nothing':
      print(prompt.waitReason);
      // The next page replaces this one on its own, or a signal ends the process.
      return await new Promise<never>(() => undefined);
    case 'word': {
      print(prompt.question);
      return (await readNextLine(input)) === prompt.word ? 'typed' : 'quit';
    }
    case 'choice': {
      const { choices, hints } = holderWords().page;
      for (const [index, each] of prompt.choices.entries())
        print(words().numbered(index + 1, `${choices[each]}: ${hints[each]}`));
      for (;;) {
        const line = await readNextLine(input);
        if (line === null) return 'quit';
        const choice = prompt.choices[line === '' ? 0 : Number(line) - 1];
        if (choice !== undefined) return choice;
        print(words().chooseOne(prompt.choices.length));
      }
    }
  }
}

/** Prints what happens in another session, each event once. */
export async function viewSession(
  { holder, follow }: ViewedSession,
  model: ScreenTextModel,
  input: LineInput,
  print: (line: string) => void,
): Promise<'quit' | 'take-over' | 'ended'> {
  const abort = new AbortController();
  print(holderWords().viewer.note(holder));
  print(holderWords().viewer.plainHint);
  let reported = NOTHING_REPORTED;
  let isOver = false;
  const followTask = follow((state) => {
    const changes = describeChanges(reported, state, model);
    reported = changes.reported;
    for (const line of changes.lines) print(line);
  }, abort.signal).then(() => {
    isOver = true;
  });
  for (;;) {
    await Promise.race([followTask, input.ready()]);
    if (isOver) return 'ended';
    const line = input.take()?.trim() ?? 'q';
    if (line === 'q' || line === 't') {
      abort.abort();
      return line === 'q' ? 'quit' : 'take-over';
    }
  }
}

async function readNextLine(input: LineInput): Promise<string | null> {
  await input.ready();
  return input.take()?.trim() ?? null;
}
