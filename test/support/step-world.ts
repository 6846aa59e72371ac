import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startJob, stopJob } from '../../src/bastion/jobs/jobs.ts';
import type { Design } from '../../src/design/model.ts';
import { type Clock, scaledClock } from '../../src/ports/clock.ts';
import type { Hands } from '../../src/ports/hands.ts';
import type { Reach } from '../../src/ports/reach.ts';
import type { StepContext } from '../../src/steps/contract.ts';
import { type Facts, memoryOver } from '../../src/steps/facts.ts';
import { newRecollection } from '../../src/steps/recollection.ts';
import { UNLOGGED } from '../../src/steps/shared/acts.ts';
import { workspace } from '../../src/steps/shared/workspace.ts';
import { exampleCredentials, exampleSite } from './example-design.ts';
import { manualClock } from './manual-clock.ts';
import { START } from './wizard-state.ts';

const BOOT_SERVER = 'boot-server';
/** Jobs are asked for in pauses of 50 ms: of this clock they are 2. */
const quick = scaledClock({ real: 0, simulated: 0, speed: 25 });

export interface StepWorld {
  readonly context: StepContext;
  readonly dir: string;
  /** The calls of the hands, in order: `put ns1`, `on bs`, `off bs`. */
  readonly done: readonly string[];
  readonly facts: Facts;
  /** Files of hosts that the hands can read: `ns1:/var/log/messages`. */
  readonly hostFiles: Record<string, string>;
  /** Writes a file of the install directory. */
  write(path: string, text: string): void;
  /** Starts a job under the boot server's name: a program that runs and does nothing. */
  startBootServer(): Promise<void>;
  /** Ends the jobs and removes the directory. */
  remove(): Promise<void>;
}

/** A world for steps on a real install directory: the hands of a test; nothing runs until a test starts it. */
export function stepWorld(
  options: {
    readonly design?: Design;
    readonly reach?: Reach;
    readonly clock?: Clock;
    readonly facts?: Facts;
    readonly isPerson?: boolean;
  } = {},
): StepWorld {
  const { design = exampleSite(), clock = manualClock(START), facts = {}, isPerson = false } = options;
  const { reach = (_host: string, port: number) => ({ host: '127.0.0.1', port: port < 1024 ? 1 : port }) } = options;
  const dir = mkdtempSync(join(tmpdir(), 'upi-step-'));
  const done: string[] = [];
  const hostFiles: Record<string, string> = {};
  const answer = isPerson ? 'asked' : 'done';
  const hands: Hands = {
    repairing: null,
    isPerson,
    async putInPlace(host) {
      done.push(`put ${host}`);
      return answer;
    },
    async powerOn(node) {
      done.push(`on ${node}`);
      return answer;
    },
    async powerOff(node) {
      done.push(`off ${node}`);
      return answer;
    },
    runOnHost: null,
    readFile: async (host, path) => hostFiles[`${host}:${path}`] ?? null,
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  write('pull-secret.txt', exampleCredentials.pullSecret);
  write('id.pub', exampleCredentials.sshKey);
  return {
    dir,
    done,
    facts,
    hostFiles,
    write,
    async startBootServer() {
      await startJob({ dir: workspace(dir).jobs, name: BOOT_SERVER, argv: ['/bin/sleep', '600'], clock: quick });
    },
    async remove() {
      await stopJob(workspace(dir).jobs, BOOT_SERVER, { clock: quick });
      rmSync(dir, { recursive: true, force: true });
    },
    context: {
      design,
      dir,
      clock,
      reach,
      hands,
      programPath: [],
      imagesDir: join(dir, 'images'),
      hostsDir: null,
      credentials: {
        pullSecretFile: join(dir, 'pull-secret.txt'),
        sshKeyFile: join(dir, 'id.pub'),
        trustBundleFile: null,
      },
      programs: { bootServer: '', executable: '' },
      clockAnchorFile: null,
      memory: memoryOver(facts),
      recollection: newRecollection(),
      acts: UNLOGGED,
      signal: new AbortController().signal,
    },
  };
}
