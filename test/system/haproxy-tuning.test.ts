import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ApiState, SPEED, startApiDouble, startClient, sumCounts } from '../support/api-reboot.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { findFreePort } from '../support/free-port.ts';
import { requireProgram, testWith } from '../support/programs.ts';

// How HAProxy should check API servers: a real HAProxy, three of them, and requests that fail meanwhile. The time of
// the cluster runs faster, that of HAProxy's checks as well.

interface CheckParameters {
  /** Parameters of a server. */
  readonly server: string;
  /** Seconds until a check fails. */
  readonly timeout: number;
}

const generated = generateFileText(exampleSite(), 'lb1/etc/haproxy/haproxy.cfg');
const [, ownServer = ''] = /^ +server m1 \S+:6443 check check-ssl verify none (.*)$/m.exec(generated) ?? [];
const OWN = 'haproxy.cfg';
const TUNINGS: Readonly<Record<string, CheckParameters>> = {
  [OWN]: { server: ownServer, timeout: 5 },
  // docs/dev/kube-apiserver-health-check.md of the installer.
  'installer docs': { server: 'inter 10s fall 3 rise 2', timeout: 5 },
  'installer#9273': { server: 'inter 5s fall 3 rise 1', timeout: 10 },
};

/** Scenes of one API server, or of all of them: their states, with the seconds of each. */
const SCENES: readonly {
  readonly name: string;
  readonly servers: 1 | 3;
  readonly phases: readonly (readonly [ApiState, number])[];
}[] = [
  // kube-apiserver keeps serving for 70 s after its /readyz turned red.
  {
    name: 'reboot',
    servers: 1,
    phases: [
      ['leaving', 70],
      ['gone', 60],
      ['early', 30],
      ['works', 90],
    ],
  },
  {
    name: 'power loss',
    servers: 1,
    phases: [
      ['frozen', 20],
      ['gone', 60],
      ['early', 30],
      ['works', 90],
    ],
  },
  {
    name: 'all gone for 20 s',
    servers: 3,
    phases: [
      ['gone', 20],
      ['works', 60],
    ],
  },
];

const scale = (text: string) => text.replace(/\b(\d+)s\b/g, (_, seconds) => `${(Number(seconds) * 1000) / SPEED}ms`);
const waitSeconds = (seconds: number) => sleep((seconds * 1000) / SPEED);

/** Starts HAProxy in front of API servers at these ports. */
async function startBalancer({ server, timeout }: CheckParameters, members: readonly number[]) {
  const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const port = await findFreePort();
  const servers = members.map((member, index) => `    server m${index} 127.0.0.1:${member} check ${server}`);
  // The timeouts of the generated file.
  const text = `defaults
    mode tcp
    option redispatch 1
    retries 3
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout tunnel 3600s
    timeout check ${timeout}s
listen api
    bind 127.0.0.1:${port}
    balance roundrobin
    option httpchk GET /readyz
    http-check expect status 200
${servers.join('\n')}
`;
  const file = join(dir, 'haproxy.cfg');
  writeFileSync(file, scale(text));
  const haproxy = spawn(requireProgram('haproxy'), ['-db', '-f', file], { stdio: 'ignore' });
  const ended = once(haproxy, 'exit');
  return {
    port,
    async stop() {
      haproxy.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Plays a scene, with clients that open a connection for each request, and clients that keep theirs. */
async function play(tuning: CheckParameters, { servers, phases }: (typeof SCENES)[number]) {
  const doubles = await Promise.all([startApiDouble(), startApiDouble(), startApiDouble()]);
  const balancer = await startBalancer(
    tuning,
    doubles.map(({ port }) => port),
  );
  try {
    // Each server has passed its first checks.
    await waitSeconds(20);
    const startClients = (count: number, isLasting: boolean) =>
      Array.from({ length: count }, () => startClient(balancer.port, isLasting));
    const clients = { fresh: startClients(3, false), lasting: startClients(6, true) };
    await waitSeconds(10);
    for (const [state, seconds] of phases) {
      await Promise.all(doubles.slice(0, servers).map((double) => double.setState(state)));
      await waitSeconds(seconds);
    }
    const stop = async (some: typeof clients.fresh) =>
      sumCounts(await Promise.all(some.map((client) => client.stop())));
    return { fresh: await stop(clients.fresh), lasting: await stop(clients.lasting) };
  } finally {
    await balancer.stop();
    await Promise.all(doubles.map((double) => double.stop()));
  }
}

testWith('haproxy')(
  'fewer new connections fail with the generated checks than with others, when a node restarts',
  async () => {
    const lines = ['scene              checks          new connections: failed, s   lasting ones: failed, s'];
    const failedAtRestart: Record<string, number> = {};
    const secondsWithout: Record<string, number> = {};
    for (const scene of SCENES) {
      const rows = await Promise.all(
        Object.entries(TUNINGS).map(async ([name, tuning]) => ({ name, ...(await play(tuning, scene)) })),
      );
      for (const { name, fresh, lasting } of rows) {
        expect(fresh.requests + lasting.requests, `${scene.name}, ${name}`).toBeGreaterThan(300);
        if (scene.servers === 1) failedAtRestart[name] = (failedAtRestart[name] ?? 0) + fresh.failed;
        else secondsWithout[name] = fresh.seconds;
        const cells = [`${fresh.failed}, ${fresh.seconds}`.padEnd(28), `${lasting.failed}, ${lasting.seconds}`];
        lines.push([scene.name.padEnd(18), name.padEnd(15), ...cells].join(' '));
      }
    }
    process.stdout.write(`${lines.join('\n')}\n`);
    const { [OWN]: own = Number.POSITIVE_INFINITY, ...others } = failedAtRestart;
    for (const [name, count] of Object.entries(others)) expect(own, name).toBeLessThan(count);
    // The price: an outage of all of them lasts until three checks passed again, some seconds longer than otherwise.
    expect(secondsWithout[OWN]).toBeLessThan(45);
  },
);
