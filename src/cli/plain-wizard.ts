import { createInterface } from 'node:readline/promises';
import { checkDocument } from '../design/parse.ts';
import { askDesign, lineReader } from '../plain/questions.ts';
import { runSteps } from '../plain/run-steps.ts';
import { keepHeapSmall } from '../ports/small-heap.ts';
import { acquireLock } from '../session/lock.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import type { Saved } from './saved.ts';
import { troubleText } from './trouble-text.ts';
import { stepContext, type World } from './world.ts';

const plainWords = () => catalogue().plain;

/** Asks the design line by line and takes the steps, on a terminal of any kind or none at all. */
export async function plainWizard(options: {
  readonly dir: string;
  readonly saved: Saved;
  readonly world: World;
  readonly io: CommandIo;
  readonly host: Host;
}): Promise<number> {
  const { dir, saved, world, io, host } = options;
  const lock = acquireLock(dir);
  const print = (line: string) => io.stdout(`${line}\n`);
  const readline = createInterface({ input: process.stdin });
  const ask = lineReader(readline, io.stdout);
  try {
    print(plainWords().directory(dir));
    for (const notice of saved.notices) io.stderr(troubleText(notice));
    const design =
      saved.current().place.screen === 'welcome'
        ? await askDesign(saved.current().design, {
            print,
            ask,
            save: (document) => saved.update({ design: document }),
          })
        : checkDocument(saved.current().design).design;
    if (design === null) return 3;
    saved.update({ place: { screen: 'generate', field: null } });
    const context = stepContext({
      world,
      programs: host.programs,
      dir,
      base: dir,
      design,
      memory: saved.memory,
      recollection: saved.recollection,
      signal: new AbortController().signal,
    });
    const confirm = async () => /^y(?:es)?$/i.test((await ask(plainWords().confirm))?.trim() ?? '');
    keepHeapSmall();
    const outcome = await runSteps(context, { print, confirm });
    print(
      outcome.isVerified
        ? plainWords().verified
        : plainWords().notVerified(outcome.findings.map(({ title }) => title).join('; ')),
    );
    return outcome.isVerified ? 0 : 4;
  } finally {
    readline.close();
    lock.release();
  }
}
