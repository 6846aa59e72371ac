// A few cases of each row of the torture table. `npm run torture` runs all of them.
import { expect, test } from 'vitest';
import { createSandbox, repoRoot, startProgram } from '../support/rehearsal-run.ts';
import { ROWS } from '../torture/rows.ts';

/** Rows that share one rehearsed cluster, and rows that start from one traced session. */
const SHARED_RUNS: readonly (readonly string[])[] = [
  ['kill-moves', 'kill-undo'],
  ['power-loss', 'full-disk', 'state-damage'],
];
const RUNS = [
  ...SHARED_RUNS,
  ...Object.keys(ROWS).flatMap((row) => (SHARED_RUNS.some((rows) => rows.includes(row)) ? [] : [[row]])),
];

// Most of them wait for programs, so three run at a time.
test.concurrent.each(RUNS.map((rows) => [rows.join(' and '), rows] as const))('%s, in short', async (_names, rows) => {
  const sandbox = createSandbox();
  try {
    const argv = ['test/torture/run.ts', '--short', ...rows];
    const { UPI_WIZARD_REQUIRE_SYSTEM = '', NODE_COMPILE_CACHE = '' } = process.env;
    const env = { UPI_WIZARD_REQUIRE_SYSTEM, NODE_COMPILE_CACHE };
    const { code, stdout, stderr } = await startProgram(process.execPath, argv, { sandbox, env, cwd: repoRoot }).exit;
    expect(code, stdout + stderr).toBe(0);
  } finally {
    await sandbox.remove();
  }
});
