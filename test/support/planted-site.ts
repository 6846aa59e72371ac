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
import { generate } from '../../src/artifacts/generate.ts';
import type { Design, Stage } from '../../src/design/model.ts';
import { type DialMap, mappedReach, type Reach } from '../../src/ports/reach.ts';
import type { FaultId } from '../../src/rehearsal/site/faults.ts';
import { sitePaths } from '../../src/rehearsal/site/files.ts';
import { openSite, type SiteHost } from '../../src/rehearsal/site/site.ts';
import { releaseFacts } from '../../src/rehearsal/site/versions.ts';
import { createIgnitionConfigs, createManifests } from '../../src/rehearsal/stand-in/create.ts';
import { type ManualClock, manualClock, turn } from './manual-clock.ts';

/** A whole rehearsal in this process, on a clock that the test moves. */
export interface PlantedSite {
  readonly dir: string;
  readonly siteDir: string;
  readonly installDir: string;
  readonly design: Design;
  readonly clock: ManualClock;
  readonly site: SiteHost;
  /** What the boot server was asked for, in order: address of the design, path, status. */
  readonly requests: { readonly path: string; readonly status: number }[];
  /** Generates a stage and puts the files of every host in place; `onlyChanged`: only of hosts that get other files than before. */
  readonly put: (stage?: Stage, onlyChanged?: boolean) => Promise<void>;
  /** Makes the ignition files, as openshift-install does, with these mistakes. */
  readonly ignite: (mistakes?: readonly FaultId[]) => Promise<void>;
  /** The consoles and everything else that the site has noted. */
  readonly log: () => string;
  /** The log of a service host. */
  readonly messages: (host: string) => string;
  /** How the nodes' addresses are reached from here. */
  readonly reach: Reach;
  /** The hosts that have files of the stage, by name. */
  readonly hosts: () => string[];
  /** Lets time pass until something is so. */
  readonly until: (isSo: () => unknown) => Promise<void>;
  /** Puts the boot files back that somebody moved aside. */
  readonly bringBack: () => void;
  /** Lets minutes pass. @param stepMs of the site between two turns of this process */
  readonly pass: (minutes: number, stepMs?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const STAND_IN = resolve(import.meta.dirname, '../../src/rehearsal/stand-in-main.ts');
/** Milliseconds of the site between two turns of this process. */
const STEP = 1500;
/** A site in which nothing happens for so long never gets there, ms. */
const HANGS = 4 * 3600_000;

/** A site with the faults planted, its files in place, its ignition made and its boot server running; nothing is switched on. */
export async function plantedSite(design: Design, faults: readonly FaultId[], seed = 1): Promise<PlantedSite> {
  const dir = mkdtempSync(join(tmpdir(), 'upi-planted-'));
  const paths = sitePaths(join(dir, 'site'));
  const installDir = join(dir, 'install');
  const out = join(dir, 'out');
  mkdirSync(installDir, { recursive: true });
  mkdirSync(paths.dir, { recursive: true });
  const clock = manualClock(Date.now());
  const config = { design, speed: 1, seed, faults, standInProgram: STAND_IN };
  writeFileSync(paths.config, JSON.stringify(config));
  const site = await openSite(config, paths, () => ({ clock, speed: () => 1, setSpeed: () => undefined }));
  const credentials = {
    pullSecret: readFileSync(paths.pullSecret, 'utf8'),
    sshKey: readFileSync(paths.sshKey, 'utf8'),
    trustBundle: null,
  };
  const release = releaseFacts(design.openshift.version, design.openshift.architecture);
  const images = { ...release.rhcos, release: release.rhcos.build };
  const put = async (stage: Stage = 'install', onlyChanged = false) => {
    const { files } = generate({ design, stage, credentials, images, previous: null });
    const changed = new Set<string>();
    for (const { file, content } of files) {
      const path = join(out, file);
      if (!existsSync(path) || readFileSync(path, 'utf8') !== content) changed.add(file.split('/')[0] ?? '');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    for (const host of readdirSync(out))
      if (!onlyChanged || changed.has(host)) await site.putInPlace(host, join(out, host));
  };
  const ignite = async (mistakes: readonly FaultId[] = faults) => {
    const source = join(out, 'bastion/root/upi-wizard/install-config.yaml');
    rmSync(installDir, { recursive: true });
    mkdirSync(installDir);
    writeFileSync(join(installDir, 'install-config.yaml'), readFileSync(source));
    const { architecture } = design.openshift;
    const options = { dir: installDir, clock, release, architecture, out: { say: () => undefined } };
    const made = { ...options, mistakes: new Set(mistakes) };
    createManifests(made);
    const scheduler = join(installDir, 'manifests/cluster-scheduler-02-config.yml');
    const schedulable = design.topology !== 'standard';
    writeFileSync(scheduler, readFileSync(scheduler, 'utf8').replace(/(mastersSchedulable: ).*/, `$1${schedulable}`));
    await createIgnitionConfigs(made);
  };
  await put();
  await ignite();
  const requests: PlantedSite['requests'] = [];
  const bootLog = join(installDir, '.upi-wizard', 'boot-requests.ndjson');
  const boot = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    const [, place = '', name = ''] = /^\/(images|ignition)\/(.+)$/.exec(path) ?? [];
    const roots: Readonly<Record<string, string>> = { images: paths.images, ignition: installDir };
    const root = roots[place];
    const file = root === undefined ? join(out, 'bastion/var/www/upi-wizard', path) : join(root, name);
    const status = existsSync(file) ? 200 : 404;
    requests.push({ path, status });
    const seen = { at: clock.now(), client: request.socket.remoteAddress ?? '', method: 'GET', path, status };
    mkdirSync(join(installDir, '.upi-wizard'), { recursive: true });
    const bytes = status === 200 ? readFileSync(file).length : 0;
    appendFileSync(bootLog, `${JSON.stringify({ ...seen, bytes, complete: status === 200 })}\n`);
    response.writeHead(status).end(status === 200 ? readFileSync(file) : '');
  });
  const dial = JSON.parse(readFileSync(paths.dial, 'utf8')) as DialMap;
  const reach = mappedReach(() => dial);
  const where = reach(design.services.bastion.ip[0] ?? '', design.services.boot.httpPort);
  await new Promise<void>((done) => boot.listen(where.port, where.host, done));
  const step = async (ms = STEP) => {
    await clock.advance(ms);
    for (let turns = 0; turns < 4; turns += 1) await turn();
  };
  return {
    dir,
    siteDir: paths.dir,
    installDir,
    design,
    clock,
    site,
    requests,
    put,
    ignite,
    hosts: () => readdirSync(out),
    reach: mappedReach(() => JSON.parse(readFileSync(paths.dial, 'utf8')) as DialMap),
    log: () => readFileSync(paths.log, 'utf8'),
    messages: (host) => site.readFile(host, '/var/log/messages') ?? '',
    async until(isSo) {
      const end = clock.now() + HANGS;
      while (!isSo()) {
        if (clock.now() > end) throw new Error(`it never comes to that: ${isSo}`);
        await step();
      }
    },
    bringBack: () => cpSync(paths.movedAside, paths.images, { recursive: true }),
    async pass(minutes, stepMs) {
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
