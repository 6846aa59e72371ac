import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createExampleAnswers, createSandbox, runWizard, startRehearsal } from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

/** Keys that are data themselves: names of nodes, hosts, files and objects. */
const isName = (key: string) => /[^\w-]|^[a-z]+\d+$|^[0-9a-f-]{30,}$/.test(key);

/** Values whose keys vary with the moment. Other tests and the schemas of saved state cover them. */
const isOpaque = (path: string) => /\.(?:memory|design|inForce|value|ours|texts|changes\.past)$/.test(path);

/** Lists the paths of every key below a value; the entries of a list count as one. */
function* listKeys(value: unknown, path: string): Generator<string> {
  if (isOpaque(path)) return;
  if (Array.isArray(value)) for (const each of value) yield* listKeys(each, `${path}[]`);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      const below = `${path}.${isName(key) ? '*' : key}`;
      yield below;
      yield* listKeys(each, below);
    }
}

const listDocumentKeys = (name: string, documents: readonly unknown[]) =>
  documents.flatMap((each) => [...listKeys(each, name)]);

/** Reads the JSON documents of a file: one, or one a line. */
function readDocuments(file: string): readonly unknown[] {
  const text = readFileSync(file, 'utf8');
  if (!file.endsWith('.ndjson')) return [JSON.parse(text)];
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

/** Lists the keys of every JSON file in `.upi-wizard` of an installation, except those of the simulated site. */
function savedKeys(dir: string): readonly string[] {
  const state = join(dir, '.upi-wizard');
  const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(?:nd)?json$/.test(name) && !name.startsWith('site/'),
  );
  return files.flatMap((name) => {
    const kind = name.replace(/\.\d+\./, '.').replace(/-[0-9a-f]{16}/, '');
    return listDocumentKeys(kind, readDocuments(join(state, name)));
  });
}

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['infra', 'verify'],
  ['infra', 'undo', '--only', 'lb-final', '--yes'],
  ['infra', 'plan', '--out', 'plan.json'],
  ['infra', 'apply', '--only', 'lb-final', '--yes'],
  ['hosts', 'plan'],
  ['hosts', 'verify'],
  ['doctor'],
  ['check'],
  ['diagnose'],
  ['sessions'],
  ['answer'],
  ['report'],
  ['bundle', '--yes', '--out', 'bundle.tar.gz'],
];

test('the keys of every JSON document, of saved state and of the journal stay', async () => {
  const dir = sandbox.dir('contract');
  const rehearsal = startRehearsal(dir, { sandbox });
  // Kubernetes deletes issued requests after an hour, which passes soon in a rehearsal.
  await rehearsal.waitForOutput(/^\[15\/17\]/m);
  const requests = await runWizard(['csr', 'list', '--dir', dir, '--json'], { sandbox });
  await rehearsal.waitForOutput(/^\[17\/17\]/m);
  await rehearsal.kill9();
  const keys = new Set(savedKeys(dir));
  const collect = (name: string, documents: readonly unknown[]) => {
    for (const document of documents) for (const key of listKeys(document, name)) keys.add(key);
  };
  collect('csr list', [JSON.parse(requests.stdout)]);
  const hostFile = join(dir, '.upi-wizard/site/hosts/ns1/etc/named.conf');
  const hostFileText = readFileSync(hostFile, 'utf8');
  for (const argv of COMMANDS) {
    // A plan has changes only for a host with a file that is not the generated one.
    if (argv.join(' ') === 'hosts plan') writeFileSync(hostFile, `${hostFileText}# changed\n`);
    if (argv[0] === 'doctor') writeFileSync(hostFile, hostFileText);
    const dirOptions = argv[0] === 'sessions' ? [] : ['--dir', dir];
    const { stdout, stderr } = await runWizard([...argv, ...dirOptions, '--json'], { sandbox });
    expect(stdout, `${argv.join(' ')}: ${stderr}`).toMatch(/^\{/);
    collect(argv.slice(0, 2).join(' '), [JSON.parse(stdout)]);
  }
  collect('saved plan', readDocuments(join(sandbox.path, 'plan.json')));

  const invalidDesign = sandbox.file('wrong.yaml', createExampleAnswers({ 'ip: 172.16.0.21': 'ip: 172.16.0.11' }));
  const validDesign = sandbox.file('right.yaml', createExampleAnswers());
  const disk = 'installDisk: /dev/sda\n  - name: w2';
  const unhintedDisk = disk.replace('/dev/sda', '/dev/disk/by-id/ata-QEMU');
  const unhintedDesign = sandbox.file('disk.yaml', createExampleAnswers({ [disk]: unhintedDisk }));
  for (const [name, argv] of [
    ['design check', ['design', 'check', invalidDesign, '--json']],
    ['design schema', ['design', 'schema']],
    ['export downloads', ['export', 'downloads', validDesign, '--json']],
    ['export node-image', ['export', 'node-image', unhintedDesign, '--json']],
    ['generate', ['generate', validDesign, '--out', sandbox.dir('out'), '--json']],
  ] as const)
    collect(name, [JSON.parse((await runWizard(argv, { sandbox })).stdout)]);
  collect('files.json', readDocuments(join(sandbox.dir('out'), 'files.json')));
  await expect(`${[...keys].toSorted().join('\n')}\n`).toMatchFileSnapshot('../golden/contract/json-keys.txt');
});
