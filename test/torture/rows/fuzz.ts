import { fileURLToPath } from 'node:url';
import { environmentIn, OF_SOURCES } from '../place.ts';
import { newTally, type Row } from '../row.ts';
import { run } from '../strace.ts';

const WORKER = fileURLToPath(new URL('../fuzz-worker.ts', import.meta.url));
const READERS = ['design', 'import', 'request', 'journal', 'session', 'log'] as const;
/** Four times the input may take four times as long; the rest is room for what other work on the machine adds. */
const MOST_TIMES = 9;
/** Below this (ms of CPU) nothing is measured but noise. */
const NOISE_MS = 25;
const MOST_MIB = 300;

interface Fuzzed {
  readonly times: Readonly<Record<string, readonly [number, number]>>;
  readonly failures: readonly string[];
  readonly mebibytes: number;
  readonly shapes: number;
}

/** What reads foreign input, with very much of it and with broken input. */
export const fuzz: Row = {
  what: 'the readers of designs, imported files, certificate requests, journal, session and installer log, with input of every shape in two sizes, four times apart, and with good input bent at random',
  target: `>= 10,000 inputs; four times the input takes at most ${MOST_TIMES} times as long, <= ${MOST_MIB} MiB in a process of the size of the program, nothing throws`,
  least: 10_000,
  needs: [],
  async run(torture) {
    const tally = newTally(torture.say);
    const [size, all] = torture.isShort ? [500, 50] : [5000, 2000];
    let cases = 0;
    let [slowest, slowestOf, mebibytes] = [0, '', 0];
    // A process for each, so that the memory of one is not that of those before it.
    const read = async (reader: string, shape: number, rounds: number): Promise<Fuzzed> => {
      cases += rounds + (shape < 0 ? 0 : 2);
      const args = [WORKER, reader, String(size), String(rounds), String(torture.seed), String(shape)];
      const env = { ...environmentIn(torture.dir), ...OF_SOURCES };
      const { code, stdout, stderr } = await run(process.execPath, args, { cwd: torture.dir, env });
      if (code !== 0) throw new Error(`${reader} ${shape} ended with ${code}: ${stderr.slice(-400)}`);
      const fuzzed = JSON.parse(stdout) as Fuzzed;
      for (const failure of fuzzed.failures) tally.fail(reader, failure);
      for (const [name, [one, four]] of Object.entries(fuzzed.times)) {
        const times = four < NOISE_MS ? 1 : four / Math.max(one, NOISE_MS / 4);
        if (times > slowest) [slowest, slowestOf] = [times, `${reader} of ${name}`];
        if (times > MOST_TIMES)
          tally.fail(reader, `${name}: ${Math.round(one)} ms and ${Math.round(four)} ms for four times as much`);
        if (fuzzed.mebibytes > MOST_MIB) tally.fail(reader, `${name} took ${Math.round(fuzzed.mebibytes)} MiB`);
      }
      mebibytes = Math.max(mebibytes, fuzzed.mebibytes);
      return fuzzed;
    };
    for (const reader of READERS) {
      // A short run does both in one process: its input is small.
      const { shapes } = await read(reader, torture.isShort ? 0 : -1, all);
      for (let shape = 0; !torture.isShort && shape < shapes; shape += 1) await read(reader, shape, 0);
    }
    const figure = `${cases} inputs; four times as much takes ${slowest.toFixed(1)} times as long at most (${slowestOf}); ${Math.round(mebibytes)} MiB`;
    return { cases, failures: tally.failures, figure };
  },
};
