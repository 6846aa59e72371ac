import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAnswersFile } from '../../src/cli/wizard/answers-file.ts';
import { captureCommand } from '../support/run-command.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'design-command-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (...argv: string[]) => captureCommand(['design', ...argv], { cwd: dir, env: { HOME: join(dir, 'home') } });

async function writeExampleFile(change: (text: string) => string = (text) => text) {
  const { stdout } = await run('example');
  await writeFile(join(dir, 'design.yaml'), change(stdout));
}

test('the example passes its own check; missing credentials are warnings', async () => {
  await writeExampleFile();
  const { code, stdout, stderr } = await run('check', 'design.yaml');
  expect(code).toBe(0);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^design\.yaml:\d+:19: warning pull-secret-missing: .* — .*$/m);
  expect(stdout).toMatch(/^design\.yaml: 0 errors, 2 warnings\n$/m);
});

test('a note says that the whole site is the example, but not after a change of it, nor as JSON', async () => {
  const note = 'design.yaml: note: every name, network and MAC address is the example’s';
  await writeExampleFile();
  expect((await run('check', 'design.yaml')).stdout).toContain(`\n${note}`);
  expect(Object.keys(JSON.parse((await run('check', '--json', 'design.yaml')).stdout))).toEqual(['problems']);
  await writeExampleFile((text) => text.replace('00:50:56:96:37:c8', '02:00:00:00:00:01'));
  expect((await run('check', 'design.yaml')).stdout).not.toContain('note');
});

test('the known keys are listed once, whatever the number of unknown keys', async () => {
  await writeExampleFile((text) => `${text}\nqwerty: 1\nasdfgh: 2\ncluser: 3\n`);
  const { stdout } = await run('check', 'design.yaml');
  expect(stdout.match(/^.*unknown-key.*$/gm)).toEqual([
    expect.stringMatching(/The key "qwerty" is unknown — Remove it\. Keys here: apiVersion, kind, .*infra\.$/),
    expect.stringMatching(/The key "asdfgh" is unknown$/),
    expect.stringMatching(/The key "cluser" is unknown — .*cluster/),
  ]);
  const { problems } = JSON.parse((await run('check', 'design.yaml', '--json')).stdout) as {
    problems: { fix: string }[];
  };
  expect(problems.every(({ fix }) => fix !== '')).toBe(true);
});

test('a number with a unit is refused with the number alone', async () => {
  await writeExampleFile((text) => text.replace('memoryGiB: 16', 'memoryGiB: 16G'));
  expect((await run('check', 'design.yaml')).stdout).toMatch(/not text — Write 16, without a unit\.$/m);
});

test('options of example', async () => {
  expect((await run('example', '--topology', 'compact', '--version', '4.12')).stdout).toMatch(
    /"4\.12"[\s\S]*topology: compact/,
  );
  expect(await run('example', '--topology', 'huge')).toMatchObject({ code: 2, stdout: '' });
  expect(await run('example', '--version', '3.11')).toMatchObject({ code: 2, stdout: '' });
  expect(await run('example', '--topology', 'single-node', '--version', '4.7')).toMatchObject({ code: 2, stdout: '' });
  const tooOld = await run('example', '--topology', 'single-node-bootstrap', '--version', '4.7');
  expect(tooOld).toMatchObject({ code: 2, stdout: '' });
  const noArbiter = await run('example', '--topology', 'arbiter', '--version', '4.21.3');
  expect(noArbiter).toMatchObject({ code: 2, stdout: '' });
  expect(noArbiter.stderr).toContain('use 4.22 or later');
  expect((await run('example', '--topology', 'arbiter', '--version', '4.22.1')).stdout).toContain('role: arbiter');
  const noFencing = await run('example', '--topology', 'fencing', '--version', '4.19.3');
  expect(noFencing).toMatchObject({ code: 2, stdout: '' });
  expect(noFencing.stderr).toContain('use 4.22 or later');
  expect((await run('example', '--topology', 'fencing', '--version', '4.20')).stdout).toContain('fencingFile: ');
  expect((await run('example', '--version', '4.20.0-okd-scos.3')).stdout).toContain('version: "4.20.0-okd-scos.3"');
  const refused = await run('example', '--version', '4.18.0-okd-scos.10');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('4.16 to 4.18 start from Fedora CoreOS');
  expect(await run('example', '--what')).toMatchObject({ code: 2, stdout: '' });
});

test('errors of the design: exit code 3, one line each with its place', async () => {
  await writeExampleFile((text) => text.replace('172.16.0.22\n', '172.16.0.21\n'));
  const { code, stdout } = await run('check', 'design.yaml');
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /^design\.yaml:\d+:9: error address-duplicate: 172\.16\.0\.21 is the address of m1 and of m2 — /m,
  );
  expect(stdout).toMatch(/1 error, 0 warnings\n$/);
});

test('--json prints one document with every field', async () => {
  await writeExampleFile((text) => text.replace('name: ocp45', 'name: OCP45'));
  const { code, stdout } = await run('check', '--json', 'design.yaml');
  expect(code).toBe(3);
  const { problems } = JSON.parse(stdout);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toEqual({
    path: 'cluster.name',
    severity: 'error',
    rule: 'cluster-name',
    message: expect.any(String),
    fix: expect.any(String),
    line: expect.any(Number),
    column: 9,
  });
});

test('a syntax error has exit code 3, a missing file exit code 2', async () => {
  await writeFile(join(dir, 'bad.yaml'), 'a: [');
  expect(await run('check', 'bad.yaml')).toMatchObject({ code: 3 });
  expect(await run('check', 'nowhere.yaml')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('it does not exist'),
  });
  expect(await run('check', '.')).toMatchObject({ code: 2, stdout: '' });
});

test('a device has no end: each command that reads a design refuses it at once', async () => {
  const refusal = { code: 2, stdout: '', stderr: expect.stringContaining('it is not a regular file') };
  expect(await run('check', '/dev/zero')).toMatchObject(refusal);
  const errors: string[] = [];
  const io = { stdout: () => {}, stderr: (text: string) => errors.push(text), env: {}, cwd: dir };
  expect(await captureCommand(['generate', '/dev/zero', '--out', 'out'], { cwd: dir })).toMatchObject(refusal);
  expect(readAnswersFile('/dev/zero', io).isReadable).toBe(false);
  expect(errors).toEqual([refusal.stderr]);
  expect(await captureCommand(['check', '/dev/zero'], { cwd: dir })).toEqual(refusal);
  const argv = ['infra', 'plan', '--design', '/dev/zero', '--kubeconfig', 'k'];
  expect(await captureCommand(argv, { cwd: dir })).toMatchObject({ code: 2 });
});

test('a pipe is read to its end, however slowly it is written; one without a writer is empty', async () => {
  await writeExampleFile();
  const reader = `import(${JSON.stringify(join(import.meta.dirname, '../../src/platform/files.ts'))})`;
  const script = `${reader}.then(({ readInputFile }) => process.stdout.write(readInputFile(process.argv[1])))`;
  const command = '"$0" -e "$1" <(head -n 5 design.yaml; sleep 0.1; tail -n +6 design.yaml)';
  const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, script], {
    cwd: dir,
    encoding: 'utf8',
  });
  expect(stdout, stderr).toBe(await readFile(join(dir, 'design.yaml'), 'utf8'));
  spawnSync('mkfifo', [join(dir, 'pipe')]);
  expect(await run('check', 'pipe')).toMatchObject({ code: 3 });
});

test('credential files are found beside the design and in the home', async () => {
  await writeExampleFile();
  await mkdir(join(dir, 'home/.ssh'), { recursive: true });
  await writeFile(join(dir, 'home/.ssh/id_ed25519.pub'), '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n');
  await mkdir(join(dir, 'pull-secret.txt'));
  const { code, stdout } = await run('check', 'design.yaml');
  expect(code).toBe(3);
  expect(stdout).toMatch(/error credential-unreadable: .*it is a directory/);
  expect(stdout).toMatch(/error ssh-key-private: /);
  expect(stdout).not.toContain('c2VjcmV0');
  expect(stdout).not.toContain('pull-secret-missing');
});

test('schema prints the JSON Schema', async () => {
  const { code, stdout } = await run('schema');
  expect(code).toBe(0);
  const schema = JSON.parse(stdout);
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required).toContain('networks');
  expect(schema.properties.nodes.items.properties.role.enum).toContain('infra');
});
