import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type Entry, header, packed, tarball } from '../support/archive.ts';
import { nodeObject, resource } from '../support/bundle-objects.ts';
import { type BundleFiles, journal, LOG_BUNDLE } from '../support/bundle-text.ts';
import { exampleSite } from '../support/example-design.ts';
import { logBundle } from '../support/log-bundle.ts';
import { gathered, mustGather } from '../support/must-gather.ts';
import { makeSandbox, runWizard } from '../support/rehearsal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

const design = exampleSite();
const MIB = 1024 * 1024;
const entriesOf = (files: BundleFiles): Entry[] =>
  Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
interface Findings {
  readonly findings: readonly { readonly rule: string; readonly seeInBundle: string | null }[];
}

/** A journal of so many bytes that is never whole in memory: the same minute again and again, and its last line. */
function* longJournal(path: string, size: number, last: string): Generator<Buffer> {
  const minute = Buffer.from(
    journal(
      'm1',
      'kubenswrapper[2345]',
      Array.from({ length: 4000 }, (_, index) => `"Error getting node" id=${index}`),
      10,
    ),
  );
  const end = Buffer.from(last);
  const times = Math.ceil((size - end.length) / minute.length);
  const length = times * minute.length + end.length;
  yield header({ path, size: length });
  for (let index = 0; index < times; index += 1) yield minute;
  yield end;
  yield Buffer.alloc((512 - (length % 512)) % 512);
}

test('a whole log bundle with journals of 100 MB and thousands of objects: the cause first, in bounded memory', async () => {
  const file = join(sandbox.dir('large'), `${LOG_BUNDLE}.tar.gz`);
  mkdirSync(dirname(file), { recursive: true });
  const pods = resource(
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
  const files = logBundle(design, {
    'resources/pods.json': pods,
    'resources/nodes.json': resource(
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
        yield tarball(entriesOf(files));
      })(),
    ),
    createGzip({ level: 1 }),
    createWriteStream(file),
  );
  const told = join(dirname(file), 'memory');
  const counter = join(dirname(file), 'memory.mjs');
  writeFileSync(
    counter,
    `import { writeFileSync } from 'node:fs';\nprocess.on('exit', () => writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)));\n`,
  );
  const run = await runWizard(['diagnose', '--bundle', file, '--json'], {
    sandbox,
    env: { NODE_OPTIONS: `--import ${counter}` },
  });
  expect(run.code, run.stderr).toBe(4);
  const { findings } = JSON.parse(run.stdout) as Findings;
  expect(findings.map(({ rule }) => rule)).toEqual(['pull-secret-rejected', 'node-gone']);
  expect(findings[0]?.seeInBundle).toContain(`tar -xOf ${file} --wildcards '*/control-plane/172.16.0.2`);
  // KiB: a fraction of what is in it.
  expect(Number(readFileSync(told, 'utf8'))).toBeLessThan(450 * 1024);
});

test('a whole must-gather, as a directory, in tar and in gzip: well, and not', async () => {
  const place = sandbox.dir('gathered');
  for (const [path, content] of Object.entries(mustGather(design))) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), content);
  }
  const well = await runWizard(['diagnose', '--bundle', place], { sandbox });
  expect(well, well.stdout).toMatchObject({ code: 0 });
  expect(well.stdout).toMatch(/^Nothing in the bundle says that something is wrong\./);

  const broken = mustGather(
    design,
    gathered(
      nodeObject(design, 'w1', {
        status: 'Unknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: '2026-11-22T11:20:00Z',
      }),
    ),
  );
  for (const [name, bytes] of [
    ['g.tar.gz', packed(broken)],
    ['g.tar', tarball(entriesOf(broken))],
  ] as const) {
    writeFileSync(join(place, name), bytes);
    const run = await runWizard(['diagnose', '--bundle', name], { sandbox, cwd: place });
    expect(run.code, run.stderr).toBe(4);
    expect(run.stdout.split('\n')[0]).toBe('1. A node does not report any more (likely)');
    expect(run.stdout).toContain(
      `$ tar -xOf ${join(place, name)} --wildcards '*/cluster-scoped-resources/core/nodes/w1.`,
    );
  }
  const packing = join(place, 'g.tar.xz');
  writeFileSync(packing, Buffer.from(`fd377a585a00${'00'.repeat(600)}`, 'hex'));
  const refused = await runWizard(['diagnose', '--bundle', packing], { sandbox });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`xz -dk ${packing}`);
});
