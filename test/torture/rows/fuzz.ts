import { fileURLToPath } from 'node:url';
import { createTally, type Row } from '../row.ts';
import { createEnvironment, SOURCE_ENV } from '../run-files.ts';
import { run } from '../strace.ts';

const WORKER = fileURLToPath(new URL('../fuzz-worker.ts', import.meta.url));
const READERS = ['design', 'import', 'request', 'journal', 'session', 'log'] as const;

/** Four times the input may take four times as long. The rest allows for other load on the machine. */
const MAX_SLOWDOWN = 9;

/** Below this CPU time (ms) a measurement is only noise. */
const NOISE_MS = 25;
const MAX_MIB = 300;

interface FuzzResult {
  readonly times: Readonly<Record<string, readonly [number, number]>>;
  readonly failures: readonly string[];
  readonly mebibytes: number;
  readonly shapes: number;
}

/** The parsers of foreign input, with very large and with broken input. */
export const fuzz: Row = {
  description:
    'Run the parsers of designs, imported files, certificate requests, journal, session and installer log on input of every shape in two sizes (factor 4), and on valid input with random mutations.',
  target: `>= 10,000 inputs; four times the input takes at most ${MAX_SLOWDOWN} times as long, memory <= ${MAX_MIB} MiB in a process as large as the program, no parser throws`,
  minCases: 10_000,
  needs: [],
  async run(torture) {
    const tally = createTally(torture.report);
    const [size, totalRounds] = torture.isShort ? [500, 50] : [5000, 2000];
    let cases = 0;
    let [slowest, slowestInput, mebibytes] = [0, '', 0];
    // One process each: its memory must not include that of earlier ones.
    const runReader = async (reader: string, shape: number, rounds: number): Promise<FuzzResult> => {
      cases += rounds + (shape < 0 ? 0 : 2);
      const args = [WORKER, reader, String(size), String(rounds), String(torture.seed), String(shape)];
      const env = { ...createEnvironment(torture.dir), ...SOURCE_ENV };
      const { code, stdout, stderr } = await run(process.execPath, args, { cwd: torture.dir, env });
      if (code !== 0) throw new Error(`${reader} ${shape} ended with ${code}: ${stderr.slice(-400)}`);
      const result = JSON.parse(stdout) as FuzzResult;
      for (const failure of result.failures) tally.fail(reader, failure);
      for (const [name, [one, four]] of Object.entries(result.times)) {
        const slowdown = four < NOISE_MS ? 1 : four / Math.max(one, NOISE_MS / 4);
        if (slowdown > slowest) [slowest, slowestInput] = [slowdown, `${reader} of ${name}`];
        if (slowdown > MAX_SLOWDOWN)
          tally.fail(reader, `${name}: ${Math.round(one)} ms and ${Math.round(four)} ms for four times the input`);
        if (result.mebibytes > MAX_MIB) tally.fail(reader, `${name} took ${Math.round(result.mebibytes)} MiB`);
      }
      mebibytes = Math.max(mebibytes, result.mebibytes);
      return result;
    };
    for (const reader of READERS) {
      // A short run does both in one process: its input is small.
      const { shapes } = await runReader(reader, torture.isShort ? 0 : -1, totalRounds);
      for (let shape = 0; !torture.isShort && shape < shapes; shape += 1) await runReader(reader, shape, 0);
    }
    const figure = `${cases} inputs; four times the input takes at most ${slowest.toFixed(1)} times as long (${slowestInput}); ${Math.round(mebibytes)} MiB`;
    return { cases, failures: tally.failures, figure };
  },
};
