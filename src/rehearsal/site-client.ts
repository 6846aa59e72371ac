import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { catalogue, formatCommandLine, getLanguageArgs } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { createCachedFileReader, createFileClock, getUptime, MINUTE, systemClock } from '../platform/clock.ts';
import { getCompileCacheVariables, getMinimalEnvironment } from '../platform/environment.ts';
import { isCopiedDirectory } from '../platform/files.ts';
import { request } from '../platform/http.ts';
import { type ManualActions, REBOOT } from '../platform/manual-actions.ts';
import { findLiveProcess, isAlive, type ProcessIdentity } from '../platform/process.ts';
import type { RunnerOutput } from './hosts/host-runs.ts';
import type { SiteConfig, SiteProcess, SiteStatus } from './site/config.ts';
import { createMappedEndpoints, type DialMap } from './site/dial-map.ts';
import { REBOOT_RULES, SIMULATED_REPAIR_FAULTS } from './site/faults.ts';
import { getSitePaths, readJson, type SitePaths, writeAtomically } from './site/files.ts';
import { sendRequest } from './site/http-exchange.ts';

/** File names of the site program: the built program and its source. */
const SITE_PROGRAMS = ['site.js', 'site-main.ts'];
const END_TIMEOUT_MS = 10_000;

/**
 * Ends the site processes of a directory whose files are damaged or missing, or whose site hangs. Selects processes of
 * this user by their command line. Sends SIGTERM, then SIGKILL.
 * @returns the number of site processes that were found
 */
export async function endOrphanedSites(siteDir: string): Promise<number> {
  const orphans = listSiteProcesses(siteDir);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of orphans.filter(isAlive)) sendSignal(pid, signal);
    const deadline = getUptime() + END_TIMEOUT_MS;
    while (orphans.some(isAlive) && getUptime() < deadline) await systemClock.sleep(POLL_INTERVAL_MS);
  }
  return orphans.length;
}

function listSiteProcesses(siteDir: string): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const liveProcess = findLiveProcess(Number(name));
      return liveProcess !== null && isSiteProcess(name, siteDir) ? [liveProcess] : [];
    });
}

function isSiteProcess(pid: string, siteDir: string): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.geteuid?.()) return false;
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return argv.some((arg, index) => SITE_PROGRAMS.includes(basename(arg)) && argv[index + 1] === siteDir);
  } catch {
    // The process has ended meanwhile.
    return false;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}

/**
 * Sends a request to the process of a site.
 * @throws UserErrorException `site-gone` when the process does not answer, `site-refused` when it refuses
 */
async function callSite(socketPath: string, method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  const clientRequest = request({ socketPath, method, path, agent: false });
  const { status, body: responseBody } = await sendRequest(
    clientRequest,
    body === undefined ? undefined : JSON.stringify(body),
  ).catch((error: Error) => {
    throw new UserErrorException({ code: 'site-gone', ...words().siteGone, cause: error.message });
  });
  const result = JSON.parse(responseBody.toString() || '{}') as { error?: string };
  if (status === 200) return result;
  throw new UserErrorException({ code: 'site-refused', ...words().siteRefused, cause: result.error ?? '' });
}

const words = () => catalogue().rehearsal;

/** Client of a rehearsal site. */
export type SiteClient = ReturnType<typeof createSiteClient>;

export interface SiteOptions extends SiteConfig {
  readonly siteDir: string;
  /** The program file of the site: dist/site.js. */
  readonly siteProgram: string;
}

/** Reads the choices that a site keeps after its first start; null: the site has not run before. */
export function readSavedChoices(siteDir: string): Pick<SiteConfig, 'seed' | 'faults' | 'cloud'> | null {
  return readJson<SiteConfig>(getSitePaths(siteDir).config);
}

/** Node.js options for a small heap that is collected often: the site shares the bastion with other programs. */
const SMALL_HEAP_OPTIONS = ['--max-semi-space-size=2', '--max-old-space-size=192'];
/** Timeout for a process that hangs: long, because a busy machine is slow. A failed start exits earlier. */
const START_TIMEOUT_MS = 2 * MINUTE;
const STOP_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 25;
/** How often the output of a run on a host is polled. */
const FOLLOW_INTERVAL_MS = 100;

/**
 * Returns the site of a directory. A running site is reused, or restarted if the design changed. A killed site starts
 * with its saved world; otherwise, a new site is created. A site that has run before keeps its seed, speed, faults,
 * cloud and downloads.
 * @throws UserErrorException `site-did-not-start`
 */
export async function startSite(options: SiteOptions): Promise<SiteClient> {
  const paths = getSitePaths(options.siteDir);
  const previousConfig = readJson<SiteConfig>(paths.config);
  const runningSite = await findSite(options.siteDir);
  if (runningSite && isDeepStrictEqual(previousConfig?.design, JSON.parse(JSON.stringify(options.design))))
    return runningSite;
  // A changed design affects only the machines in the rack, so the site restarts with its saved world.
  if (runningSite) await runningSite.stop();
  else await endOrphanedSites(paths.dir);
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 });
  rmSync(paths.running, { force: true });
  const { design, standInProgram } = options;
  const { speed, seed, faults, cloud = null, hasDownloads = true } = previousConfig ?? options;
  const config: SiteConfig = { design, cloud, speed, seed, faults, hasDownloads, standInProgram };
  writeAtomically(paths.config, JSON.stringify(config, null, 1));
  const logFile = openSync(paths.log, 'a', 0o600);
  const child = spawn(process.execPath, [...SMALL_HEAP_OPTIONS, options.siteProgram, paths.dir, ...getLanguageArgs()], {
    detached: true,
    stdio: ['ignore', logFile, logFile],
    cwd: '/',
    env: { ...getMinimalEnvironment(), ...getCompileCacheVariables() },
  });
  closeSync(logFile);
  child.unref();
  let hasExited = false;
  const recordExit = () => {
    hasExited = true;
  };
  child.once('exit', recordExit).once('error', recordExit);
  const deadline = getUptime() + START_TIMEOUT_MS;
  while (!hasExited && getUptime() < deadline) {
    const site = await findSite(options.siteDir);
    if (site) return site;
    await systemClock.sleep(POLL_INTERVAL_MS);
  }
  const { title, cause, remedy } = words().siteDidNotStart;
  throw new UserErrorException({ code: 'site-did-not-start', title, cause: cause(paths.log), remedy });
}

/** Finds the running site of a directory: its process wrote running.json and answers requests. Null: none runs. */
export async function findSite(siteDir: string): Promise<SiteClient | null> {
  const paths = getSitePaths(siteDir);
  const siteProcess = readJson<SiteProcess>(paths.running);
  const config = readJson<SiteConfig>(paths.config);
  if (siteProcess === null || config === null || findLiveProcess(siteProcess.pid)?.start !== siteProcess.processStart)
    return null;
  if (isCopiedDirectory(siteProcess.home, paths.dir)) return null;
  const isAnswering = await callSite(siteProcess.controlSocket, 'GET', '/status').then(
    () => true,
    () => false,
  );
  return isAnswering ? createSiteClient(paths, siteProcess, config) : null;
}

/** Returns the files of a site, whether it runs or not. */
export function getSiteFiles(siteDir: string) {
  const paths = getSitePaths(siteDir);
  return {
    /** Search path of openshift-install. */
    programDirectories: [paths.bin],
    imagesDir: paths.images,
    /** Directory with the files of the service hosts, one subdirectory per host. */
    hostsDir: paths.hosts,
    credentials: { pullSecretFile: paths.pullSecret, sshKeyFile: paths.sshKey, fencingFile: paths.fencing },
  };
}

/** Returns the file with the clock of a site, running or not. The file marks an install directory as a rehearsal. */
export function getSiteClockFile(siteDir: string): string {
  return getSitePaths(siteDir).clock;
}

function createSiteClient(paths: SitePaths, siteProcess: SiteProcess, config: SiteConfig) {
  const { controlSocket } = siteProcess;
  const post = <T = void>(path: string, body: unknown) => callSite(controlSocket, 'POST', path, body) as Promise<T>;
  const get = <T>(path: string) => callSite(controlSocket, 'GET', path) as Promise<T>;
  const readDialMap = createCachedFileReader(paths.dial, (text) => JSON.parse(text) as DialMap, {
    hosts: {},
    lowPortShift: 0,
  });
  const repairedFaults = new Set<string>();
  /** Whether the fault of a rule is repairable, injected here and not repaired yet. */
  const isRepairable = (ruleId: string) =>
    SIMULATED_REPAIR_FAULTS.some(
      (fault) => fault === ruleId && config.faults.includes(fault) && !repairedFaults.has(fault),
    );
  const manualActions: ManualActions = {
    canPowerOn: true,
    powerOn: (node) => post('/power-on', { node }),
    powerOff: (node) => post('/power-off', { node }),
    canInstallHostFiles: true,
    installHostFiles: (host, dir) => post('/install-files', { host, dir }),
    canLogIn: false,
    logTimeZone: 'UTC',
    getSiteAddress: (client) =>
      Object.entries(readDialMap().hosts).find(([host, loopback]) => loopback === client && isIP(host) !== 0)?.[0] ??
      client,
    // The networks of a simulated site are empty until its services run. The steps for services check these networks.
    canCheckSite: false,
    runOnHost: async (host, dir, argv, { signal, onLine }) => {
      const output: string[] = [];
      for (;;) {
        signal.throwIfAborted();
        // Lines already received are not requested again.
        const nextArgv = argv[0] === 'follow' ? ['follow', String(Number(argv[1]) + output.length)] : argv;
        const { lines, isOver } = await post<RunnerOutput>('/host-run', { host, dir, argv: nextArgv });
        output.push(...lines);
        for (const line of lines) onLine?.(line);
        if (isOver) return output;
        await systemClock.sleep(FOLLOW_INTERVAL_MS, signal);
      }
    },
    findRepair(ruleId) {
      const isReboot = REBOOT_RULES.includes(ruleId);
      if (!isReboot && !isRepairable(ruleId)) return null;
      const id = isReboot ? REBOOT : ruleId;
      const command = formatCommandLine('rehearse', '--dir', dirname(dirname(paths.dir)), '--repair', id);
      return { id, isReboot, command };
    },
    simulatedDownloadsDir: paths.movedAside,
    async simulateRepair(repair) {
      if (repair !== REBOOT && !isRepairable(repair)) return;
      await post('/repair', { fault: repair });
      repairedFaults.add(repair);
    },
    readFile: async (host, path) => {
      const query = new URLSearchParams({ host, path });
      const { text } = await get<{ text: string | null }>(`/read-file?${query}`);
      return text;
    },
  };
  const clock = createFileClock(paths.clock);
  return {
    clock,
    resolveEndpoint: createMappedEndpoints(readDialMap, clock),
    manualActions,
    ...getSiteFiles(paths.dir),
    /** File with the site's time, for other processes. */
    clockAnchorFile: paths.clock,
    /** The kubeconfig of a cluster on a cloud; the file does not exist if the cluster has to be installed. */
    kubeconfig: paths.kubeconfig,
    kubeadminPassword: paths.kubeadminPassword,
    /** Speed when the site was found; `status` reports the current speed. */
    speed: config.speed,
    seed: config.seed,
    faults: config.faults,
    /** Cloud on which the cluster ran from the beginning; null: it had to be installed. */
    cloud: config.cloud ?? null,
    /**
     * Sets the speed of the site's time, as a multiple of real time; 0 halts the time.
     * @param holder a process that halts the time as long as it lives; the time runs at the new speed after that
     * @throws UserErrorException `site-gone`, `site-refused`
     */
    setSpeed: (speed: number, holder: ProcessIdentity | null = null) => post('/speed', { speed, holder }),
    /** @throws UserErrorException `site-gone` */
    getStatus: () => get<SiteStatus>('/status'),
    /**
     * Repairs a fault of a machine or of a foreign network, or reboots the machines that have not joined.
     * @param repair one of `REPAIRS`
     * @throws UserErrorException `site-gone`, `site-refused`
     */
    repair: (repair: string) => post('/repair', { fault: repair }),
    /** Stops the process of the site; the world stays saved in the site's directory. */
    async stop(): Promise<void> {
      await post('/stop', {});
      const deadline = getUptime() + STOP_TIMEOUT_MS;
      while (findLiveProcess(siteProcess.pid)?.start === siteProcess.processStart && getUptime() < deadline) {
        await systemClock.sleep(POLL_INTERVAL_MS);
      }
    },
  };
}
