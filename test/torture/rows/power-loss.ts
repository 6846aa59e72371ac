import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../src/session/session.ts';
import { captureCommand } from '../../support/run-command.ts';
import { ALL_DATA, createSaveReader, getTracedSession, HOSTS_STEP, plainArgv } from '../answers.ts';
import {
  computeImageKey,
  createDisk,
  DATA_LOSSES,
  type Disk,
  type Image,
  type Operation,
  parseOperations,
  writeImage,
} from '../disk.ts';
import { createTally, type Row, sampleEvenly, type Tally, type Torture } from '../row.ts';
import { createEnvironment, diffFiles, diffJson, PROGRAM, readFilesBelow, writeDesign } from '../run-files.ts';
import { readCalls, run, runTraced } from '../strace.ts';

/** The power fails while answers are saved, and while files are generated. */
export const powerLoss: Row = {
  description:
    'Simulate a power loss at each point of a session and of generate: replay the traced system calls with their data into a volatile and a durable image. Unsynced directory changes reach the disk in journal order; unsynced data is present, missing, empty, zeroed or torn.',
  target:
    '>= 1,000 states; nothing shown as saved is missing; the next run continues and reports no file as edited by hand',
  minCases: 1000,
  needs: ['strace', 'unshare'],
  async run(torture) {
    const tally = createTally(torture.report);
    const session = await trySession(torture, tally);
    const first = await tryGenerate(torture, tally, false);
    const second = await tryGenerate(torture, tally, true);
    const figure = `${tally.cases()} states: ${session} of a session, ${first} of generate into an empty directory, ${second} over another design`;
    return { cases: tally.cases(), failures: tally.failures, figure };
  },
};

/** A possible state of the disk after a power loss, and the progress of the program then. */
interface LossState<T> {
  readonly image: Image;
  readonly progress: T;
  readonly name: string;
}

/** Lists every possible state after a power loss once, with the latest progress that was known then. */
function listLossStates<T>(
  start: Image,
  operations: readonly Operation[],
  deriveProgress: (operation: Operation | null, disk: Disk) => T,
  random: () => number,
): LossState<T>[] {
  const disk = createDisk(start);
  const states = new Map<string, LossState<T>>();
  for (const [index, operation] of [null, ...operations].entries()) {
    if (operation !== null) disk.apply(operation);
    const progress = deriveProgress(operation, disk);
    const pending = disk.pending();
    const randomCount = () => Math.floor(random() * (pending + 1));
    for (const durableCount of new Set([0, pending, randomCount(), randomCount(), randomCount()])) {
      for (const loss of DATA_LOSSES) {
        const image = disk.simulateLoss(durableCount, loss, random);
        const name = `after call ${index} (${operation?.type ?? 'none'}), ${durableCount} of ${pending} names, data ${loss}`;
        states.set(computeImageKey(image), { image, progress, name });
      }
    }
  }
  return [...states.values()];
}

/** Runs a command under strace and returns its operations on the disk. */
async function traceOperations(torture: Torture, argv: readonly string[], below: string) {
  const log = join(torture.dir, 'power.log');
  const env = createEnvironment(torture.dir);
  await runTraced({ argv, cwd: torture.dir, env, log, dataBytes: ALL_DATA });
  return parseOperations(readCalls(log), below);
}

async function trySession(torture: Torture, tally: Tally): Promise<number> {
  const { dir, operations } = await getTracedSession(torture);
  const extractSaves = createSaveReader(dir);
  const saved: unknown[] = [null];
  let shownCount = 0;
  const trackProgress = (operation: Operation | null) => {
    if (operation !== null) saved.push(...extractSaves(operation));
    // The next question is shown once the answer before it is saved.
    if (operation?.type === 'output') shownCount = saved.length - 1;
    return { atLeast: shownCount, atMost: saved.length - 1 };
  };
  const states = listLossStates(new Map([[dir, 'directory']]), operations, trackProgress, torture.random);
  torture.report(`${states.length} states of a session with ${saved.length - 1} saves`);
  const targetDir = join(torture.dir, 'after');
  const chosen = sampleEvenly(states, torture.isShort ? 12 : 900);
  for (const [index, { image, progress, name }] of chosen.entries()) {
    await tally.try(`session, ${name}`, async () => {
      rmSync(targetDir, { recursive: true, force: true });
      writeImage(image, dir, targetDir);
      // A save reaches the journal before its file exists.
      const acceptable = saved.slice(progress.atLeast, progress.atMost + 2);
      // Every few states, the program itself opens the directory first.
      const isProgramFirst = index % (torture.isShort ? 20 : 60) === 0;
      if (isProgramFirst) {
        const [program = '', ...args] = plainArgv(targetDir);
        const { code, stdout, stderr } = await run(program, args, {
          cwd: torture.dir,
          env: createEnvironment(torture.dir),
          stopAt: HOSTS_STEP,
        });
        if (code !== 3 && code !== 'stopped' && code !== 4)
          return [`the wizard ended with ${code}: ${stdout}${stderr}`];
      }
      const { design } = openSession(targetDir).load();
      if (acceptable.some((one) => diffJson(design, one).length === 0)) return [];
      return [
        `none of the saves ${progress.atLeast} to ${progress.atMost} is on the disk: ${diffJson(design, acceptable[0]).slice(0, 3).join('; ')}`,
      ];
    });
  }
  return chosen.length;
}

async function tryGenerate(torture: Torture, tally: Tally, isOver: boolean): Promise<number> {
  const env = createEnvironment(torture.dir);
  const out = join(torture.dir, isOver ? 'over' : 'fresh');
  const before = writeDesign(join(torture.dir, 'before'));
  const after = writeDesign(join(torture.dir, 'later'), { 'example.localdomain': 'lost.localdomain' });
  mkdirSync(out, { mode: 0o700 });
  if (isOver) await generate(before, out, env);
  const start = new Map<string, Buffer | 'directory'>([[out, 'directory']]);
  for (const [name, text] of readFilesBelow(out)) start.set(join(out, name), Buffer.from(text, 'latin1'));
  const operations = await traceOperations(torture, [...PROGRAM, 'generate', after, '--out', out], out);
  const expected = readFilesBelow(out);
  let isShown = false;
  const trackOutput = (operation: Operation | null) => {
    if (operation?.type === 'output' && operation.text.includes('files for stage')) isShown = true;
    return isShown;
  };
  const states = listLossStates(start, operations, trackOutput, torture.random);
  torture.report(`${states.length} states of generate ${isOver ? 'over another design' : 'into an empty directory'}`);
  const chosen = sampleEvenly(states, torture.isShort ? 5 : 400);
  // Another directory is fine: the generated files contain no path of it.
  const targetDir = join(torture.dir, 'generated');
  for (const { image, progress, name } of chosen) {
    await tally.try(`generate, ${name}`, async () => {
      rmSync(targetDir, { recursive: true, force: true });
      writeImage(image, out, targetDir);
      if (progress) return diffFiles(readFilesBelow(targetDir), expected).map((why) => `shown as written, but ${why}`);
      const { code, output } = await generate(after, targetDir, env);
      return [
        ...(code === 0 ? [] : [`the next run ended with ${code}: ${output}`]),
        ...diffFiles(readFilesBelow(targetDir), expected),
      ];
    });
  }
  return chosen.length;
}

/** Runs the command in this process. */
async function generate(design: string, out: string, env: Readonly<Record<string, string>>) {
  let output = '';
  const stderr = (text: string) => {
    output += text;
  };
  const { code } = await captureCommand(['generate', design, '--out', out], { stderr, env, cwd: out });
  return { code, output };
}
