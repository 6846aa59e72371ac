import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeSandbox, type Outcome, processesOf, root, runWizard, startProgram } from '../support/rehearsal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts;

/** Every line that README gives to a shell. */
const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
/** Those that a test can run: the others install the project, test it, or need a person. */
const runnable = lines.filter((line) => !/npm (?:ci|test)\b/.test(line));

/** A checkout whose files a command may add to: all that the project consists of is linked into it. */
function linkedCheckout(): string {
  const path = sandbox.dir('checkout');
  mkdirSync(path);
  for (const name of ['bin', 'node_modules', 'package.json']) symlinkSync(join(root, name), join(path, name));
  return path;
}

test.concurrent('every command of README does what it says there', async () => {
  const cwd = linkedCheckout();
  const run = async (line: string) => {
    const outcome = await startProgram('bash', ['-c', line], { sandbox, cwd, env: { TERM: 'dumb' } }).ended;
    expect(outcome.code, `${line}\n${outcome.stdout}\n${outcome.stderr}`).toBe(line.includes('--break') ? 4 : 0);
    return outcome;
  };
  expect(runnable.length).toBeGreaterThan(4);
  expect(runnable[0]).toBe('npm run rehearsal');
  const isLong = (line: string) => /\brehears/.test(line);
  const outcomes = new Map<string, Outcome>();
  // One after the other, as a reader types them; those that take a minute at the same time.
  for (const line of runnable.filter((each) => !isLong(each))) outcomes.set(line, await run(line));
  await Promise.all(runnable.filter(isLong).map(async (line) => outcomes.set(line, await run(line))));

  expect(readFileSync(join(cwd, 'site.yaml'), 'utf8')).toMatch(/^kind: ClusterDesign$/m);
  for (const [line, { stdout }] of outcomes) {
    if (line.includes('design schema')) expect(JSON.parse(stdout)).toHaveProperty('$schema');
    if (isLong(line) && !line.includes('--break')) expect(stdout).toContain('Everything is done and verified.');
    if (line.includes('wrong-mac')) expect(stdout).toMatch(/A machine with MAC \S+ asks for an address/);
  }
  expect(processesOf(sandbox.path), 'nothing runs on').toEqual([]);
});

test.concurrent('README names only scripts, commands and options that exist', async () => {
  const { code, stdout: help } = await runWizard(['--help'], { sandbox });
  expect(code).toBe(0);
  const named = [...readme.matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  );
  expect(named).toEqual(expect.arrayContaining(['start', 'test', 'rehearsal']));
  for (const script of named) expect(Object.keys(scripts)).toContain(script);
  const ofOthers = new Set(['--silent', '--no-install']);
  // What oc and generated scripts take is no option of ours.
  const ours = readme.replaceAll(/^.*(?:install\.sh|`oc ).*$/gm, '');
  const options = [...ours.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
  expect(options.length).toBeGreaterThan(10);
  for (const option of options.filter((each) => !ofOthers.has(each))) expect(help).toContain(option);
  const rows = [...readme.matchAll(/^\| `upi-wizard .+?` \|/gm)].map(([row]) => row.replace(/<|\[.*?\]/g, ''));
  const commands = rows.flatMap((row) =>
    [...row.matchAll(/`(?:upi-wizard )?([a-z]+(?: [a-z-]+)?)/g)].map(([, each = '']) => each),
  );
  expect(commands).toEqual(
    expect.arrayContaining(['rehearse', 'design example', 'check', 'generate', 'csr list', 'help rules']),
  );
  // The pages of the help are compared below.
  const others = commands.filter((command) => !command.startsWith('help '));
  for (const word of others.flatMap((command) => command.split(' '))) expect(help).toContain(word);
});

test.concurrent('README names every page of the help; exit codes and faults there are those of the usage', async () => {
  const page = async (...argv: string[]) => (await runWizard(argv, { sandbox })).stdout;
  const [usage, topics] = [await page('--help'), await page('help')];
  const names = [...topics.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name);
  expect([...readme.matchAll(/^\| `upi-wizard help ([a-z-]+)`/gm)].map(([, name]) => name)).toEqual(names);
  const after = /Exit codes: ([\s\S]*)/.exec(usage)?.[1] ?? '';
  const codes = [...after.matchAll(/(?<![\w.-])\d{1,3}(?![\w.-])/g)].map(([code]) => code).slice(0, 9);
  expect(codes).toEqual(['0', '1', '2', '3', '4', '5', '129', '130', '143']);
  const told = [...(await page('help', 'exit-codes')).matchAll(/^ {2}(\d+) {2}/gm)].map(([, code]) => code);
  expect(told).toEqual(codes);
  const rehearsal = await page('help', 'rehearsal');
  const faults = [...usage.matchAll(/^ +([a-z]+(?:-[a-z]+)+) {2}/gm)].map(([, fault = '']) => fault);
  expect(faults.length).toBeGreaterThanOrEqual(4);
  for (const fault of faults) expect(rehearsal).toContain(`  ${fault} `);
});

test('README holds no marks of a merge', () => {
  expect(readme).not.toMatch(/^(?:<{7}|={7}|>{7})/m);
});
