import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type ArchiveEntry, createHeader, createRawTar, createTarGz } from '../support/archive.ts';
import { formatResources, nodeObject } from '../support/bundle-objects.ts';
import { type BundleFiles, formatJournal, LOG_BUNDLE } from '../support/bundle-text.ts';
import { exampleSite } from '../support/example-design.ts';
import { createLogBundle } from '../support/log-bundle.ts';
import { createMustGather, createObjectFiles } from '../support/must-gather.ts';
import { createSandbox, runWizard } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const design = exampleSite();
const MIB = 1024 * 1024;
const toEntries = (files: BundleFiles): ArchiveEntry[] =>
  Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
interface Findings {
  readonly findings: readonly { readonly rule: string; readonly seeInBundle: string | null }[];
}

/**
 * Generates a journal that is never whole in memory: the same minute repeated, then the last line.
 * @param size of the journal, bytes
 */
function* longJournal(path: string, size: number, last: string): Generator<Buffer> {
  const minute = Buffer.from(
    formatJournal(
      'm1',
      'kubenswrapper[2345]',
      Array.from({ length: 4000 }, (_, index) => `"Error getting node" id=${index}`),
      10,
    ),
  );
  const end = Buffer.from(last);
  const times = Math.ceil((size - end.length) / minute.length);
  const length = times * minute.length + end.length;
  yield createHeader({ path, size: length });
  for (let index = 0; index < times; index += 1) yield minute;
  yield end;
  yield Buffer.alloc((512 - (length % 512)) % 512);
}

test('a whole log bundle with journals of 100 MB and thousands of objects: the cause first, in bounded memory', async () => {
  const file = join(sandbox.dir('large'), `${LOG_BUNDLE}.tar.gz`);
  mkdirSync(dirname(file), { recursive: true });
  const pods = formatResources(
    ...Array.from({ length: 8000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${index}`, namespace: 'x' },
      status: { phase: 'Running', containerStatuses: [{ image: `quay.io/x@sha256:${'ab'.repeat(32)}` }] },
    })),
  );
  const down = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: '2026-11-22T11:20:00Z',
  };
  const files = createLogBundle(design, {
    'resources/pods.json': pods,
    'resources/nodes.json': formatResources(
      nodeObject(design, 'm1', down),
      nodeObject(design, 'm2'),
      nodeObject(design, 'm3'),
    ),
  });
  const last =
    'Nov 22 11:59:59 m1 kubenswrapper[2345]: "Failed to pull image" err="reading manifest v1 in quay.io/x/y: unauthorized: access to the requested resource is not authorized" image="quay.io/x/y:v1"\n';
  await pipeline(
    Readable.from(
      (function* () {
        for (const path of [
          '172.16.0.21/journals/kubelet.log',
          '172.16.0.22/journals/crio.log',
          '172.16.0.23/journals/kubelet.log',
        ])
          yield* longJournal(`${LOG_BUNDLE}/control-plane/${path}`, 100 * MIB, last);
        yield createRawTar(toEntries(files));
      })(),
    ),
    createGzip({ level: 1 }),
    createWriteStream(file),
  );
  const memoryFile = join(dirname(file), 'memory');
  const memoryHook = join(dirname(file), 'memory.mjs');
  writeFileSync(
    memoryHook,
    `import { writeFileSync } from 'node:fs';\nprocess.on('exit', () => writeFileSync(${JSON.stringify(memoryFile)}, String(process.resourceUsage().maxRSS)));\n`,
  );
  const run = await runWizard(['diagnose', '--bundle', file, '--json'], {
    sandbox,
    env: { NODE_OPTIONS: `--import ${memoryHook}` },
  });
  expect(run.code, run.stderr).toBe(4);
  const { findings } = JSON.parse(run.stdout) as Findings;
  expect(findings.map(({ rule }) => rule)).toEqual(['pull-secret-rejected', 'node-gone']);
  expect(findings[0]?.seeInBundle).toContain(`tar -xOf ${file} --wildcards '*/control-plane/172.16.0.2`);
  // KiB: a fraction of the size of the content.
  expect(Number(readFileSync(memoryFile, 'utf8'))).toBeLessThan(450 * 1024);
});

test('a whole must-gather, as a directory, in tar and in gzip: healthy and broken', async () => {
  const gatherDir = sandbox.dir('gathered');
  for (const [path, content] of Object.entries(createMustGather(design))) {
    mkdirSync(dirname(join(gatherDir, path)), { recursive: true });
    writeFileSync(join(gatherDir, path), content);
  }
  const healthyRun = await runWizard(['diagnose', '--bundle', gatherDir], { sandbox });
  expect(healthyRun, healthyRun.stdout).toMatchObject({ code: 0 });
  expect(healthyRun.stdout).toMatch(/^The bundle shows no problem\./);

  const broken = createMustGather(
    design,
    createObjectFiles(
      nodeObject(design, 'w1', {
        status: 'Unknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: '2026-11-22T11:20:00Z',
      }),
    ),
  );
  for (const [name, bytes] of [
    ['g.tar.gz', createTarGz(broken)],
    ['g.tar', createRawTar(toEntries(broken))],
  ] as const) {
    writeFileSync(join(gatherDir, name), bytes);
    const run = await runWizard(['diagnose', '--bundle', name], { sandbox, cwd: gatherDir });
    expect(run.code, run.stderr).toBe(4);
    expect(run.stdout.split('\n')[0]).toBe('1. A node no longer reports its status (likely)');
    expect(run.stdout).toContain(
      `$ tar -xOf ${join(gatherDir, name)} --wildcards '*/cluster-scoped-resources/core/nodes/w1.`,
    );
  }
  const xzFile = join(gatherDir, 'g.tar.xz');
  writeFileSync(xzFile, Buffer.from(`fd377a585a00${'00'.repeat(600)}`, 'hex'));
  const refused = await runWizard(['diagnose', '--bundle', xzFile], { sandbox });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`xz -dk ${xzFile}`);
});
