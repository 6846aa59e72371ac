import { afterAll, expect, test } from 'vitest';
import { createSandbox, runWizard, startRehearsal, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

interface Findings {
  readonly findings: readonly { readonly rule: string; readonly likelihood: string; readonly evidence: string[] }[];
}

interface Checks {
  readonly checks: readonly { readonly id: string; readonly result: string }[];
}

const REHEARSAL_LINE = 'REHEARSAL: a simulated site, no real machine';
const TITLE = 'Nodes cannot reach the Machine Config Server (22623)';

test('diagnose names the planted cause of a running rehearsal: in lines, as JSON, and by ! on a live screen', async () => {
  const dir = sandbox.dir('closed');
  const rehearsal = startRehearsal(dir, { sandbox, fault: 'config-server-closed' });
  await rehearsal.waitForOutput(/^ {2}power on m3$/m);
  await rehearsal.kill9();

  const lines = await runWizard(['diagnose', '--dir', dir], { sandbox });
  expect(lines.code, lines.stderr).toBe(4);
  expect(lines.stdout.split('\n')[0]).toBe(REHEARSAL_LINE);
  expect(lines.stdout.split('\n')[1]).toContain(`1. ${TITLE}`);
  expect(lines.stdout).toMatch(/^ +\$ curl -.+$/m);
  // The command repeats how this run was started, so that it works when pasted.
  expect(lines.stdout).toContain(`    node ${wizardExecutable} --dir ${dir}\n`);

  const json = await runWizard(['diagnose', '--dir', dir, '--json'], { sandbox });
  expect(json.code, json.stderr).toBe(4);
  const [first] = (JSON.parse(json.stdout) as Findings).findings;
  expect(first).toMatchObject({ rule: 'config-server-closed', likelihood: 'certain' });
  expect(first?.evidence.length).toBeGreaterThan(0);
  expect(Object.keys(first ?? {}).toSorted()).toMatchInlineSnapshot(`
    [
      "cause",
      "evidence",
      "explained",
      "howToBeSure",
      "likelihood",
      "rule",
      "subjects",
      "symptom",
      "title",
      "whatToDo",
    ]
  `);

  // The simulated bastion serves the boot program over TFTP and over HTTP. Without oc, a rehearsal misses nothing.
  const programs = await runWizard(['check', '--dir', dir, '--only', 'tftp,http-boot-program,oc', '--json'], {
    sandbox,
  });
  const { checks } = JSON.parse(programs.stdout) as Checks;
  const checkLines = await runWizard(['check', '--dir', dir, '--only', 'tftp'], { sandbox });
  expect(checkLines.stdout.split('\n')[0]).toBe(REHEARSAL_LINE);
  expect(checks.map(({ id, result }) => `${id} ${result}`).toSorted()).toEqual([
    'http-boot-program ok',
    'tftp ok',
    'tftp ok',
  ]);

  const run = startOnTerminal(['--dir', dir], { sandbox });
  await run.waitFor('11/17');
  run.type('!');
  await run.waitFor(TITLE);
  run.type(key.escape);
  await run.waitUntil(() => !run.screen().includes(TITLE), 'the page without what was found');
  expect(run.screen()).toContain('11/17');
  await run.kill9();
});
