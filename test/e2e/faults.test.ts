import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findSite } from '../../src/rehearsal/site-client.ts';
import { eventually } from '../support/eventually.ts';
import { readMachines } from '../support/rehearsal-expectations.ts';
import { createSandbox, listProcesses, startRehearsal } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

/** Plays the example with a fault. Asserts that it ends with "no" and leaves no process. */
async function playFault(fault: string): Promise<{ readonly dir: string; readonly stdout: string }> {
  const dir = sandbox.dir(fault);
  const { code, signal, stdout } = await startRehearsal(dir, { sandbox, fault }).exit;
  expect({ code, signal }, stdout).toEqual({ code: 4, signal: null });
  expect(stdout).not.toContain('Everything is done and verified');
  expect(stdout).toContain(`\nInjected faults: ${fault}.\n`);
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
  return { dir, stdout };
}

test.concurrent('a node that never boots is named, with the MAC address to compare', async () => {
  const { dir, stdout } = await playFault('node-never-boots');
  const [, node = '', mac = ''] =
    /^ {2}fatal: (\w+) never sent a request\n {4}because: .*\n {4}do this: .*MAC address in the design is (\S+)\. /m.exec(
      stdout,
    ) ?? [];
  expect(stdout).toContain(`power on ${node}\n`);
  expect(readMachines(dir)[node]?.mac).toBe(mac);
  // A run that had to wait for a busy machine also says that the node has not joined.
  expect(stdout).toMatch(
    new RegExp(
      `^Not verified:(?: ${node} never sent a request|\\n  - ${node} never sent a request\\n  - ${node} has not joined)$`,
      'm',
    ),
  );
});

// A wrong MAC address is among the commands of README: readme.test.ts.

test.concurrent('hostile requests are refused with their reasons, are never approved, and do not stop the rest', async () => {
  const { dir, stdout } = await playFault('hostile-csr');
  const refused = [...stdout.matchAll(/^ {2}warning: Request (\S+) for (\S+) is refused: (.+ \([A-Z_]+\))$/gm)];
  expect(refused.length).toBeGreaterThanOrEqual(2);
  for (const [, name = '', , reasons = ''] of refused) {
    expect(reasons).not.toBe('');
    expect(readConditions(dir, name)).toEqual([]);
    expect(stdout).not.toContain(`approved ${name} `);
  }
  expect(stdout).toContain('No node of the design has this name.');
  expect(stdout).toMatch(/all 9 nodes joined/);
  expect(stdout).toMatch(/^\[17\/17\] Report$/m);
});

test.concurrent('an operator that stays degraded is named with its message, its cause and a remedy', async () => {
  const { stdout } = await playFault('operator-degraded');
  const [, operator = '', message = ''] =
    /^ {2}fatal: (\S+): waiting for space on a disk, which is full\n {4}because: (.*)$/m.exec(stdout) ?? [];
  expect(operator).not.toBe('');
  expect(message).toContain('no space left on device');
  expect(stdout).toMatch(
    new RegExp(`do this: Free space on its node.*\n +oc get pods -A -o wide \\| grep ${operator}\n`),
  );
  // Another operator may be about to finish at that moment and is reported as well.
  expect(stdout).toMatch(
    new RegExp(`^Not verified:(?: |(?:\\n  - .*)*\\n  - )${operator}: waiting for space on a disk, which is full`, 'm'),
  );
});

test.concurrent('a load balancer without the bootstrap is diagnosed as in a real installation', async () => {
  const dir = sandbox.dir('no-bootstrap');
  const run = startRehearsal(dir, { sandbox });
  // An administrator reloads an older file on the load balancer while the machines boot.
  await run.waitForOutput(/^ {2}power on bs$/m);
  await changeOnHost(dir, 'lb1', 'etc/haproxy/haproxy.cfg', (text) => text.replace(/^ +server bs .*\n/gm, ''));
  const { code, stdout } = await run.exit;
  expect(code, stdout).toBe(4);
  expect(stdout).toMatch(
    /fatal: The bootstrap node serves the API, but the load balancer does not forward to it\n {4}because: 172\.16\.0\.11 /,
  );
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});

test.concurrent('a wrong zone on the name server is detected at the next start, and corrected', async () => {
  const dir = sandbox.dir('wrong-zone');
  const first = startRehearsal(dir, { sandbox });
  await first.waitForOutput(/^\[10\/17\]/m);
  await first.kill9();
  // For a minute after files are put in place, a wrong answer means that the service is still loading them.
  const now = () => Number(readFileSync(join(dir, '.upi-wizard/site/now.json'), 'utf8'));
  const startTime = await eventually(now);
  await eventually(() => expect(now() - startTime).toBeGreaterThan(60_000));
  const wrongAddress = (text: string) => text.replace(/^(api\.ocp45\s.*)172\.16\.0\.111$/m, '$1172.16.0.99');
  await changeOnHost(dir, 'ns1', 'var/named/example.localdomain.zone', wrongAddress);
  const second = startRehearsal(dir, { sandbox });
  await second.waitForOutput(/^\[10\/17\]/m);
  const { stdout } = await second.kill9();
  const hosts = stdout.slice(stdout.indexOf('[9/17]'), stdout.indexOf('[10/17]'));
  expect(hosts).not.toContain('already done');
  expect(hosts).toContain('putting the files of ns1 in place');
  expect(hosts).toContain('names and load balancer answer as designed');
});

/** Returns the conditions of a request, as the API server of the site stores them. */
function readConditions(dir: string, name: string): readonly unknown[] {
  const { store } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/world.json'), 'utf8')) as {
    store: { objects: Record<string, { metadata: { name: string }; status?: { conditions?: unknown[] } }[]> };
  };
  const requests = store.objects['certificatesigningrequests.certificates.k8s.io'] ?? [];
  const request = requests.find(({ metadata }) => metadata.name === name);
  if (!request) throw new Error(`the site has no request ${name}`);
  return request.status?.conditions ?? [];
}

/** Puts a changed copy of the generated files in place on a host, as its administrator could. */
async function changeOnHost(dir: string, host: string, path: string, change: (text: string) => string): Promise<void> {
  const copy = sandbox.dir(`changed-${host}-${readdirSync(sandbox.path).length}`);
  cpSync(join(dir, 'files', host), copy, { recursive: true });
  const before = readFileSync(join(copy, path), 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(join(copy, path), after);
  const site = await findSite(join(dir, '.upi-wizard/site'));
  await site?.manualActions.installHostFiles(host, copy);
}
