import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Design } from '../../src/design/model.ts';
import { startJob, stopJob } from '../../src/host/jobs/jobs.ts';
import { type Clock, createScaledClock } from '../../src/platform/clock.ts';
import { type ManualActions, type ResolveEndpoint, realSiteActions } from '../../src/platform/manual-actions.ts';
import { NO_AUDIT_LOG } from '../../src/session/audit-log.ts';
import type { StepContext } from '../../src/steps/contract.ts';
import { createProbeCache, type ProbeCache } from '../../src/steps/probe-cache.ts';
import { workspace } from '../../src/steps/shared/workspace.ts';
import { createStepState, type StepFacts } from '../../src/steps/step-state.ts';
import { exampleCredentials, exampleSite } from './example-design.ts';
import { manualClock } from './manual-clock.ts';
import { START } from './wizard-state.ts';

const BOOT_SERVER = 'boot-server';
/** Jobs are polled at intervals of 50 ms, which are 2 ms on this clock. */
const fastClock = createScaledClock({ real: 0, simulated: 0, speed: 25 });

/** The capabilities of a simulated site. */
export const SITE_CAPABILITIES = {
  canPowerOn: true,
  canInstallHostFiles: true,
  canLogIn: false,
  logTimeZone: 'UTC',
  getSiteAddress: (client) => client,
  canCheckSite: false,
  runOnHost: null,
  findRepair: null,
  simulateRepair: null,
  simulatedDownloadsDir: null,
} as const satisfies Partial<ManualActions>;

export interface StepFixture {
  readonly context: StepContext;
  readonly dir: string;
  /** Calls of the manual actions, in order: `put ns1`, `on bs`, `off bs`. */
  readonly calls: readonly string[];
  readonly facts: StepFacts;
  /** Files of hosts that the manual actions can read: `ns1:/var/log/messages`. */
  readonly hostFiles: Record<string, string>;
  /** Writes a file of the install directory. */
  write(path: string, text: string): void;
  /** Starts a job under the boot server's name: a program that runs and does nothing. */
  startBootServer(): Promise<void>;
  /** Ends the jobs and removes the directory. */
  remove(): Promise<void>;
}

/**
 * Creates a context for steps on a real install directory, with manual actions of the test. Nothing runs until a test
 * starts it.
 */
export function createStepFixture(
  options: {
    readonly design?: Design;
    readonly resolveEndpoint?: ResolveEndpoint;
    readonly clock?: Clock;
    readonly facts?: StepFacts;
    readonly isManual?: boolean;
  } = {},
): StepFixture {
  const { design = exampleSite(), clock = manualClock(START), facts = {}, isManual = false } = options;
  const { resolveEndpoint = (_host: string, port: number) => ({ host: '127.0.0.1', port: port < 1024 ? 1 : port }) } =
    options;
  const dir = mkdtempSync(join(tmpdir(), 'upi-step-'));
  const calls: string[] = [];
  const hostFiles: Record<string, string> = {};
  const manualActions: ManualActions = {
    ...(isManual ? realSiteActions : SITE_CAPABILITIES),
    async installHostFiles(host) {
      calls.push(`put ${host}`);
    },
    async powerOn(node) {
      calls.push(`on ${node}`);
    },
    async powerOff(node) {
      calls.push(`off ${node}`);
    },
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
    calls,
    facts,
    hostFiles,
    write,
    async startBootServer() {
      await startJob({ dir: workspace(dir).jobsDir, name: BOOT_SERVER, argv: ['/bin/sleep', '600'], clock: fastClock });
    },
    async remove() {
      await stopJob(workspace(dir).jobsDir, BOOT_SERVER, { clock: fastClock });
      rmSync(dir, { recursive: true, force: true });
    },
    context: {
      design,
      dir,
      clock,
      resolveEndpoint,
      manualActions,
      programDirectories: [],
      imagesDir: join(dir, 'images'),
      hostsDir: null,
      credentials: {
        pullSecretFile: join(dir, 'pull-secret.txt'),
        sshKeyFile: join(dir, 'id.pub'),
        trustBundleFile: null,
        fencingFile: null,
      },
      programs: { bootServer: '', executable: '' },
      clockAnchorFile: null,
      stepState: createStepState(facts),
      probeCache: withBootServiceChecks(clock),
      auditLog: NO_AUDIT_LOG,
      signal: new AbortController().signal,
    },
  };
}

/**
 * A cache in which the checks of DHCP and TFTP have passed, until a test sets other results: they wait for answers, and
 * a clock that stands still ends no wait.
 */
function withBootServiceChecks(clock: Pick<Clock, 'now'>): ProbeCache {
  let checks: ProbeCache['bootServiceChecks'] = null;
  return Object.defineProperty(createProbeCache(), 'bootServiceChecks', {
    get: () => checks ?? { at: clock.now(), results: new Map() },
    set(value: ProbeCache['bootServiceChecks']) {
      checks = value;
    },
  });
}
