import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CloudName } from '../design/example-cloud.ts';
import type { Design } from '../design/model.ts';
import { type Clock, MINUTE, systemClock, uptime } from '../ports/clock.ts';
import { fileClock, rereadFile } from '../ports/clock-file.ts';
import { isCopied } from '../ports/directory-identity.ts';
import { compiledCode, plainEnvironment } from '../ports/environment.ts';
import type { Hands } from '../ports/hands.ts';
import { type DialMap, mappedReach, type Reach } from '../ports/reach.ts';
import { catalogue, commandLine, languageOption } from '../text/catalogue.ts';
import { TroubleError } from '../text/trouble.ts';
import type { RunAnswer } from './hosts/host-runs.ts';
import { endLostSites } from './lost-sites.ts';
import type { RunningFile, SiteConfig, SiteStatus } from './site/config.ts';
import { type FaultId, REPAIRED } from './site/faults.ts';
import { readJson, type SitePaths, sitePaths, writeAtomically } from './site/files.ts';
import { processStart } from './site/process-start.ts';
import { callSite } from './site-call.ts';

const words = () => catalogue().rehearsal;

export { endLostSites } from './lost-sites.ts';
export type { SiteStatus } from './site/config.ts';
export { CLOUD_FAULTS, FAULTS, type FaultId, isFaultId, REPAIRED } from './site/faults.ts';

interface SiteFiles {
  /** Where openshift-install lies. */
  readonly programPath: readonly string[];
  readonly imagesDir: string;
  /** Where what is on the service hosts lies, a directory for each. */
  readonly hostsDir: string;
  readonly credentials: { readonly pullSecretFile: string; readonly sshKeyFile: string };
}

/** A rehearsal site as the wizard works with it. */
export interface Site extends SiteFiles {
  readonly clock: Clock;
  readonly reach: Reach;
  readonly hands: Hands;
  /** Where another process finds the site's time. */
  readonly clockAnchorFile: string;
  /** The kubeconfig of a cluster on a cloud; there is none where it has to be installed. */
  readonly kubeconfig: string;
  readonly kubeadminPassword: string;
  /** How fast it ran when it was found; `status` says how fast it runs now. */
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  /** The cloud on which its cluster ran from the beginning; null: it had to be installed. */
  readonly cloud: CloudName | null;
  /** Lets its time run that many times as fast from now on; 0 halts it. @throws TroubleError `site-gone`, `site-refused` */
  setSpeed(speed: number): Promise<void>;
  /** @throws TroubleError `site-gone` */
  status(): Promise<SiteStatus>;
  /** Somebody puts right what lies at a machine or in somebody else's network. @throws TroubleError `site-gone`, `site-refused` */
  repair(fault: FaultId): Promise<void>;
  /** Stops the process; its world stays in its directory. */
  stop(): Promise<void>;
}

export interface SiteOptions {
  readonly siteDir: string;
  readonly design: Design;
  /** The cloud on which the cluster of the design runs already; left out: nothing runs. */
  readonly cloud?: CloudName | null;
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  /** The program files: dist/site.js and dist/stand-in.js. */
  readonly siteProgram: string;
  readonly standInProgram: string;
}

/** What a site that has run before keeps for good. */
export function keptChoices(siteDir: string): Pick<SiteConfig, 'seed' | 'faults' | 'cloud'> | null {
  return readJson<SiteConfig>(sitePaths(siteDir).config);
}

/** Collects garbage often instead of growing: the site runs beside everything else on a bastion. */
const SMALL_HEAP = ['--max-semi-space-size=2', '--max-old-space-size=192'];
/** Ends what hangs: one that cannot start ends by itself, and a busy machine needs its time. */
const START_LIMIT_MS = 2 * MINUTE;
const STOP_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 25;
/** How soon a run on a host is asked for what it says next. */
const FOLLOW_EVERY_MS = 100;

/**
 * The site in a directory: found when it runs (and started again when the design changed meanwhile), started with its saved world when it was killed, made when it is new. A site
 * that has run before keeps its seed, its faults and its speed.
 * @throws TroubleError `site-did-not-start`
 */
export async function startSite(options: SiteOptions): Promise<Site> {
  const paths = sitePaths(options.siteDir);
  const before = readJson<SiteConfig>(paths.config);
  const alive = await findSite(options.siteDir);
  if (alive && isDeepStrictEqual(before?.design, JSON.parse(JSON.stringify(options.design)))) return alive;
  // Other machines in the rack, in the same world: the site starts again with what it has.
  if (alive) await alive.stop();
  else await endLostSites(paths.dir);
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 });
  rmSync(paths.running, { force: true });
  const { design, standInProgram } = options;
  const { speed, seed, faults, cloud = null } = before ?? options;
  const config: SiteConfig = { design, cloud, speed, seed, faults, standInProgram };
  writeAtomically(paths.config, JSON.stringify(config, null, 1));
  const log = openSync(paths.log, 'a', 0o600);
  const child = spawn(process.execPath, [...SMALL_HEAP, options.siteProgram, paths.dir, ...languageOption()], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { ...plainEnvironment(), ...compiledCode() },
  });
  closeSync(log);
  child.unref();
  let isOver = false;
  child.once('exit', () => {
    isOver = true;
  });
  child.once('error', () => {
    isOver = true;
  });
  const limit = uptime() + START_LIMIT_MS;
  while (!isOver && uptime() < limit) {
    const site = await findSite(options.siteDir);
    if (site) return site;
    await systemClock.sleep(LOOK_EVERY_MS);
  }
  const { title, cause, whatToDo } = words().siteDidNotStart;
  throw new TroubleError({ code: 'site-did-not-start', title, cause: cause(paths.log), whatToDo });
}

/** The site in a directory when it runs (its process is the one that wrote running.json, and it answers), else null. */
export async function findSite(siteDir: string): Promise<Site | null> {
  const paths = sitePaths(siteDir);
  const running = readJson<RunningFile>(paths.running);
  const config = readJson<SiteConfig>(paths.config);
  if (running === null || config === null || processStart(running.pid) !== running.processStart) return null;
  if (isCopied(running.home, paths.dir)) return null;
  const isAnswering = await callSite(running.controlSocket, 'GET', '/status').then(
    () => true,
    () => false,
  );
  return isAnswering ? siteOf(paths, running, config) : null;
}

/** What lies in the directory of a site, whether it runs or not. */
export function siteFiles(siteDir: string): SiteFiles {
  return filesIn(sitePaths(siteDir));
}

function filesIn(paths: SitePaths): SiteFiles {
  return {
    programPath: [paths.bin],
    imagesDir: paths.images,
    hostsDir: paths.hosts,
    credentials: { pullSecretFile: paths.pullSecret, sshKeyFile: paths.sshKey },
  };
}

function siteOf(paths: SitePaths, running: RunningFile, config: SiteConfig): Site {
  const post = (path: string, body: unknown) => callSite(running.controlSocket, 'POST', path, body);
  const readDial = rereadFile(paths.dial, (text) => JSON.parse(text) as DialMap, { hosts: {}, lowPortShift: 0 });
  const hands: Hands = {
    isPerson: false,
    putInPlace: async (host, dir) => {
      await post('/put-in-place', { host, dir });
      return 'done';
    },
    powerOn: async (node) => {
      await post('/power-on', { node });
      return 'done';
    },
    powerOff: async (node) => {
      await post('/power-off', { node });
      return 'done';
    },
    runOnHost: async (host, dir, argv, { signal, onLine }) => {
      const said: string[] = [];
      for (;;) {
        signal.throwIfAborted();
        // What was said already is not asked for again.
        const asked = argv[0] === 'follow' ? ['follow', String(Number(argv[1]) + said.length)] : argv;
        const { lines, isOver } = (await post('/host-run', { host, dir, argv: asked })) as RunAnswer;
        said.push(...lines);
        for (const line of lines) onLine?.(line);
        if (isOver) return said;
        await systemClock.sleep(FOLLOW_EVERY_MS, signal);
      }
    },
    repairing: (cause) =>
      // Of what is not wrong here nobody would know what to do.
      REPAIRED.some((each) => each === cause && config.faults.includes(each))
        ? commandLine('rehearse', '--dir', dirname(dirname(paths.dir)), '--repair', cause)
        : null,
    readFile: async (host, path) => {
      const query = new URLSearchParams({ host, path });
      const { text } = (await callSite(running.controlSocket, 'GET', `/read-file?${query}`)) as { text: string | null };
      return text;
    },
  };
  return {
    clock: fileClock(paths.clock),
    reach: mappedReach(readDial),
    hands,
    ...filesIn(paths),
    clockAnchorFile: paths.clock,
    kubeconfig: paths.kubeconfig,
    kubeadminPassword: paths.kubeadminPassword,
    speed: config.speed,
    seed: config.seed,
    faults: config.faults,
    cloud: config.cloud ?? null,
    setSpeed: async (speed) => {
      await post('/speed', { speed });
    },
    status: async () => (await callSite(running.controlSocket, 'GET', '/status')) as SiteStatus,
    repair: async (fault) => {
      await post('/repair', { fault });
    },
    async stop() {
      await post('/stop', {});
      const limit = uptime() + STOP_LIMIT_MS;
      while (processStart(running.pid) === running.processStart && uptime() < limit) {
        await systemClock.sleep(LOOK_EVERY_MS);
      }
    },
  };
}
