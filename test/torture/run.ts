// Tests the program against what users, machines and networks do to it, and writes test/torture/RESULTS.md.
// Usage: run.ts [--list] [--short] [--seed N] [ROW...]. A short run tries a few cases of each row and writes no
// results.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import '../support/language.ts';
import '../support/loader.ts';
import { findProgram } from '../support/programs.ts';
import { stopProcesses } from '../support/rehearsal-run.ts';
import { type RowResult, writeResults } from './results.ts';
import { createRandom, createTally, type Outcome, type Row } from './row.ts';
import { ROWS } from './rows.ts';

/** Cleanups after a row or, in a short run, after the last row. */
const cleanups: (() => Promise<void>)[] = [];

async function runCleanups(): Promise<void> {
  for (const remove of cleanups.splice(0)) await remove();
}

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));

function listMissingNeeds({ needs }: Row): readonly string[] {
  return needs.filter((need) => (need === 'root' ? process.getuid?.() !== 0 : findProgram(need) === null));
}

async function runRow(name: string, row: Row, options: { seed: number; isShort: boolean }): Promise<RowResult> {
  const dir = mkdtempSync(join(tmpdir(), `torture-${name}-`));
  const report = (line: string) => void process.stderr.write(`${name}: ${line}\n`);
  const startedAt = Date.now();
  report(`seed ${options.seed}`);
  let outcome: Outcome;
  try {
    const atEnd = (remove: () => Promise<void>) => void cleanups.push(remove);
    outcome = await row.run({ dir, report, atEnd, random: createRandom(options.seed), ...options });
  } catch (error) {
    const tally = createTally(report);
    tally.fail('the row itself', error instanceof Error ? (error.stack ?? error.message) : String(error));
    outcome = { cases: 0, failures: tally.failures, figure: 'did not finish' };
  } finally {
    if (!options.isShort) await runCleanups();
    await stopProcesses(dir);
    rmSync(dir, { recursive: true, force: true });
  }
  const seconds = (Date.now() - startedAt) / 1000;
  process.stdout.write(
    `${name}: ${outcome.figure}; ${outcome.failures.length} failures; ${seconds.toFixed(1)} s; seed ${options.seed}\n`,
  );
  return { name, row, outcome, seed: options.seed, seconds, day: new Date().toISOString().slice(0, 10) };
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      seed: { type: 'string' },
    },
  });
  const names = Object.keys(ROWS);
  if (values.list) {
    process.stdout.write(`${names.join('\n')}\n`);
    return 0;
  }
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`No row ${unknown.join(', ')}; there are: ${names.join(', ')}.\n`);
    return 2;
  }
  const isShort = values.short;
  // A short run has a fixed seed: a failure then comes from the change.
  const seed = Number(values.seed ?? (isShort ? 1 : 1 + Math.floor(Math.random() * 1_000_000)));
  let hasPassed = true;
  for (const [name, load] of Object.entries(ROWS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const row = await load();
    const missingNeeds = listMissingNeeds(row);
    if (missingNeeds.length > 0) {
      process.stdout.write(`${name}: not run, needs ${missingNeeds.join(', ')}\n`);
      hasPassed &&= process.env.UPI_WIZARD_REQUIRE_SYSTEM !== '1';
      continue;
    }
    const result = await runRow(name, row, { seed, isShort });
    hasPassed &&= result.outcome.failures.length === 0 && (isShort || result.outcome.cases >= row.minCases);
    if (!isShort) writeResults(RESULTS, [result], names);
  }
  await runCleanups();
  return hasPassed ? 0 : 1;
}

// A wait for a killed program must not delay the exit.
process.exit(await main());
