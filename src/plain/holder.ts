import { catalogue } from '../text/catalogue.ts';
import type { HolderAnswer, HolderPage, Viewed } from '../wizard/front-end.ts';
import type { PlainFace } from './face.ts';
import type { LineInput } from './line-input.ts';
import { NOTHING_TOLD, newsSince } from './news.ts';

const words = () => catalogue().plain;
const holderWords = () => catalogue().holder;

/** Says who works on the directory, and asks what to do. The end of the input leaves. */
export async function askInLines(
  { dir, headline, lines, warning, asks }: HolderPage,
  input: LineInput,
  print: (line: string) => void,
): Promise<HolderAnswer> {
  for (const line of [headline, words().directory(dir), ...lines]) print(line);
  if (warning !== null) print(words().notice('warning', warning));
  switch (asks.kind) {
    case 'nothing':
      print(asks.waitsFor);
      // The next page comes by itself, or a signal ends the process.
      return await new Promise<never>(() => undefined);
    case 'word': {
      print(asks.question);
      return (await nextLine(input)) === asks.word ? 'typed' : 'quit';
    }
    case 'choice': {
      const { choices, hints } = holderWords().page;
      for (const [index, each] of asks.choices.entries())
        print(words().numbered(index + 1, `${choices[each]}: ${hints[each]}`));
      for (;;) {
        const line = await nextLine(input);
        if (line === null) return 'quit';
        const chosen = asks.choices[line === '' ? 0 : Number(line) - 1];
        if (chosen !== undefined) return chosen;
        print(words().chooseOne(asks.choices.length));
      }
    }
  }
}

/** Says what happens in the session of another, once each. */
export async function watchInLines(
  { who, follow }: Viewed,
  face: PlainFace,
  input: LineInput,
  print: (line: string) => void,
): Promise<'quit' | 'take-over' | 'ended'> {
  const ending = new AbortController();
  print(holderWords().viewer.note(who));
  print(holderWords().viewer.inLines);
  let told = NOTHING_TOLD;
  let isOver = false;
  const followed = follow((state) => {
    const news = newsSince(told, state, face);
    told = news.told;
    for (const line of news.lines) print(line);
  }, ending.signal).then(() => {
    isOver = true;
  });
  for (;;) {
    await Promise.race([followed, input.ready()]);
    if (isOver) return 'ended';
    const line = input.take()?.trim() ?? 'q';
    if (line === 'q' || line === 't') {
      ending.abort();
      return line === 'q' ? 'quit' : 'take-over';
    }
  }
}

async function nextLine(input: LineInput): Promise<string | null> {
  await input.ready();
  return input.take()?.trim() ?? null;
}
