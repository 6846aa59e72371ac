// The packages, as a user gets them: in a tree with nothing but a shell and the libraries that Node.js needs.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram } from '../support/programs.ts';
import { type PtyRun, runOnPty } from '../support/pty-run.ts';
import { repoRoot } from '../support/rehearsal-run.ts';

const NEEDS = ['rpmbuild', 'rpm', 'dpkg-deb', 'xz', 'strip', 'objdump', 'lintian', 'rpmlint', 'unshare', 'shellcheck'];
const NEEDS_ARM = ['aarch64-linux-gnu-strip', 'qemu-aarch64'];
const isMissing = (program: string) => findProgram(program) === null;
const isSkipped =
  process.arch !== 'x64' ||
  ((process.getuid?.() !== 0 || [...NEEDS, ...NEEDS_ARM].some(isMissing)) &&
    process.env.UPI_WIZARD_REQUIRE_SYSTEM !== '1');

const { version } = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8'));
const dir = mkdtempSync(join(tmpdir(), 'upi-package-'));
/** The unpacked program, and the tree in which it runs. */
const tree = join(dir, 'tree');
const name = `upi-wizard-${version}-linux-x64`;
const program = join(tree, name);

const run = (file: string, ...argv: readonly string[]) =>
  execFileSync(file, argv, { encoding: 'utf8', maxBuffer: 2 ** 27, stdio: ['ignore', 'pipe', 'pipe'] });
const pack = (out: string, ...argv: readonly string[]) =>
  run(process.execPath, join(repoRoot, 'bin/package.js'), '--out', join(dir, out), ...argv);

/** Installs the shell and the libraries of Node.js into a tree, and nothing else. */
function createTree(to: string, node: string): void {
  for (const each of ['bin', 'dev', 'proc', 'root', 'tmp']) mkdirSync(join(to, each), { recursive: true });
  chmodSync(join(to, 'tmp'), 0o1777);
  const libraries = run('ldd', node, '/bin/dash').match(/\/lib\S+\.so\S*/g) ?? [];
  for (const library of new Set(libraries)) {
    mkdirSync(dirname(join(to, library)), { recursive: true });
    copyFileSync(library, join(to, library));
  }
  copyFileSync('/bin/dash', join(to, 'bin/sh'));
}

/** The arguments with which `unshare` runs a command in a tree, with a loopback of its own. */
const inTree = (to: string, argv: readonly string[]) => [
  ...['--mount', '--pid', '--net', '--fork', 'sh', '-c'],
  `ip link set lo up && mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" &&
exec /usr/bin/env -i HOME=/root TERM=xterm-256color LANG=C.UTF-8 PATH=/bin:/usr/bin /usr/sbin/chroot "$0" "$@"`,
  to,
  ...argv,
];
const runInTree = (to: string, ...argv: readonly string[]) =>
  spawnSync('unshare', inTree(to, argv), { encoding: 'utf8', maxBuffer: 2 ** 27 });

const listTree = (root: string) => readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();

let screen: PtyRun | undefined;
beforeAll(() => {
  if (isSkipped) return;
  pack('tar', '--arch', 'x64', '--format', 'tar', '--level', '2');
  mkdirSync(tree, { recursive: true });
  run('tar', '-xJf', join(dir, 'tar', `${name}.tar.xz`), '-C', tree);
  createTree(tree, join(program, 'lib/node'));
}, 1_200_000);
afterAll(() => {
  screen?.pty.kill();
  rmSync(dir, { recursive: true, force: true });
});

test.skipIf(isSkipped)('the archive and the program are small, and hold no source maps', () => {
  // Level 9 of a release packs better.
  expect(statSync(join(dir, 'tar', `${name}.tar.xz`)).size).toBeLessThan(32 * 2 ** 20);
  const files = listTree(program).map((path) => statSync(join(program, path)));
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(130 * 2 ** 20);
  expect(listTree(program).filter((path) => path.endsWith('.map'))).toEqual([]);
  expect(files.filter(({ mode }) => (mode & 0o022) !== 0)).toEqual([]);
});

test.skipIf(isSkipped)('Node.js needs no newer glibc and libstdc++ than those of RHEL 8, and no libatomic', () => {
  const node = join(program, 'lib/node');
  const isNewer = (symbol: string, [major, minor, patch = 0]: readonly [number, number, number?]) => {
    const [a = 0, b = 0, c = 0] = symbol.split(/[_.]/).slice(1).map(Number);
    return a !== major ? a > major : b !== minor ? b > minor : c > patch;
  };
  const symbols = run('objdump', '-T', node);
  const listVersions = (pattern: RegExp) => [...new Set(symbols.match(pattern) ?? [])];
  const glibc = listVersions(/\bGLIBC_[0-9.]+/g);
  const libstdcxx = listVersions(/\bGLIBCXX_[0-9.]+/g);
  expect(glibc.length).toBeGreaterThan(5);
  expect(libstdcxx.length).toBeGreaterThan(5);
  expect(glibc.filter((symbol) => isNewer(symbol, [2, 28]))).toEqual([]);
  expect(libstdcxx.filter((symbol) => isNewer(symbol, [3, 4, 25]))).toEqual([]);
  expect(run('objdump', '-p', node)).not.toContain('libatomic');
  const elf = listTree(program).filter((path) => {
    const file = join(program, path);
    return statSync(file).isFile() && readFileSync(file).subarray(0, 4).toString('latin1') === '\u007fELF';
  });
  expect(elf).toEqual(['lib/node']);
});

test.skipIf(isSkipped)('the start script finds the program through a link, from any directory and by name', () => {
  const link = join(dir, 'link');
  run('ln', '-sf', join(program, 'upi-wizard'), link);
  expect(run(link, '--version')).toBe(`${version}\n`);
  expect(run('sh', '-c', `cd ${program} && sh upi-wizard --version`)).toBe(`${version}\n`);
  expect(run('sh', '-c', `cd ${tree} && PATH=${name}:$PATH upi-wizard --version`)).toBe(`${version}\n`);
  // It shows its commands with its own name, not with that of Node.js.
  const usage = spawnSync(join(program, 'upi-wizard'), ['status', '--dir', dir], { encoding: 'utf8' });
  expect(usage.stderr).toContain(`${program}/upi-wizard status --help`);
  expect(run('shellcheck', join(program, 'upi-wizard'))).toBe('');
});

test.skipIf(isSkipped)('the lines of README unpack and start it', async () => {
  const readme = readFileSync(join(repoRoot, 'README.md'), 'utf8');
  const [lines = ''] = /(?<=^```sh\n)tar -xJf [\s\S]*?(?=^```$)/m.exec(readme) ?? [];
  const place = join(dir, 'readme');
  mkdirSync(place);
  copyFileSync(join(dir, 'tar', `${name}.tar.xz`), join(place, `${name}.tar.xz`));
  screen = runOnPty('env', [
    '-i',
    `HOME=${place}`,
    'PATH=/usr/bin:/bin',
    'LANG=C.UTF-8',
    'TERM=xterm',
    'sh',
    '-c',
    `cd && ${lines}`,
  ]);
  await screen.waitUntil(() => screen?.screen().includes('Welcome') ?? false, 'the first screen');
  screen.pty.write('q');
});

test.skipIf(isSkipped)('the first start takes the code that was compiled beforehand, all of it', () => {
  const home = join(dir, 'home');
  mkdirSync(home);
  const env = { HOME: home, PATH: '/usr/bin:/bin', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const { stdout, stderr } = spawnSync(join(program, 'upi-wizard'), ['design', 'example'], { env, encoding: 'utf8' });
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => /was (accepted|rejected)/.test(line));
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => line.includes('rejected'))).toEqual([]);
  const [cache = ''] = readdirSync(join(home, '.cache/upi-wizard/compiled'));
  const entries = readdirSync(join(home, '.cache/upi-wizard/compiled', cache));
  expect(entries.length).toBeGreaterThan(100);
});

test.skipIf(isSkipped)(
  'in a tree with a shell alone: version, doctor, the first screen and a whole rehearsal',
  async () => {
    const start = `/${name}/upi-wizard`;
    expect(runInTree(tree, start, '--version').stdout).toBe(`${version}\n`);
    const doctor = runInTree(tree, start, 'doctor');
    expect(doctor.stderr).toBe('');
    expect(doctor.status).toBe(4);
    for (const missing of ['openssh-clients', 'named: not installed', 'openshift-install is missing'])
      expect(doctor.stdout).toContain(missing);
    screen = runOnPty('unshare', inTree(tree, [start]));
    await screen.waitUntil(() => screen?.screen().includes('Welcome') ?? false, 'the first screen');
    expect(screen.screen()).toContain('From nothing to a running OpenShift cluster');
    screen.pty.write('q');
    const rehearsal = runInTree(tree, start, 'rehearse', '--answers', 'example', '--plain', '--speed', '600');
    expect(rehearsal.stdout + rehearsal.stderr).toContain('Everything is done and verified.');
    expect(rehearsal.stdout).not.toContain('ENOENT');
    expect(rehearsal.status).toBe(0);
  },
);

test.skipIf(isSkipped)(
  'the RPM and the deb are installed, used and removed, and packed twice they are the same',
  () => {
    for (const out of ['one', 'two']) pack(out, '--arch', 'x64', '--format', 'rpm', '--format', 'deb', '--level', '0');
    expect(readFileSync(join(dir, 'two/SHA256SUMS'), 'utf8')).toBe(readFileSync(join(dir, 'one/SHA256SUMS'), 'utf8'));
    const rpm = join(dir, 'one', `upi-wizard-${version}-1.x86_64.rpm`);
    const deb = join(dir, 'one', `upi-wizard_${version}_amd64.deb`);
    expect(run('rpm', '-qp', '--scripts', rpm)).toBe('');
    expect(spawnSync('lintian', ['--allow-root', '--fail-on', 'error', deb], { encoding: 'utf8' })).toMatchObject({
      status: 0,
    });
    const installed = [
      {
        root: join(dir, 'rpm-tree'),
        install: (root: string) => run('rpm', '--root', root, '-i', '--nodeps', '--nosignature', rpm),
        verify: (root: string) => run('rpm', '--root', root, '-V', '--nodeps', 'upi-wizard'),
        remove: (root: string) => run('rpm', '--root', root, '-e', 'upi-wizard'),
      },
      {
        root: join(dir, 'deb-tree'),
        install: (root: string) => {
          mkdirSync(join(root, 'var/lib/dpkg/info'), { recursive: true });
          mkdirSync(join(root, 'var/lib/dpkg/updates'), { recursive: true });
          writeFileSync(join(root, 'var/lib/dpkg/status'), '');
          return run('dpkg', '--root', root, '--force-depends', '-i', deb);
        },
        verify: (root: string) => run('dpkg', '--root', root, '-V', 'upi-wizard'),
        remove: (root: string) => run('dpkg', '--root', root, '--purge', 'upi-wizard'),
      },
    ];
    for (const { root, install, verify, remove } of installed) {
      createTree(root, join(program, 'lib/node'));
      install(root);
      const used = runInTree(root, '/usr/bin/upi-wizard', 'design', 'example');
      expect(used.stderr).toBe('');
      expect(used.stdout).toContain('openshift:');
      expect(runInTree(root, '/usr/bin/upi-wizard', 'infra', '--help').stdout).toContain('upi-wizard infra');
      expect(verify(root)).toBe('');
      remove(root);
      expect(listTree(root).filter((path) => /upi-wizard/.test(path) && !/^(root|var)\//.test(path))).toEqual([]);
      // The user's own files stay.
      expect(existsSync(join(root, 'root/.cache/upi-wizard'))).toBe(true);
    }
  },
);

test.skipIf(isSkipped)(
  'the package for arm64 runs, in an emulator, and takes its code that was compiled beforehand',
  () => {
    pack('arm', '--arch', 'arm64', '--format', 'tar', '--level', '0');
    run('tar', '-xJf', join(dir, 'arm', `upi-wizard-${version}-linux-arm64.tar.xz`), '-C', dir);
    const arm = join(dir, `upi-wizard-${version}-linux-arm64`);
    expect(readFileSync(join(arm, 'lib/node')).readUInt16LE(18)).toBe(0xb7);
    const home = join(dir, 'arm-home');
    mkdirSync(home);
    const env = { HOME: home, PATH: '/usr/bin:/bin', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const words = ['-L', '/usr/aarch64-linux-gnu', join(arm, 'lib/node'), join(arm, 'lib/bin/upi-wizard.js')];
    const { stdout, stderr } = spawnSync('qemu-aarch64', [...words, 'design', 'example'], { env, encoding: 'utf8' });
    expect(stdout).toContain('openshift:');
    const entries = `${stdout}${stderr}`.match(/was (?:accepted|rejected)/g) ?? [];
    expect(entries.length).toBeGreaterThan(5);
    expect(entries.filter((entry) => entry !== 'was accepted')).toEqual([]);
  },
);

test.skipIf(isSkipped)('the bill of materials and the notices name what is bundled, and nothing else', () => {
  const sbom = JSON.parse(readFileSync(join(program, 'sbom.cdx.json'), 'utf8'));
  const names = sbom.components.map((each: { name: string }) => each.name);
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { version } } });
  expect(names).toEqual(expect.arrayContaining(['ink', 'react', 'zod', 'yaml', 'node']));
  expect(names).not.toEqual(expect.arrayContaining(['vitest']));
  expect(names).not.toContain('typescript');
  const notices = readFileSync(join(program, 'NOTICES'), 'utf8');
  for (const each of names) expect(notices).toContain(`${each} `);
});
