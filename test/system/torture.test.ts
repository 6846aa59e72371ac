// A few cases of each row of the torture table; `npm run torture` runs them whole.
import { expect, test } from 'vitest';
import { createSandbox, repoRoot, startProgram } from '../support/rehearsal-run.ts';
import { ROWS } from '../torture/rows.ts';

/** Rows that play on one rehearsed cluster, and those that begin with one traced session. */
const TOGETHER: readonly (readonly string[])[] = [
  ['kill-moves', 'kill-undo'],
  ['power-loss', 'full-disk', 'state-damage'],
];
const RUNS = [
  ...TOGETHER,
  ...Object.keys(ROWS).flatMap((row) => (TOGETHER.some((rows) => rows.includes(row)) ? [] : [[row]])),
];

// Most of them wait for programs: three at a time.
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
