import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandbox, listProcesses, runWizard, startProgram, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

// Infra nodes on a cluster that runs on a simulated AWS: through the screens, and by the commands.

const sandbox = createSandbox();
afterAll(sandbox.remove);

const startPlain = (dir: string, ...more: readonly string[]) =>
  startProgram(process.execPath, [wizardExecutable, 'rehearse', '--cloud', 'aws', '--plain', '--dir', dir, ...more], {
    sandbox,
  });
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** Returns the lines that the real kubectl prints about the cluster of a directory. */
function runKubectl(dir: string, ...args: readonly string[]): string[] {
  const { hosts } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/dial.json'), 'utf8'));
  const server = `https://${hosts['api.shop.example.com']}:6443`;
  const target = ['--kubeconfig', join(dir, 'auth/kubeconfig'), '--server', server];
  const name = ['--tls-server-name', 'api.shop.example.com', '--cache-dir', sandbox.dir('cache')];
  const { status, stdout, stderr } = spawnSync('kubectl', [...target, ...name, ...args], { encoding: 'utf8' });
  expect([status, stderr], args.join(' ')).toEqual([0, '']);
  return stdout.trim().split('\n');
}

test.concurrent('through the screens to the report, killed among the moves; then by the commands: nothing due, and undone', async () => {
  const dir = sandbox.dir('screens');
  const first = startOnTerminal(['rehearse', '--cloud', 'aws', '--dir', dir], { sandbox });
  await first.waitFor(/Infra nodes +8\/9/);
  await first.waitFor('to do: machine-sets, pool, dns, router, registry, monitoring');
  expect(first.screen()).not.toContain('was copied from');
  // The new set is shown as a diff to the set of its zone, not as a whole.
  await first.waitFor('Why: create infra machines in the cloud, which bills them');
  const readTo = async (text: RegExp) => {
    for (let page = 0; page < 8 && !text.test(first.screen()); page += 1) {
      const [, range = ''] = /(\d+–\d+ of \d+) \(Right\)/.exec(first.screen()) ?? [];
      first.type(key.right);
      await first.waitFor(new RegExp(`^(?![\\s\\S]*${range} \\(Right\\))`));
    }
    await first.waitFor(text);
  };
  await readTo(/a copy of/);
  first.type(key.enter);
  // One line for each move; Enter opens the diff of the selected one.
  await first.waitFor(/Changes +\d+ objects of 6 moves[\s\S]*machine-sets {2}MachineSet shop-x7k2p-infra/);
  first.type(key.enter);
  await first.waitFor('Esc hide changes');
  await readTo(/- +name: shop-x7k2p-worker-us-east-2a[\s│]+\+ +name: shop-x7k2p-infra-us-east-2a/);
  first.type('y');
  await first.waitFor(/of 3 machines Ready\.[\s\S]*Provision/);
  expect(first.screen()).not.toContain('Repair what the reason above names');
  await first.kill9();

  const second = startOnTerminal(['--dir', dir], { sandbox });
  await second.waitFor(/Infra nodes +8\/9/);
  await second.waitFor(/machine-sets +✔ done/);
  // The job of the moves went on: the page follows it, and asks nothing.
  await second.waitFor('Done. Enter opens the next step.');
  expect(second.screen()).toMatch(/router: 0 of \d+ requests failed during the move \(console, canary, API\)/);
  second.type(key.enter);
  await second.waitFor(/Report +9\/9/);
  second.type(key.ctrl('s'));
  await second.exit;

  const run = (...args: readonly string[]) => runWizard(['infra', ...args, '--dir', dir], { sandbox });
  const verified = await run('verify', '--json');
  expect([verified.code, verified.stderr]).toEqual([0, '']);
  const sets = () => runKubectl(dir, 'get', 'machinesets', '-n', 'openshift-machine-api', '-o', 'name');
  const infra = () => runKubectl(dir, 'get', 'nodes', '-l', 'node-role.kubernetes.io/infra', '-o', 'name');
  const routers = () =>
    runKubectl(dir, 'get', 'pods', '-n', 'openshift-ingress', '-o', 'jsonpath={.items[*].spec.nodeName}');
  if (hasKubectl) {
    expect([sets().length, infra().length]).toEqual([6, 3]);
    expect(
      infra()
        .map((name) => name.replace('node/', ''))
        .sort(),
    ).toEqual(routers()[0]?.split(' ').sort());
  }
  const plan = await run('plan');
  expect([plan.code, plan.stdout.match(/^\S+ +(?:to do|blocked)/gm)]).toEqual([0, null]);
  const undone = await run('undo', '--yes');
  expect([undone.code, undone.stdout], undone.stderr).toEqual([0, expect.stringMatching(/^machine-sets +to do/m)]);
  expect(undone.stderr).toMatch(/Deleting/);
  if (hasKubectl) {
    expect(sets().map((name) => name.replace(/.*-/, ''))).toEqual(['2a', '2b', '2c']);
    expect([infra(), routers()[0]?.split(' ').length]).toEqual([[''], 2]);
  }
  expect((await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox })).code).toBe(0);
  expect(listProcesses(dir)).toEqual([]);
});

test.concurrent('in plain lines without answers and without a terminal: killed while the machines come, then to the end', async () => {
  const dir = sandbox.dir('plain');
  const first = startPlain(dir);
  await first.waitForOutput(/of 3 machines Ready\..* Provisioned/);
  const status = await runWizard(['status', '--json', '--dir', dir], { sandbox });
  expect(JSON.parse(status.stdout)).toMatchObject({ stage: 'infra', infraJob: { state: 'running' } });
  await first.kill9();
  const outcome = await startPlain(dir).exit;
  expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ code: 0, signal: null });
  expect(outcome.stdout.match(/^\[\d+\/9\] .*/gm)).toEqual(['[8/9] Infra nodes', '[9/9] Report']);
  // The next run follows the job from its beginning. Nothing is created twice.
  const jobLog = readFileSync(join(dir, '.upi-wizard/jobs/infra-moves.log'), 'utf8');
  const created = jobLog.match(/MachineSet \S+: created/g) ?? [];
  expect(created).toHaveLength(3);
  expect(new Set(created).size).toBe(3);
  expect(outcome.stdout).toMatch(/router: 0 of \d+ requests failed during the move \(console, canary, API\)/);
  expect(outcome.stdout).toContain('Everything is done and verified.');
  expect(readFileSync(join(dir, 'report.md'), 'utf8')).toMatch(/\| ip-10-0-\S+ \| .*infra/);
  expect(readFileSync(join(dir, 'report.md'), 'utf8')).toContain(
    '- Rehearsal: the machines and the cluster are simulated',
  );
  expect(listProcesses(dir)).toEqual([]);

  // The directory is a rehearsal: without the word "rehearse", too, its steps act on the simulated site alone.
  const resumed = await runWizard(['--plain', '--dir', dir], { sandbox });
  expect(resumed, resumed.stdout + resumed.stderr).toMatchObject({ code: 0, signal: null });
  expect(resumed.stdout.match(/^\[\d+\/9\] .*/gm)).toEqual(['[8/9] Infra nodes', '[9/9] Report']);
  expect(resumed.stderr).toContain(`rehearse --stop --dir ${dir}`);
  expect((await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox })).code).toBe(0);
  expect(listProcesses(dir)).toEqual([]);
});

test.concurrent('a machine that the cloud cannot create: the error of the cloud, a remedy, and the continuation', async () => {
  const dir = sandbox.dir('fails');
  const outcome = await startPlain(dir, '--break', 'machine-fails').exit;
  expect([outcome.code, outcome.stdout]).toEqual([4, expect.stringContaining('InsufficientInstanceCapacity')]);
  const [, machine = ''] = /oc delete machine -n openshift-machine-api ([\w-]+)$/m.exec(outcome.stdout) ?? [];
  expect(machine).toMatch(/^shop-x7k2p-infra-us-east-2[abc]-\w{5}$/);

  // The same on the screen; its remedy works.
  const run = startOnTerminal(['rehearse', '--dir', dir], { sandbox });
  await run.waitFor(/machine-sets +✖ failed/);
  await run.waitFor(new RegExp(`oc delete machine -n openshift-machine-api \\\\[\\s│▐]+${machine}`));
  if (hasKubectl) {
    runKubectl(dir, 'delete', 'machine', '-n', 'openshift-machine-api', machine, '--wait=false');
    await run.waitFor(/machine-sets +✔ done/);
  }
  run.type(key.ctrl('s'));
  await run.exit;
  expect((await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox })).code).toBe(0);
});
