import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTally, type Row, sampleEvenly, type Torture } from '../row.ts';
import { copyTree, createEnvironment, diffFiles, PROGRAM, readFilesBelow, writeDesign } from '../run-files.ts';
import { findFatalCall, listKillPoints, run, runTraced } from '../strace.ts';

/** State of the output directory before the killed run. */
const SCENES = [
  'into an empty directory',
  'over the files of another design',
  'with --force over edited files',
] as const;

/** `generate` is killed before each of its writing calls. The next run finishes and reports no edited files. */
export const killGenerate: Row = {
  description:
    'Kill generate with SIGKILL before each system call that writes: into an empty directory, over another design, and with --force. Then run it again.',
  target:
    '>= 200 kill points (300 together with the next two rows); the next run exits with 0 and writes the same files as an uninterrupted run; no file is half written',
  minCases: 200,
  needs: ['strace'],
  run: runAll,
};

async function runAll(torture: Torture) {
  const tally = createTally(torture.report);
  const env = createEnvironment(torture.dir);
  const before = writeDesign(join(torture.dir, 'before'));
  const after = writeDesign(join(torture.dir, 'after'), { 'example.localdomain': 'other.localdomain' });
  const scenes = torture.isShort ? SCENES.slice(1, 2) : SCENES;
  let exact = 0;
  for (const scene of scenes) {
    const base = join(torture.dir, `base-${SCENES.indexOf(scene)}`);
    const force = scene === SCENES[2] ? ['--force'] : [];
    const generate = (design: string, out: string) => [...PROGRAM, 'generate', design, '--out', out, ...force];
    if (scene !== SCENES[0]) {
      const [file = '', ...args] = generate(before, base);
      await run(file, args, { cwd: torture.dir, env });
    }
    if (scene === SCENES[2]) appendFileSync(join(base, 'ns1/etc/named.conf'), '// mine\n');
    const createOutput = async (name: string) => {
      const out = join(torture.dir, name);
      rmSync(out, { recursive: true, force: true });
      if (scene !== SCENES[0]) copyTree(base, out);
      return out;
    };
    const reference = await createOutput('whole');
    const log = join(torture.dir, 'whole.log');
    await runTraced({ argv: generate(after, reference), cwd: torture.dir, env, log });
    const [old, expected] = [readFilesBelow(base), readFilesBelow(reference)];
    const points = listKillPoints(log, reference);
    for (const point of sampleEvenly(points, torture.isShort ? 2 : 75)) {
      await tally.try(`${scene}, before ${point.what}`, async () => {
        const out = await createOutput('killed');
        const killedLog = join(torture.dir, 'killed.log');
        const inject = `${point.name}:signal=SIGKILL:when=${point.nth}`;
        await runTraced({ argv: generate(after, out), cwd: torture.dir, env, log: killedLog, inject });
        if (findFatalCall(killedLog, out) !== null) exact += 1;
        const partialFiles = [...readFilesBelow(out)].filter(
          ([name, text]) =>
            !/\.tmp$|\.begun$|\.orig$/.test(name) && text !== old.get(name) && text !== expected.get(name),
        );
        const [file = '', ...args] = generate(after, out);
        const again = await run(file, args, { cwd: torture.dir, env });
        return [
          ...partialFiles.map(([name]) => `${name} was half written`),
          ...(again.code === 0 ? [] : [`the next run ended with ${again.code}: ${again.stderr}`]),
          ...diffFiles(readFilesBelow(out), expected),
        ];
      });
    }
    torture.report(`${scene}: ${points.length} calls`);
  }
  return {
    cases: tally.cases(),
    failures: tally.failures,
    figure: `${tally.cases()} kill points, ${exact} of them right before a system call that changes the directory`,
  };
}
