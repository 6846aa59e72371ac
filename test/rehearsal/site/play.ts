import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'yaml';
import { generate } from '../../../src/artifacts/generate.ts';
import type { Design, Stage } from '../../../src/design/model.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { type FaultId, type Site, startSite } from '../../../src/rehearsal/site-client.ts';
import { exampleImages } from '../../support/example-design.ts';
import { built } from '../../support/rehearsal-run.ts';

const WEB_ROOT = 'bastion/var/www/upi-wizard';

/** A site with the files of the generators in place and its boot server running: what the wizard does, by hand. */
export interface Play {
  readonly dir: string;
  readonly siteDir: string;
  readonly design: Design;
  readonly site: Site;
  readonly install: (...words: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
  /** Starts the installer without waiting for it. */
  readonly spawnInstaller: (...words: string[]) => ChildProcess;
  /** Generates a stage and puts the files of every host in place. */
  readonly putInPlace: (stage: Stage, change?: (file: string, text: string) => string) => Promise<void>;
  readonly api: (path: string, method?: string, body?: unknown, type?: string) => Promise<ApiAnswer>;
  readonly close: () => Promise<void>;
}

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look deep into objects
  readonly body: any;
}

export async function play(options: {
  readonly design: Design;
  readonly speed: number;
  readonly faults?: readonly FaultId[];
  readonly seed?: number;
  readonly change?: (file: string, text: string) => string;
}): Promise<Play> {
  const dir = mkdtempSync(join(tmpdir(), 'upi-site-'));
  const siteDir = join(dir, 'site');
  const installDir = join(dir, 'install');
  const { design, speed, seed = 1, faults = [] } = options;
  const site = await startSite({
    siteDir,
    design,
    speed,
    seed,
    faults,
    siteProgram: built('site'),
    standInProgram: built('stand-in'),
  });
  const credentials = {
    pullSecret: readFileSync(site.credentials.pullSecretFile, 'utf8'),
    sshKey: readFileSync(site.credentials.sshKeyFile, 'utf8'),
    trustBundle: null,
  };
  const out = join(dir, 'out');
  const putInPlace = async (stage: Stage, change = options.change ?? ((_file: string, text: string) => text)) => {
    const { files } = generate({ design, stage, credentials, images: exampleImages, previous: null });
    for (const { file, content } of files) write(join(out, file), change(file, content));
    for (const host of readdirSync(out)) await site.hands.putInPlace(host, join(out, host));
  };
  const program = join(site.programPath[0] ?? '', 'openshift-install');
  const install: Play['install'] = (...words) =>
    new Promise((done) => {
      execFile(program, [...words, '--dir', installDir], (error, stdout, stderr) => {
        done({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });
  await putInPlace('install');
  const boot = await serveBoot(site, design, out, installDir);
  return {
    dir,
    siteDir,
    design,
    site,
    install,
    spawnInstaller: (...words) => spawn(program, [...words, '--dir', installDir]),
    putInPlace,
    api: (path, method = 'GET', body, type = 'application/json') =>
      callApi(site, join(installDir, 'auth/kubeconfig'), path, method, body, type),
    close: async () => {
      boot.close();
      boot.closeAllConnections();
      await site.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Ignition files as the wizard makes them: masters do not carry applications. */
export async function makeIgnition({ dir, install }: Play, areMastersSchedulable = false): Promise<void> {
  const installDir = join(dir, 'install');
  mkdirSync(installDir, { recursive: true });
  const source = join(dir, 'out/bastion/root/upi-wizard/install-config.yaml');
  writeFileSync(join(installDir, 'install-config.yaml'), readFileSync(source));
  const manifests = await install('create', 'manifests');
  if (manifests.code !== 0) throw new Error(manifests.stderr);
  const scheduler = join(installDir, 'manifests/cluster-scheduler-02-config.yml');
  writeFileSync(
    scheduler,
    readFileSync(scheduler, 'utf8').replace('mastersSchedulable: true', `mastersSchedulable: ${areMastersSchedulable}`),
  );
  const ignition = await install('create', 'ignition-configs');
  if (ignition.code !== 0) throw new Error(ignition.stderr);
}

/** Waits until something is so; `what` is for whoever reads the test. */
export async function until(_what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(50);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** What the wizard's boot server serves on the bastion: scripts, images, ignition. */
async function serveBoot(site: Site, design: Design, out: string, installDir: string): Promise<Server> {
  const places: readonly [RegExp, string][] = [
    [/^\/images\//, site.imagesDir],
    [/^\/ignition\//, installDir],
  ];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const place = places.find(([prefix]) => prefix.test(path));
    const file = place ? join(place[1], path.replace(place[0], '')) : join(out, WEB_ROOT, path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200).end(readFileSync(file));
  });
  const where = site.reach(design.services.bastion.ip[0] ?? '', design.services.boot.httpPort);
  await new Promise<void>((done) => server.listen(where.port, where.host, done));
  return server;
}

/** The parsed file; `openshift-install wait-for` rewrites it in place, and nobody reads half of it twice. */
async function kubeconfigIn(file: string) {
  for (;;) {
    const text = readFileSync(file, 'utf8');
    // The key of its only user comes last.
    if (/^ +client-key-data: \S+\n/m.test(text)) return parse(text);
    await setImmediate();
  }
}

async function callApi(
  site: Site,
  file: string,
  path: string,
  method: string,
  body: unknown,
  type: string,
): Promise<ApiAnswer> {
  const kubeconfig = await kubeconfigIn(file);
  const { cluster } = kubeconfig.clusters[0];
  const { user } = kubeconfig.users[0];
  const server = new URL(cluster.server);
  const decoded = (text: string) => Buffer.from(text, 'base64').toString();
  return new Promise((done, fail) => {
    const call = request(
      {
        ...site.reach(server.hostname, Number(server.port)),
        path,
        method,
        servername: server.hostname,
        ca: decoded(cluster['certificate-authority-data']),
        cert: decoded(user['client-certificate-data']),
        key: decoded(user['client-key-data']),
        headers: { host: server.host, 'content-type': type },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString() || '{}') }),
        );
      },
    );
    call.on('error', fail);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
