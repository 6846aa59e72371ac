import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { diagnose } from '../../src/checks/rules/diagnose.ts';
import { createScaledClock } from '../../src/platform/clock.ts';
import { readNodeLines } from '../../src/steps/diagnose/read-logs.ts';
import { bootstrapping } from '../checks/rules/base-evidence.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen');
const NOW = Date.UTC(2026, 10, 22, 12);
const PULL =
  'Error: initializing source docker://quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:c1: reading manifest sha256:c1 in quay.io: unauthorized: access to the requested resource is not authorized';
const journalLine = (minute: string, unit: string, message: string) =>
  `2026-11-22T${minute}:00+0000 m1 ${unit}[12]: ${message}\n`;

let fixture: StepFixture | null = null;
afterEach(() => fixture?.remove());

/**
 * Starts a real sshd for each node and reads the journals over it. `runs` is the command of every login; `settings` are
 * those of its sshd.
 */
async function readJournals(
  nodes: Readonly<
    Record<string, { readonly runs: string; readonly settings?: readonly string[]; readonly isClosed?: boolean }>
  >,
) {
  const servers = await Promise.all(
    Object.entries(nodes).map(async ([address, { runs, settings, isClosed }]) => {
      const sshd = await startSshd([], settings);
      writeFileSync(
        join(sshd.dir, 'command.sh'),
        `printf '%s\\n' "$SSH_ORIGINAL_COMMAND" >>${sshd.dir}/asked\n${runs}\n`,
      );
      return { address, sshd, isClosed };
    }),
  );
  const [first] = servers;
  if (first === undefined) throw new Error('no node');
  const key = readFileSync(join(first.sshd.dir, 'user.pub'), 'utf8');
  for (const { sshd, isClosed } of servers) writeFileSync(join(sshd.dir, 'authorized'), isClosed ? '' : key);
  // The test machine has no user "core": the real ssh logs in as the user that runs the test.
  const bin = join(first.sshd.dir, 'programs');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'ssh'),
    `#!/bin/sh\nfor word; do shift; [ "$word" = core ] && word=${userInfo().username}; set -- "$@" "$word"; done\nexec ${requireProgram('ssh')} -F none "$@"\n`,
  );
  chmodSync(join(bin, 'ssh'), 0o755);
  const clock = createScaledClock({ real: Date.now(), simulated: NOW, speed: 1 });
  fixture = createStepFixture({
    clock,
    resolveEndpoint: (host) => ({
      host: SSHD_HOST,
      port: servers.find(({ address }) => address === host)?.sshd.port ?? 1,
    }),
  });
  fixture.write('.upi-wizard/empty', '');
  const context = {
    ...fixture.context,
    programDirectories: [bin],
    credentials: { ...fixture.context.credentials, sshKeyFile: join(first.sshd.dir, 'user.pub') },
  };
  const unread: [string, string][] = [];
  const lines = await readNodeLines(
    context,
    servers.map(({ address }, index) => ({ name: `m${index + 1}`, address })),
    (host, reason) => unread.push([host, reason]),
  );
  const commandLogs = servers.map(({ sshd }) => join(sshd.dir, 'asked'));
  return { lines, unread: Object.fromEntries(unread), commandLogs };
}

test('the journals of reachable nodes are read, and the rules name the cause; a banner and resolved errors are left out', async () => {
  const { lines, unread, commandLogs } = await readJournals({
    '172.16.0.21': {
      runs: `cat <<'EOF'\n${journalLine('11:58', 'machine-config-daemon-firstboot', `podman failed: ${PULL}`)}${journalLine('11:59', 'machine-config-daemon-firstboot', `podman failed: ${PULL}`)}EOF`,
      settings: ['Banner /etc/hostname', 'PrintMotd yes'],
    },
    '172.16.0.22': {
      runs: `cat <<'EOF'\n${journalLine('11:30', 'kubelet', 'dial tcp: lookup api-int.ocp45.example.localdomain on 8.8.8.8:53: no such host')}${journalLine('11:59', 'kubelet', 'all is well')}EOF`,
    },
  });
  expect(unread).toEqual({});
  expect(lines.map(({ host, text }) => `${host} ${text.slice(0, 11)}`)).toEqual([
    'm1 podman fail',
    'm1 podman fail',
    'm2 all is well',
  ]);
  const [found] = diagnose({ ...bootstrapping, lines });
  expect(found).toMatchObject({ rule: 'pull-secret-rejected', subjects: ['m1'] });
  for (const unit of ['kubelet', 'crio', 'machine-config-daemon-firstboot'])
    expect(readFileSync(commandLogs[0] ?? '', 'utf8')).toContain(`-u '${unit}'`);
});

test('a node that refuses the key or wants a password, one that hangs, and one that prints 50 MB: each is reported in bounded time, without a prompt', async () => {
  const { lines, unread } = await readJournals({
    '172.16.0.21': { runs: "head -c 50000000 /dev/zero | tr '\\0' x; echo" },
    '172.16.0.22': { runs: 'exec sleep 600' },
    '172.16.0.23': { runs: 'true', isClosed: true, settings: ['PasswordAuthentication yes'] },
  });
  expect(lines.filter(({ host }) => host === 'm1').length).toBe(1);
  expect(lines[0]?.text.length).toBeLessThan(700);
  expect(unread).toEqual({
    m2: 'the host did not answer within 20 s.',
    m3: expect.stringMatching(/^\S+@127\.0\.41\.1: Permission denied \(publickey,password\)\.$/),
  });
});
