import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { Stage } from '../../src/design/choices.ts';
import type { Design } from '../../src/design/model.ts';
import type { ResolveEndpoint } from '../../src/platform/manual-actions.ts';
import { createMappedEndpoints, type DialMap } from '../../src/rehearsal/site/dial-map.ts';
import type { FaultId } from '../../src/rehearsal/site/faults.ts';
import { getSitePaths } from '../../src/rehearsal/site/files.ts';
import { deriveReleaseMetadata } from '../../src/rehearsal/site/release-metadata.ts';
import { openSite, type SimulatedSite } from '../../src/rehearsal/site/site.ts';
import { createIgnitionConfigs, createManifests } from '../../src/rehearsal/stand-in/create.ts';
import { type ManualClock, manualClock, nextTurn } from './manual-clock.ts';

/** Machines that are off fail connections at once: the clock of the test stands still during a probe. */
const NO_DELAY = { sleep: () => Promise.resolve() };

/** A whole rehearsal in this process, on a clock that the test controls. */
export interface PlantedSite {
  readonly dir: string;
  readonly siteDir: string;
  readonly installDir: string;
  readonly design: Design;
  readonly clock: ManualClock;
  readonly site: SimulatedSite;
  /** Requests to the boot server, in order. */
  readonly requests: { readonly path: string; readonly status: number }[];
  /** Generates a stage and installs the files of every host; with `onlyChanged` only of hosts whose files changed. */
  readonly installStage: (stage?: Stage, onlyChanged?: boolean) => Promise<void>;
  /** Creates the ignition files as openshift-install does, with these faults. */
  readonly createIgnition: (faults?: readonly FaultId[]) => Promise<void>;
  /** The consoles and all other log lines of the site. */
  readonly log: () => string;
  /** The log of a service host. */
  readonly messages: (host: string) => string;
  /** Maps the addresses of nodes to local endpoints. */
  readonly resolveEndpoint: ResolveEndpoint;
  /** Names of the hosts that have files of the stage. */
  readonly hosts: () => string[];
  /** Lets time pass until a condition holds. */
  readonly waitUntil: (isMet: () => unknown) => Promise<void>;
  /** Restores boot files that were moved aside. */
  readonly restoreBootFiles: () => void;
  /**
   * Lets minutes pass.
   * @param stepMs milliseconds of site time by which each step advances the clock
   */
  readonly passMinutes: (minutes: number, stepMs?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const STAND_IN = resolve(import.meta.dirname, '../../src/rehearsal/stand-in-main.ts');
/** Milliseconds of site time by which each step advances the clock. */
const STEP_MS = 1500;
/** Limit of a wait in the time of the site, ms. A site without progress for longer is stuck. */
const MAX_WAIT_MS = 4 * 3600_000;

/** Creates a site with planted faults, installed files, ignition and a running boot server. Nothing is powered on. */
export async function createPlantedSite(design: Design, faults: readonly FaultId[], seed = 1): Promise<PlantedSite> {
  const dir = mkdtempSync(join(tmpdir(), 'upi-planted-'));
  const paths = getSitePaths(join(dir, 'site'));
  const installDir = join(dir, 'install');
  const out = join(dir, 'out');
  mkdirSync(installDir, { recursive: true });
  mkdirSync(paths.dir, { recursive: true });
  const clock = manualClock(Date.now());
  const config = { design, speed: 1, seed, faults, standInProgram: STAND_IN };
  writeFileSync(paths.config, JSON.stringify(config));
  const site = await openSite(config, paths, () => ({ clock, getSpeed: () => 1, setSpeed: () => undefined }));
  const credentials = {
    pullSecret: readFileSync(paths.pullSecret, 'utf8'),
    sshKey: readFileSync(paths.sshKey, 'utf8'),
    trustBundle: null,
    fencing: design.topology === 'fencing' ? readFileSync(paths.fencing, 'utf8') : null,
  };
  const release = deriveReleaseMetadata(design.openshift.version, design.openshift.architecture);
  const images = { ...release.rhcos, release: release.rhcos.build };
  const installStage = async (stage: Stage = 'install', onlyChanged = false) => {
    const { files } = generateFiles({ design, stage, credentials, images, previous: null });
    const changed = new Set<string>();
    for (const { file, content } of files) {
      const path = join(out, file);
      if (!existsSync(path) || readFileSync(path, 'utf8') !== content) changed.add(file.split('/')[0] ?? '');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    for (const host of readdirSync(out))
      if (!onlyChanged || changed.has(host)) await site.installFiles(host, join(out, host));
  };
  const createIgnition = async (installerFaults: readonly FaultId[] = faults) => {
    const source = join(out, 'bastion/root/upi-wizard/install-config.yaml');
    rmSync(installDir, { recursive: true });
    mkdirSync(installDir);
    writeFileSync(join(installDir, 'install-config.yaml'), readFileSync(source));
    const { architecture } = design.openshift;
    const options = { dir: installDir, clock, release, architecture, out: { log: () => undefined } };
    const createOptions = { ...options, faults: new Set(installerFaults) };
    createManifests(createOptions);
    const scheduler = join(installDir, 'manifests/cluster-scheduler-02-config.yml');
    const schedulable = design.topology !== 'standard';
    writeFileSync(scheduler, readFileSync(scheduler, 'utf8').replace(/(mastersSchedulable: ).*/, `$1${schedulable}`));
    await createIgnitionConfigs(createOptions);
  };
  await installStage();
  await createIgnition();
  const requests: PlantedSite['requests'] = [];
  const bootLog = join(installDir, '.upi-wizard', 'boot-requests.ndjson');
  const boot = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    const [, folder = '', name = ''] = /^\/(images|ignition)\/(.+)$/.exec(path) ?? [];
    const roots: Readonly<Record<string, string>> = { images: paths.images, ignition: installDir };
    const root = roots[folder];
    const file = root === undefined ? join(out, 'bastion/var/www/upi-wizard', path) : join(root, name);
    const status = existsSync(file) ? 200 : 404;
    requests.push({ path, status });
    const logEntry = { at: clock.now(), client: request.socket.remoteAddress ?? '', method: 'GET', path, status };
    mkdirSync(join(installDir, '.upi-wizard'), { recursive: true });
    const bytes = status === 200 ? readFileSync(file).length : 0;
    appendFileSync(bootLog, `${JSON.stringify({ ...logEntry, bytes, complete: status === 200 })}\n`);
    response.writeHead(status).end(status === 200 ? readFileSync(file) : '');
  });
  const dial = JSON.parse(readFileSync(paths.dial, 'utf8')) as DialMap;
  const resolveEndpoint = createMappedEndpoints(() => dial, NO_DELAY);
  const endpoint = resolveEndpoint(design.services.bastion.ip[0] ?? '', design.services.boot.httpPort);
  await new Promise<void>((done) => boot.listen(endpoint.port, endpoint.host, done));
  const step = async (ms = STEP_MS) => {
    await clock.advance(ms);
    for (let turns = 0; turns < 4; turns += 1) await nextTurn();
  };
  return {
    dir,
    siteDir: paths.dir,
    installDir,
    design,
    clock,
    site,
    requests,
    installStage,
    createIgnition,
    hosts: () => readdirSync(out),
    resolveEndpoint: createMappedEndpoints(() => JSON.parse(readFileSync(paths.dial, 'utf8')) as DialMap, NO_DELAY),
    log: () => readFileSync(paths.log, 'utf8'),
    messages: (host) => site.readFile(host, '/var/log/messages') ?? '',
    async waitUntil(isMet) {
      const end = clock.now() + MAX_WAIT_MS;
      while (!isMet()) {
        if (clock.now() > end) throw new Error(`it never comes to that: ${isMet}`);
        await step();
      }
    },
    restoreBootFiles: () => cpSync(paths.movedAside, paths.images, { recursive: true }),
    async passMinutes(minutes, stepMs) {
      const end = clock.now() + minutes * 60_000;
      while (clock.now() < end) await step(stepMs);
    },
    async close() {
      boot.close();
      boot.closeAllConnections();
      await site.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
