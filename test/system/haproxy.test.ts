import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished } from 'vitest';
import { type Design, type ServiceHost, STAGES, type Stage } from '../../src/design/model.ts';
import {
  API,
  API_INT,
  ask,
  everybody,
  hold,
  INGRESS,
  type Loopback,
  local,
  loopback,
  MACHINE_CONFIG,
  type Member,
  startMember,
} from '../support/balancer.ts';
import { eventually } from '../support/eventually.ts';
import { exampleSite, generated } from '../support/example-design.ts';
import { requireProgram, testWith } from '../support/programs.ts';

const FILE = 'lb1/etc/haproxy/haproxy.cfg';

/** Starts HAProxy as its unit does, with a master; returns how the unit reloads it (haproxy.service, ExecReload). */
async function startBalancer(design: Design, stage: Stage, at: Loopback): Promise<(stage: Stage) => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const file = join(dir, 'haproxy.cfg');
  const write = (now: Stage) => writeFileSync(file, local(generated(design, FILE, now), at, dir));
  write(stage);
  const haproxy = spawn(requireProgram('haproxy'), ['-W', '-db', '-f', file], { stdio: 'ignore' });
  const ended = once(haproxy, 'exit');
  onTestFinished(async () => {
    haproxy.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  return async (now) => {
    const before = await workerOf(dir);
    write(now);
    haproxy.kill('SIGUSR2');
    // A signal that comes while the one before is still at work is lost.
    await eventually(async () => expect(await workerOf(dir)).not.toBe(before));
  };
}

/** The process that serves now, as it says on its socket. */
async function workerOf(dir: string): Promise<string> {
  const socket = connect(join(dir, 'stats'));
  socket.setEncoding('utf8');
  let said = '';
  socket.on('data', (text: string) => {
    said += text;
  });
  socket.write('show info\n');
  await once(socket, 'close');
  const pid = /^Pid: (\d+)$/m.exec(said)?.[1];
  if (pid === undefined) throw new Error(`no process in ${said}`);
  return pid;
}

interface Site {
  readonly at: Loopback;
  readonly members: Map<string, Member>;
  /** Reloads HAProxy with another stage. */
  readonly reload: (stage: Stage) => Promise<void>;
}

async function site(second: number, stage: Stage): Promise<Site> {
  const at = loopback(second);
  const design = exampleSite();
  const members = new Map<string, Member>();
  for (const { name, ip } of design.nodes) members.set(name, await startMember(name, ip[0]!, at));
  const reload = await startBalancer(design, stage, at);
  await eventually(async () => expect(await ask(API, at)).not.toBeNull());
  return { at, members, reload };
}

describe('haproxy', () => {
  testWith('haproxy')('accepts every stage, on every system and for both families', async () => {
    const { services, nodes, endpoints } = exampleSite();
    const six = {
      nodes: nodes.map((node, index) => ({ ...node, ip: [`2001:db8::${index + 1}`] })),
      endpoints: { ...endpoints, api: ['2001:db8::111'], apiInt: ['2001:db8::110'], ingress: ['2001:db8::111'] },
    };
    const dir = mkdtempSync(join(tmpdir(), 'haproxy-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    for (const os of ['rhel8', 'rhel9', 'rhel10', 'debian'] as const) {
      const servers: ServiceHost[] = [{ name: 'lb1', ip: ['172.16.0.112'], os }];
      const changes = { services: { ...services, loadBalancer: { kind: 'haproxy' as const, servers } } };
      for (const stage of STAGES) {
        for (const design of [exampleSite(changes), exampleSite({ ...changes, ...six })]) {
          // Accounts and directories are those of the system it is made for, not of the one that tests it.
          const text = generated(design, FILE, stage).replace(/^ +(?:user|group|chroot) .*\n/gm, '');
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
    testWith('haproxy')(`carries traffic to the members of ${stage}, and to nobody else`, async () => {
      const { at } = await site(236 + index, stage);
      // On a busy machine a first check may be too late, and the member comes a moment after the others.
      const expected = [
        [API, control],
        [API_INT, control],
        [MACHINE_CONFIG, control],
        [INGRESS, routers[stage]],
        [[INGRESS[0], 80], routers[stage]],
      ] as const;
      for (const [where, members] of expected) {
        await eventually(async () => expect(await everybody(where, at)).toEqual(members));
      }
      // Machine configurations are not handed out on the address that people use.
      expect(await ask([API[0], 22623], at)).toBeNull();
    });
  }

  testWith('haproxy')('the bootstrap node serves while no control plane node does, and again never after', async () => {
    const { at, members } = await site(243, 'install');
    for (const name of control) members.get(name)!.isReady = false;
    await eventually(async () => expect(await everybody(API, at)).toEqual(['bs']));
    // Its machine config server still listens: only the API left.
    await eventually(async () => expect(await everybody(MACHINE_CONFIG, at)).toEqual(control));
    members.get('m2')!.isReady = true;
    await eventually(async () => expect(await everybody(API, at)).toEqual(['m2']));
  });

  testWith('haproxy')('a member that stops is left out, on every port', async () => {
    const { at, members } = await site(244, 'bootstrap-removed');
    await members.get('m3')!.stop();
    await members.get('w1')!.stop();
    const still = async () => [
      await everybody(API, at),
      await everybody(MACHINE_CONFIG, at),
      await everybody(INGRESS, at),
    ];
    await eventually(async () =>
      expect(await still()).toEqual([
        ['m1', 'm2'],
        ['m1', 'm2'],
        ['w2', 'w3'],
      ]),
    );
  });

  testWith('haproxy')(
    'a reload from stage to stage drops no connection and refuses no new one',
    async () => {
      const { at, members, reload } = await site(245, 'install');
      for (const name of control) members.get(name)!.isReady = false;
      await eventually(async () => expect(await ask(API, at)).toBe('bs'));
      const ofBootstrap = await hold(API, at, '127.9.0.1');
      expect(ofBootstrap.member).toBe('bs');
      for (const name of control) members.get(name)!.isReady = true;
      await eventually(async () => expect(await everybody(API, at)).toEqual(control));
      const sources = Array.from({ length: 30 }, (_, index) => `127.9.0.${index + 1}`);
      const places = [API, API_INT, MACHINE_CONFIG, INGRESS, [INGRESS[0], 80]] as const;
      const held = [
        ofBootstrap,
        ...(await Promise.all(places.flatMap((where) => sources.map((from) => hold(where, at, from))))),
      ];
      expect(new Set(held.map(({ member }) => member))).toEqual(new Set(['bs', ...control, ...workers]));

      let isOver = false;
      const unanswered: string[] = [];
      let asked = 0;
      const asking = (async () => {
        while (!isOver) {
          for (const where of places) {
            asked += 1;
            if ((await ask(where, at)) === null) unanswered.push(where.join(':'));
          }
        }
      })();
      for (const stage of ['bootstrap-removed', 'infra-added', 'infra-only'] as const) {
        const before = asked;
        await reload(stage);
        await eventually(async () => expect(await everybody(INGRESS, at)).toEqual(routers[stage]));
        await eventually(() => expect(asked).toBeGreaterThan(before + 100));
        // Whoever was connected before is still served by the member of before: the bootstrap node and the workers too.
        expect(held.filter(({ isOpen }) => !isOpen())).toEqual([]);
        expect(await Promise.all(held.map((each) => each.again()))).toEqual(held.map(({ member }) => member));
      }
      isOver = true;
      await asking;
      expect(unanswered).toEqual([]);
      await members.get('bs')!.stop();
      expect(await everybody(API, at)).toEqual(control);
    },
    60_000,
  );
});
