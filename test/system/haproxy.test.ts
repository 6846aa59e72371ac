import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished } from 'vitest';
import { STAGES, type Stage } from '../../src/design/choices.ts';
import type { Design, ServiceHost } from '../../src/design/model.ts';
import { eventually } from '../support/eventually.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { createExampleDesign } from '../support/example-document.ts';
import {
  API,
  API_INT,
  adaptConfig,
  createLoopback,
  findResponder,
  INGRESS,
  type Loopback,
  listResponders,
  MACHINE_CONFIG,
  type Member,
  openConnection,
  startMember,
} from '../support/load-balancer.ts';
import { requireProgram, testWith } from '../support/programs.ts';

const FILE = 'lb1/etc/haproxy/haproxy.cfg';

/**
 * Starts HAProxy as its unit does, with a master. Returns a function that reloads it like the unit (haproxy.service,
 * ExecReload).
 */
async function startBalancer(
  design: Design,
  stage: Stage,
  mapping: Loopback,
): Promise<(stage: Stage) => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const file = join(dir, 'haproxy.cfg');
  const write = (now: Stage) => writeFileSync(file, adaptConfig(generateFileText(design, FILE, now), mapping, dir));
  write(stage);
  const haproxy = spawn(requireProgram('haproxy'), ['-W', '-db', '-f', file], { stdio: 'ignore' });
  const ended = once(haproxy, 'exit');
  onTestFinished(async () => {
    haproxy.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  return async (now) => {
    const before = await readWorkerPid(dir);
    write(now);
    haproxy.kill('SIGUSR2');
    // A signal that arrives while HAProxy still handles the previous one is lost.
    await eventually(async () => expect(await readWorkerPid(dir)).not.toBe(before));
  };
}

/** Reads the process ID of the current worker from its socket. */
async function readWorkerPid(dir: string): Promise<string> {
  const socket = connect(join(dir, 'stats'));
  socket.setEncoding('utf8');
  let reply = '';
  socket.on('data', (text: string) => {
    reply += text;
  });
  socket.write('show info\n');
  await once(socket, 'close');
  const pid = /^Pid: (\d+)$/m.exec(reply)?.[1];
  if (pid === undefined) throw new Error(`no process in ${reply}`);
  return pid;
}

interface BalancedSite {
  readonly mapping: Loopback;
  readonly members: Map<string, Member>;
  /** Reloads HAProxy with another stage. */
  readonly reload: (stage: Stage) => Promise<void>;
}

async function startSite(second: number, stage: Stage, design = exampleSite()): Promise<BalancedSite> {
  const mapping = createLoopback(second);
  const members = new Map<string, Member>();
  for (const { name, ip } of design.nodes) members.set(name, await startMember(name, ip[0]!, mapping));
  const reload = await startBalancer(design, stage, mapping);
  await eventually(async () => expect(await findResponder(API, mapping)).not.toBeNull());
  return { mapping, members, reload };
}

describe('haproxy', () => {
  testWith('haproxy')('accepts every stage, on every system and for both families', async () => {
    const { services, nodes, endpoints } = exampleSite();
    const ipv6Changes = {
      nodes: nodes.map((node, index) => ({ ...node, ip: [`2001:db8::${index + 1}`] })),
      endpoints: { ...endpoints, api: ['2001:db8::111'], apiInt: ['2001:db8::110'], ingress: ['2001:db8::111'] },
    };
    const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    for (const os of ['rhel8', 'rhel9', 'rhel10', 'debian'] as const) {
      const servers: ServiceHost[] = [{ name: 'lb1', ip: ['172.16.0.112'], os }];
      const changes = { services: { ...services, loadBalancer: { kind: 'haproxy' as const, servers } } };
      for (const stage of STAGES) {
        for (const design of [exampleSite(changes), exampleSite({ ...changes, ...ipv6Changes })]) {
          // Accounts and directories are those of the target system, not of the test host.
          const text = generateFileText(design, FILE, stage).replace(/^ +(?:user|group|chroot) .*\n/gm, '');
          writeFileSync(join(dir, 'haproxy.cfg'), text);
          const { exitCode, all } = await execa(requireProgram('haproxy'), ['-c', '-f', join(dir, 'haproxy.cfg')], {
            all: true,
            reject: false,
          });
          expect({ exitCode, all }, `${os} ${stage}`).toEqual({ exitCode: 0, all: 'Configuration file is valid' });
        }
      }
    }
  });

  const control = ['m1', 'm2', 'm3'];
  const workers = ['w1', 'w2', 'w3'];
  const infra = ['i1', 'i2', 'i3'];
  const routers: Record<Stage, string[]> = {
    install: workers,
    'bootstrap-removed': workers,
    'infra-added': [...infra, ...workers],
    'infra-only': infra,
  };
  for (const [index, stage] of STAGES.entries()) {
    testWith('haproxy')(`carries traffic to the members of ${stage}, and to no others`, async () => {
      const { mapping } = await startSite(236 + index, stage);
      // On a busy host a first check may be late, and the member appears a moment after the others.
      const expected = [
        [API, control],
        [API_INT, control],
        [MACHINE_CONFIG, control],
        [INGRESS, routers[stage]],
        [[INGRESS[0], 80], routers[stage]],
      ] as const;
      for (const [where, members] of expected) {
        await eventually(async () => expect(await listResponders(where, mapping)).toEqual(members));
      }
      // Machine configurations are not served on the address for users.
      expect(await findResponder([API[0], 22623], mapping)).toBeNull();
    });
  }

  testWith('haproxy')(
    'the bootstrap node serves while no control plane node does, and never again after that',
    async () => {
      const { mapping: at, members } = await startSite(243, 'install');
      for (const name of control) members.get(name)!.isReady = false;
      await eventually(async () => expect(await listResponders(API, at)).toEqual(['bs']));
      // The Machine Config Servers still listen: only the API has failed.
      await eventually(async () => expect(await listResponders(MACHINE_CONFIG, at)).toEqual(control));
      members.get('m2')!.isReady = true;
      await eventually(async () => expect(await listResponders(API, at)).toEqual(['m2']));
    },
  );

  testWith('haproxy')('carries nothing to an arbiter, although it listens here on every port', async () => {
    const { mapping } = await startSite(234, 'bootstrap-removed', createExampleDesign('arbiter'));
    for (const where of [API, API_INT, MACHINE_CONFIG, INGRESS])
      await eventually(async () => expect(await listResponders(where, mapping)).toEqual(['m1', 'm2']));
  });

  testWith('haproxy')('a member that stops is left out, on every port', async () => {
    const { mapping: at, members } = await startSite(244, 'bootstrap-removed');
    await members.get('m3')!.stop();
    await members.get('w1')!.stop();
    const listAll = async () => [
      await listResponders(API, at),
      await listResponders(MACHINE_CONFIG, at),
      await listResponders(INGRESS, at),
    ];
    await eventually(async () =>
      expect(await listAll()).toEqual([
        ['m1', 'm2'],
        ['m1', 'm2'],
        ['w2', 'w3'],
      ]),
    );
  });

  testWith('haproxy')(
    'a reload from stage to stage drops no connection and refuses no new one',
    async () => {
      const { mapping: at, members, reload } = await startSite(245, 'install');
      for (const name of control) members.get(name)!.isReady = false;
      await eventually(async () => expect(await findResponder(API, at)).toBe('bs'));
      const bootstrapConnection = await openConnection(API, at, '127.9.0.1');
      expect(bootstrapConnection.member).toBe('bs');
      for (const name of control) members.get(name)!.isReady = true;
      await eventually(async () => expect(await listResponders(API, at)).toEqual(control));
      const sources = Array.from({ length: 30 }, (_, index) => `127.9.0.${index + 1}`);
      const targets = [API, API_INT, MACHINE_CONFIG, INGRESS, [INGRESS[0], 80]] as const;
      const connections = [
        bootstrapConnection,
        ...(await Promise.all(targets.flatMap((where) => sources.map((from) => openConnection(where, at, from))))),
      ];
      expect(new Set(connections.map(({ member }) => member))).toEqual(new Set(['bs', ...control, ...workers]));

      let isOver = false;
      const unanswered: string[] = [];
      let requestCount = 0;
      const requests = (async () => {
        while (!isOver) {
          for (const where of targets) {
            requestCount += 1;
            if ((await findResponder(where, at)) === null) unanswered.push(where.join(':'));
          }
        }
      })();
      for (const stage of ['bootstrap-removed', 'infra-added', 'infra-only'] as const) {
        const before = requestCount;
        await reload(stage);
        await eventually(async () => expect(await listResponders(INGRESS, at)).toEqual(routers[stage]));
        await eventually(() => expect(requestCount).toBeGreaterThan(before + 100));
        // Existing connections are still served by the same member, including the bootstrap node and the workers.
        expect(connections.filter(({ isOpen }) => !isOpen())).toEqual([]);
        expect(await Promise.all(connections.map((each) => each.requestAgain()))).toEqual(
          connections.map(({ member }) => member),
        );
      }
      isOver = true;
      await requests;
      expect(unanswered).toEqual([]);
      await members.get('bs')!.stop();
      expect(await listResponders(API, at)).toEqual(control);
    },
    60_000,
  );
});
