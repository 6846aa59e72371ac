import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'yaml';
import { generateFiles } from '../../../src/artifacts/generate.ts';
import type { Stage } from '../../../src/design/choices.ts';
import type { Design } from '../../../src/design/model.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { type SiteClient, startSite } from '../../../src/rehearsal/site-client.ts';
import { exampleImages } from '../../support/example-design.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';

const WEB_ROOT = 'bastion/var/www/upi-wizard';

/** A simulated site with the generated files in place and a running boot server: the wizard's work, done by hand. */
export interface SimulatedInstallation {
  readonly dir: string;
  readonly siteDir: string;
  readonly design: Design;
  readonly site: SiteClient;
  readonly install: (...words: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
  /** Starts the installer without waiting for it. */
  readonly spawnInstaller: (...words: string[]) => ChildProcess;
  /** Generates the files of a stage and copies them to every host. */
  readonly putInPlace: (stage: Stage, change?: (file: string, text: string) => string) => Promise<void>;
  readonly api: (path: string, method?: string, body?: unknown, type?: string) => Promise<ApiResponse>;
  readonly close: () => Promise<void>;
}

interface ApiResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look deep into objects
  readonly body: any;
}

export async function startSimulatedInstallation(options: {
  readonly design: Design;
  readonly speed: number;
  readonly faults?: readonly FaultId[];
  readonly seed?: number;
  readonly change?: (file: string, text: string) => string;
}): Promise<SimulatedInstallation> {
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
    siteProgram: getBuiltProgram('site'),
    standInProgram: getBuiltProgram('stand-in'),
  });
  const credentials = {
    pullSecret: readFileSync(site.credentials.pullSecretFile, 'utf8'),
    sshKey: readFileSync(site.credentials.sshKeyFile, 'utf8'),
    trustBundle: null,
    fencing: design.topology === 'fencing' ? readFileSync(site.credentials.fencingFile, 'utf8') : null,
  };
  const out = join(dir, 'out');
  // The names of the images follow the version of the design.
  const names = readdirSync(site.imagesDir);
  const findImage = (part: string) => names.find((name) => name.includes(part)) ?? '';
  const images = {
    release: exampleImages.release,
    kernel: findImage('live-kernel'),
    initramfs: findImage('live-initramfs'),
    rootfs: findImage('live-rootfs'),
    metal: findImage('metal'),
  };
  const putInPlace = async (stage: Stage, change = options.change ?? ((_file: string, text: string) => text)) => {
    const { files } = generateFiles({ design, stage, credentials, images, previous: null });
    for (const { file, content } of files) write(join(out, file), change(file, content));
    for (const host of readdirSync(out)) await site.manualActions.installHostFiles(host, join(out, host));
  };
  const program = join(site.programDirectories[0] ?? '', 'openshift-install');
  const install: SimulatedInstallation['install'] = (...words) =>
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

/**
 * Creates the ignition files as the wizard does. Control plane machines are schedulable only if `areMastersSchedulable`
 * is set.
 */
export async function createIgnition(
  { dir, install }: SimulatedInstallation,
  areMastersSchedulable = false,
): Promise<void> {
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

/** Waits until `condition` holds. The description only documents the test. */
export async function waitUntil(_description: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await systemClock.sleep(50);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Serves the files of the wizard's boot server on the bastion: scripts, images, ignition. */
async function serveBoot(site: SiteClient, design: Design, out: string, installDir: string): Promise<Server> {
  const roots: readonly [RegExp, string][] = [
    [/^\/images\//, site.imagesDir],
    [/^\/ignition\//, installDir],
  ];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const root = roots.find(([prefix]) => prefix.test(path));
    const file = root ? join(root[1], path.replace(root[0], '')) : join(out, WEB_ROOT, path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200).end(readFileSync(file));
  });
  const endpoint = site.resolveEndpoint(design.services.bastion.ip[0] ?? '', design.services.boot.httpPort);
  await new Promise<void>((done) => server.listen(endpoint.port, endpoint.host, done));
  return server;
}

/**
 * Reads and parses the kubeconfig. `openshift-install wait-for` rewrites it in place, so an incomplete file is read
 * again.
 */
async function readKubeconfig(file: string) {
  for (;;) {
    const text = readFileSync(file, 'utf8');
    // The client key of its only user is the last line.
    if (/^ +client-key-data: \S+\n/m.test(text)) return parse(text);
    await setImmediate();
  }
}

async function callApi(
  site: SiteClient,
  file: string,
  path: string,
  method: string,
  body: unknown,
  type: string,
): Promise<ApiResponse> {
  const kubeconfig = await readKubeconfig(file);
  const { cluster } = kubeconfig.clusters[0];
  const { user } = kubeconfig.users[0];
  const server = new URL(cluster.server);
  const decodeBase64 = (text: string) => Buffer.from(text, 'base64').toString();
  return new Promise((done, fail) => {
    const call = request(
      {
        ...site.resolveEndpoint(server.hostname, Number(server.port)),
        path,
        method,
        servername: server.hostname,
        ca: decodeBase64(cluster['certificate-authority-data']),
        cert: decodeBase64(user['client-certificate-data']),
        key: decodeBase64(user['client-key-data']),
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
