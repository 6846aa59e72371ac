import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { generateCommand } from '../../../src/cli/generate.ts';
import { openSession } from '../../../src/session/store.ts';
import { ALL_DATA, AT_HOSTS, asking, savedBy, tracedSession } from '../answers.ts';
import { DATA_FATES, type Disk, type Image, keyOf, layOut, newDisk, type Operation, operationsOf } from '../disk.ts';
import { contentsOf, differences, environmentIn, PROGRAM, unlike, writeDesign } from '../place.ts';
import { newTally, type Row, spread, type Tally, type Torture } from '../row.ts';
import { readCalls, run, traced } from '../strace.ts';

/** The power fails while answers are saved, and while files are generated. */
export const powerLoss: Row = {
  what: 'loss of power at each point of a session and of generate, replayed from the system calls with their data into a volatile and a durable image: unsynced names go back in the order of the journal, unsynced data is there, missing, of length zero, zeros or torn',
  target: '>= 1,000 states; nothing shown as saved is missing, the next run goes on, nobody is blamed',
  least: 1000,
  needs: ['strace', 'unshare'],
  async run(torture) {
    const tally = newTally(torture.say);
    const session = await duringAnswers(torture, tally);
    const first = await duringGenerate(torture, tally, false);
    const second = await duringGenerate(torture, tally, true);
    const figure = `${tally.cases()} states: ${session} of a session, ${first} of generate into an empty directory, ${second} over another design`;
    return { cases: tally.cases(), failures: tally.failures, figure };
  },
};

/** A state that a loss of power may leave, and how far the program was. */
interface Loss<T> {
  readonly image: Image;
  readonly at: T;
  readonly name: string;
}

/** Every state that a loss of power may leave, each once with the latest that was known then. */
function losses<T>(
  start: Image,
  operations: readonly Operation[],
  known: (operation: Operation | null, disk: Disk) => T,
  random: () => number,
): Loss<T>[] {
  const disk = newDisk(start);
  const found = new Map<string, Loss<T>>();
  for (const [index, operation] of [null, ...operations].entries()) {
    if (operation !== null) disk.apply(operation);
    const at = known(operation, disk);
    const pending = disk.pending();
    const somewhere = () => Math.floor(random() * (pending + 1));
    for (const kept of new Set([0, pending, somewhere(), somewhere(), somewhere()])) {
      for (const fate of DATA_FATES) {
        const image = disk.afterLoss(kept, fate, random);
        const name = `after call ${index} (${operation?.type ?? 'none'}), ${kept} of ${pending} names, data ${fate}`;
        found.set(keyOf(image), { image, at, name });
      }
    }
  }
  return [...found.values()];
}

/** The operations of a whole run. */
async function tracedOperations(torture: Torture, argv: readonly string[], below: string) {
  const log = join(torture.dir, 'power.log');
  const env = environmentIn(torture.dir);
  await traced({ argv, cwd: torture.dir, env, log, dataBytes: ALL_DATA });
  return operationsOf(readCalls(log), below);
}

async function duringAnswers(torture: Torture, tally: Tally): Promise<number> {
  const { dir, operations } = await tracedSession(torture);
  const savedNow = savedBy(dir);
  const saved: unknown[] = [null];
  let shown = 0;
  const look = (operation: Operation | null) => {
    if (operation !== null) saved.push(...savedNow(operation));
    // A next question is shown when the answer before it is saved.
    if (operation?.type === 'shown') shown = saved.length - 1;
    return { atLeast: shown, atMost: saved.length - 1 };
  };
  const states = losses(new Map([[dir, 'directory']]), operations, look, torture.random);
  torture.say(`${states.length} states of a session with ${saved.length - 1} saves`);
  const place = join(torture.dir, 'after');
  const chosen = spread(states, torture.isShort ? 12 : 900);
  for (const [index, { image, at, name }] of chosen.entries()) {
    await tally.try(`session, ${name}`, async () => {
      rmSync(place, { recursive: true, force: true });
      layOut(image, dir, place);
      // A save is in the journal before its file is there.
      const wanted = saved.slice(at.atLeast, at.atMost + 2);
      // Every few states the program itself is the first to meet it.
      const isProgram = index % (torture.isShort ? 20 : 60) === 0;
      if (isProgram) {
        const [program = '', ...args] = asking(place);
        const { code, stdout, stderr } = await run(program, args, {
          cwd: torture.dir,
          env: environmentIn(torture.dir),
          stopAt: AT_HOSTS,
        });
        if (code !== 3 && code !== 'stopped' && code !== 4)
          return [`the wizard ended with ${code}: ${stdout}${stderr}`];
      }
      const { design } = openSession(place).load();
      if (wanted.some((one) => unlike(design, one).length === 0)) return [];
      return [
        `neither of the saves ${at.atLeast} to ${at.atMost} is there: ${unlike(design, wanted[0]).slice(0, 3).join('; ')}`,
      ];
    });
  }
  return chosen.length;
}

async function duringGenerate(torture: Torture, tally: Tally, isOver: boolean): Promise<number> {
  const env = environmentIn(torture.dir);
  const out = join(torture.dir, isOver ? 'over' : 'fresh');
  const before = writeDesign(join(torture.dir, 'before'));
  const after = writeDesign(join(torture.dir, 'later'), { 'example.localdomain': 'lost.localdomain' });
  mkdirSync(out, { mode: 0o700 });
  if (isOver) await generate(before, out, env);
  const start = new Map<string, Buffer | 'directory'>([[out, 'directory']]);
  for (const [name, text] of contentsOf(out)) start.set(join(out, name), Buffer.from(text, 'latin1'));
  const operations = await tracedOperations(torture, [...PROGRAM, 'generate', after, '--out', out], out);
  const wanted = contentsOf(out);
  let isShown = false;
  const look = (operation: Operation | null) => {
    if (operation?.type === 'shown' && operation.text.includes('files for stage')) isShown = true;
    return isShown;
  };
  const states = losses(start, operations, look, torture.random);
  torture.say(`${states.length} states of generate ${isOver ? 'over another design' : 'into an empty directory'}`);
  const chosen = spread(states, torture.isShort ? 5 : 400);
  // Below a place of the same name, because the generated files name none.
  const place = join(torture.dir, 'generated');
  for (const { image, at, name } of chosen) {
    await tally.try(`generate, ${name}`, async () => {
      rmSync(place, { recursive: true, force: true });
      layOut(image, out, place);
      if (at) return differences(contentsOf(place), wanted).map((why) => `shown as written, but ${why}`);
      const { code, said } = await generate(after, place, env);
      return [
        ...(code === 0 ? [] : [`the next run ended with ${code}: ${said}`]),
        ...differences(contentsOf(place), wanted),
      ];
    });
  }
  return chosen.length;
}

/** The command in this process. */
async function generate(design: string, out: string, env: Readonly<Record<string, string>>) {
  let said = '';
  const stderr = (text: string) => {
    said += text;
  };
  const code = await generateCommand([design, '--out', out], { stdout: () => undefined, stderr, env, cwd: out });
  return { code, said };
}
