#!/usr/bin/env node
// Packs upi-wizard with its own Node.js for machines that have none: a tar.xz, an RPM and a deb for each architecture,
// from one staged tree. The same commit gives the same bytes.
// Usage: package.js [--arch x64|arm64]... [--format tar|rpm|deb]... [--out DIR] [--level 0-9]
// By default, all of them in out/. Level 0 of xz is for tests: it takes seconds instead of minutes.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.js';
import { createCompileCache } from './package-cache.js';
import { createNotices, createSbom, listBundledPackages } from './package-contents.js';
import { listFiles, runTool } from './package-tools.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version, description, license } = readJson(join(root, 'package.json'));
const { packages: lockedPackages } = readJson(join(root, 'package-lock.json'));
/**
 * The time of the commit, in seconds: packages built on two machines must be identical. Read once, because another
 * commit may follow during the build.
 */
const commitTime = Number(process.env.SOURCE_DATE_EPOCH ?? runTool('git', ['-C', root, 'log', '-1', '--format=%ct']));

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The names of an architecture in each system, and the tools for its programs. */
const ARCHITECTURES = {
  x64: { deb: 'amd64', rpm: 'x86_64', triplet: 'x86_64-linux-gnu', emulator: 'qemu-x86_64' },
  arm64: { deb: 'arm64', rpm: 'aarch64', triplet: 'aarch64-linux-gnu', emulator: 'qemu-aarch64' },
};
const FORMATS = { tar: packTar, rpm: packRpm, deb: packDeb };

const MAINTAINER = 'upi-wizard maintainers <upi-wizard@localhost.invalid>';
/** Install directory of the program in the RPM and the deb. */
const INSTALL_DIR = '/usr/lib/upi-wizard';
/** Directory of the documentation in the RPM and the deb, relative to the root directory. */
const DOCS = 'usr/share/doc/upi-wizard';
/** The files with mode 0755: their paths in the tar, and their paths on a system where the package is installed. */
const PROGRAMS = ['upi-wizard', 'lib/node'];
const INSTALLED_PROGRAMS = ['usr/bin/upi-wizard', `${INSTALL_DIR.slice(1)}/lib/node`];

/** The only libraries that Node.js links. The symbol versions that it needs must not exceed those of RHEL 8. */
const REQUIRED_LIBRARIES = ['libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 5.2)'];

/**
 * Returns the start script. It needs only a shell, and readlink if it is started through a symbolic link.
 * @param dir the directory of the program; null: the directory of the script
 */
function createLauncher(dir) {
  const findDir = `self=$0
if [ -h "$self" ] && ! self=$(readlink -f -- "$self"); then
  echo "upi-wizard: $0 is a symbolic link, and readlink, which would resolve it, is missing: start the target of the link instead." >&2
  exit 2
fi
case $self in
*/*) dir=\${self%/*} ;;
*) dir=. ;;
esac`;
  return `#!/bin/sh
# Starts upi-wizard on its own Node.js. With one V8 helper thread instead of four, it takes 5 MiB less memory.
${dir === null ? findDir : `dir=${dir}`}
case $0 in
/*) UPI_WIZARD_LAUNCHER=$0 ;;
*) UPI_WIZARD_LAUNCHER=$PWD/$0 ;;
esac
export UPI_WIZARD_LAUNCHER
exec "$dir/lib/node" --v8-pool-size=1 "$dir/lib/bin/upi-wizard.js" "$@"
`;
}

/**
 * Returns the command that runs a program of an architecture on this machine: the program alone, or with an emulator
 * and the libraries of that architecture.
 */
function getRunner(arch, file) {
  const { triplet, emulator } = ARCHITECTURES[arch];
  return process.arch === arch ? [file] : [emulator, '-L', `/usr/${triplet}`, file];
}

/**
 * Finds Node.js for an architecture. npm has installed the one for this machine; the other is fetched, and its checksum
 * is compared.
 * @returns the directory of Node.js
 * @throws Error if the fetched file does not have the checksum in package-lock.json
 */
function fetchNode(arch, workDir) {
  const name = `node-linux-${arch}`;
  const installedDir = join(root, 'node_modules', name);
  if (process.arch === arch) return installedDir;
  const { version: nodeVersion, integrity } = lockedPackages[`node_modules/${name}`];
  const dir = join(workDir, name);
  mkdirSync(dir, { recursive: true });
  // Passes on the whole environment, which may name npm's registry. The checksum rejects any other file.
  runTool('npm', ['pack', '--pack-destination', dir, `${name}@${nodeVersion}`], process.env);
  const file = join(dir, `${name}-${nodeVersion}.tgz`);
  const actualIntegrity = `sha512-${hashFile('sha512', file, 'base64')}`;
  if (actualIntegrity !== integrity)
    throw new Error(`${name} ${nodeVersion} is not the file of package-lock.json: ${actualIntegrity}`);
  runTool('tar', ['-xzf', file, '-C', dir]);
  return join(dir, 'package');
}

/** Copies what the program needs at run time, with the modes that it has once it is installed. */
async function stageProgram(arch, dir, workDir, bundledPackages) {
  const { triplet } = ARCHITECTURES[arch];
  const node = fetchNode(arch, workDir);
  const lib = join(dir, 'lib');
  mkdirSync(join(lib, 'bin'), { recursive: true });
  cpSync(join(root, 'dist'), join(lib, 'dist'), {
    recursive: true,
    filter: (name) => !name.endsWith('.map') && !name.endsWith('.built'),
  });
  for (const name of ['compile-cache.js', 'packaged-code.js']) cpSync(join(root, 'bin', name), join(lib, 'bin', name));
  // Removes the shebang line: only the start script runs this file, with the Node.js of the package.
  const entry = readFileSync(join(root, 'bin/upi-wizard.js'), 'utf8').replace(/^#!.*\n/, '');
  writeFileSync(join(lib, 'bin/upi-wizard.js'), entry);
  writeFileSync(join(lib, 'package.json'), `${JSON.stringify({ name: 'upi-wizard', version, type: 'module' })}\n`);
  // Without the symbol table, only stack traces of Node.js's C++ code lose their names, not those of the program.
  runTool(process.arch === arch ? 'strip' : `${triplet}-strip`, ['-o', join(lib, 'node'), join(node, 'bin/node')]);
  const nodeVersion = readJson(join(node, 'package.json')).version;
  const packages = [
    ...bundledPackages,
    { name: 'node', version: nodeVersion, license: 'MIT', licenceFile: join(node, 'LICENSE') },
  ];
  writeFileSync(join(dir, 'NOTICES'), createNotices(packages));
  writeFileSync(join(dir, 'sbom.cdx.json'), createSbom({ version, license, description, arch }, packages, commitTime));
  cpSync(join(root, 'LICENSE'), join(dir, 'LICENSE'));
  createCompileCache(getRunner(arch, join(lib, 'node')), lib, workDir);
  const launcher = join(dir, 'upi-wizard');
  writeFileSync(launcher, createLauncher(null));
  setTimesAndModes(dir, PROGRAMS);
  // With the directory on PATH, the texts name the program as a user types it: `upi-wizard`.
  const env = { HOME: '/nonexistent', LC_ALL: 'C.UTF-8', UPI_WIZARD_LAUNCHER: launcher, PATH: `${dir}:/usr/bin:/bin` };
  const print = (...argv) => runTool(process.execPath, [join(lib, 'bin/upi-wizard.js'), ...argv], env);
  const share = join(dir, 'share');
  for (const [name, text] of [
    ['man/man1/upi-wizard.1', print('man')],
    ['bash-completion/completions/upi-wizard', print('completion', 'bash')],
    ['zsh/site-functions/_upi-wizard', print('completion', 'zsh')],
    ['fish/vendor_completions.d/upi-wizard.fish', print('completion', 'fish')],
  ]) {
    mkdirSync(dirname(join(share, name)), { recursive: true });
    writeFileSync(join(share, name), text);
  }
  setTimesAndModes(dir, PROGRAMS);
}

/**
 * Gives each file the time of the commit and one of two modes.
 * @param programs the paths below `dir` of the files that can be executed
 */
function setTimesAndModes(dir, programs) {
  for (const { path, isDirectory } of listFiles(dir)) {
    chmodSync(join(dir, path), isDirectory || programs.includes(path) ? 0o755 : 0o644);
    utimesSync(join(dir, path), commitTime, commitTime);
  }
  chmodSync(dir, 0o755);
  utimesSync(dir, commitTime, commitTime);
}

/**
 * Arranges the program as the RPM and the deb install it.
 * @param completions the directory of the zsh completions, relative to the root directory
 */
function stageForInstallation(program, dir, completions) {
  const copy = (from, to) => cpSync(join(program, from), join(dir, to), { recursive: true });
  copy('lib', `${INSTALL_DIR}/lib`);
  for (const name of ['LICENSE', 'NOTICES', 'sbom.cdx.json']) copy(name, `${DOCS}/${name}`);
  copy('share/man', 'usr/share/man');
  copy('share/bash-completion', 'usr/share/bash-completion');
  copy('share/fish', 'usr/share/fish');
  copy('share/zsh/site-functions', completions);
  runTool('gzip', ['-9n', join(dir, 'usr/share/man/man1/upi-wizard.1')]);
  mkdirSync(join(dir, 'usr/bin'), { recursive: true });
  writeFileSync(join(dir, 'usr/bin/upi-wizard'), createLauncher(INSTALL_DIR));
  setTimesAndModes(dir, INSTALLED_PROGRAMS);
}

/**
 * Packs the tar.xz so that RHEL 8's xz can unpack it: that version has the filter for x86, but not the one for
 * arm64. Uses one thread, because the bytes depend on the number of threads. Returns the name of the file.
 */
function packTar(arch, program, out, workDir) {
  const name = `upi-wizard-${version}-linux-${arch}`;
  const tar = join(workDir, `${name}.tar`);
  const owner = ['--owner=root:0', '--group=root:0', '--numeric-owner'];
  const contentOptions = [`--transform=s,^[.],${name},`, '-cf', tar, '-C', program, '.'];
  runTool('tar', ['--format=ustar', '--sort=name', ...owner, ...contentOptions]);
  runTool('xz', ['--threads=1', ...(arch === 'x64' ? ['--x86'] : []), `--lzma2=preset=${level}`, '--force', tar]);
  return moveTo(out, `${tar}.xz`);
}

/** Packs the deb, with the files that Debian's policy requires. Returns the name of the file. */
function packDeb(arch, program, out, workDir) {
  const dir = join(workDir, 'deb');
  stageForInstallation(program, dir, 'usr/share/zsh/vendor-completions');
  const docs = join(dir, DOCS);
  const copyright = `Copyright: the upi-wizard maintainers. License: ${license}, /usr/share/common-licenses/Apache-2.0.\n`;
  writeFileSync(
    join(docs, 'copyright'),
    `${copyright}\nIts libraries and Node.js have other licences: NOTICES beside this file.\n`,
  );
  rmSync(join(docs, 'LICENSE'));
  mkdirSync(join(dir, 'usr/share/lintian/overrides'), { recursive: true });
  writeFileSync(
    join(dir, 'usr/share/lintian/overrides/upi-wizard'),
    '# Node.js is that of its project, with the zlib that it was tested with, and is not position independent.\nupi-wizard: embedded-library zlib *\nupi-wizard: hardening-no-pie *\n',
  );
  const changelogFile = join(docs, 'changelog');
  const date = new Date(commitTime * 1000).toUTCString().replace('GMT', '+0000');
  writeFileSync(
    changelogFile,
    `upi-wizard (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md of this version.\n\n -- ${MAINTAINER}  ${date}\n`,
  );
  runTool('gzip', ['-9n', changelogFile]);
  const files = listFiles(dir).filter(({ isDirectory }) => !isDirectory);
  const sums = files.map(({ path }) => `${hashFile('md5', join(dir, path))}  ${path}\n`);
  const size = files.reduce((total, { path }) => total + statSync(join(dir, path)).size, 0);
  mkdirSync(join(dir, 'DEBIAN'));
  writeFileSync(join(dir, 'DEBIAN/md5sums'), sums.join(''));
  writeFileSync(
    join(dir, 'DEBIAN/control'),
    `Package: upi-wizard
Version: ${version}
Architecture: ${ARCHITECTURES[arch].deb}
Maintainer: ${MAINTAINER}
Installed-Size: ${Math.ceil(size / 1024)}
Depends: ${REQUIRED_LIBRARIES.join(', ')}
Section: admin
Priority: optional
Description: wizard for OpenShift clusters on your own machines
 ${wrapLines(description).join('\n ')}
`,
  );
  setTimesAndModes(dir, INSTALLED_PROGRAMS);
  const file = join(workDir, `upi-wizard_${version}_${ARCHITECTURES[arch].deb}.deb`);
  runTool('dpkg-deb', ['-Zxz', `-z${level}`, '--threads-max=1', '--root-owner-group', '--build', dir, file], {
    SOURCE_DATE_EPOCH: String(commitTime),
  });
  return moveTo(out, file);
}

/** Packs the RPM. Returns the name of the file. */
function packRpm(arch, program, out, workDir) {
  const dir = join(workDir, 'rpm-root');
  stageForInstallation(program, dir, 'usr/share/zsh/site-functions');
  const spec = join(workDir, 'upi-wizard.spec');
  const date = new Date(commitTime * 1000).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+).*$/, '$1 $3 $2 $4');
  // The tree is complete: nothing is stripped, compressed or linked again, and only Node.js's libraries are required.
  writeFileSync(
    spec,
    `%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _buildhost localhost
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global __provides_exclude .*
%global __requires_exclude_from ^.*\\\\.js$
Name: upi-wizard
Version: ${version}
Release: 1
Summary: Wizard for OpenShift clusters on your own machines
License: ${license}
Group: System/Management
Packager: ${MAINTAINER}

%description
${wrapLines(description).join('\n')}

%install
cp -a ${dir}/. %{buildroot}

%files
/usr/bin/upi-wizard
${INSTALL_DIR}
/usr/share/bash-completion/completions/upi-wizard
/usr/share/fish/vendor_completions.d/upi-wizard.fish
/usr/share/zsh/site-functions/_upi-wizard
%dir /usr/share/doc/upi-wizard
%doc /usr/share/doc/upi-wizard/NOTICES
%doc /usr/share/doc/upi-wizard/sbom.cdx.json
%license /usr/share/doc/upi-wizard/LICENSE
/usr/share/man/man1/upi-wizard.1.gz

%changelog
* ${date} ${MAINTAINER} - ${version}-1
- See CHANGELOG.md of this version.
`,
  );
  const { rpm } = ARCHITECTURES[arch];
  const name = `upi-wizard-${version}-1.${rpm}.rpm`;
  const define = (name, value) => ['--define', `${name} ${value}`];
  runTool(
    'rpmbuild',
    [
      ...['-bb', '--target', `${rpm}-linux`, ...define('_topdir', join(workDir, 'rpm'))],
      ...[...define('_rpmdir', workDir), ...define('_rpmfilename', name)],
      ...[...define('_binary_payload', `w${level}T1.xzdio`), spec],
    ],
    { SOURCE_DATE_EPOCH: String(commitTime) },
  );
  return moveTo(out, join(workDir, name));
}

/** Wraps a description, because both package managers show its lines unchanged. */
function wrapLines(text) {
  return `${text}.`.match(/.{1,72}(?= |$)/g).map((line) => line.trim());
}

/** Returns the checksum of a file. */
function hashFile(algorithm, file, encoding = 'hex') {
  return createHash(algorithm).update(readFileSync(file)).digest(encoding);
}

/** Moves a finished package out of the work directory. Returns the name of the file. */
function moveTo(out, file) {
  renameSync(file, join(out, basename(file)));
  return basename(file);
}

/** Packs these architectures and formats. Returns the names of the files in `out`. */
async function packAll(architectures, formats, out) {
  const bundledPackages = listBundledPackages(root, await build());
  mkdirSync(out, { recursive: true });
  const workDir = join(out, 'work');
  const names = [];
  for (const arch of architectures) {
    rmSync(workDir, { recursive: true, force: true });
    const program = join(workDir, 'program');
    await stageProgram(arch, program, workDir, bundledPackages);
    for (const format of formats) names.push(FORMATS[format](arch, program, out, workDir));
  }
  rmSync(workDir, { recursive: true, force: true });
  writeFileSync(
    join(out, 'SHA256SUMS'),
    names
      .toSorted()
      .map((name) => `${hashFile('sha256', join(out, name))}  ${name}\n`)
      .join(''),
  );
  return names;
}

const { values } = parseArgs({
  options: {
    arch: { type: 'string', multiple: true, default: Object.keys(ARCHITECTURES) },
    format: { type: 'string', multiple: true, default: Object.keys(FORMATS) },
    out: { type: 'string', default: join(root, 'out') },
    level: { type: 'string', default: '9' },
  },
});
const level = Number(values.level);
for (const [option, allowedValues, requestedValues] of [
  ['--arch', ARCHITECTURES, values.arch],
  ['--format', FORMATS, values.format],
]) {
  const unknownValue = requestedValues.find((value) => !Object.hasOwn(allowedValues, value));
  if (unknownValue !== undefined)
    throw new Error(`${option} ${unknownValue} is none of ${Object.keys(allowedValues).join(', ')}`);
}
if (!/^[0-9]$/.test(values.level)) throw new Error(`--level ${values.level} is no digit`);
const out = resolve(values.out);
for (const name of await packAll(values.arch, values.format, out)) {
  const megabytes = statSync(join(out, name)).size / 2 ** 20;
  process.stdout.write(`${join(out, name)}  ${megabytes.toFixed(1)} MiB\n`);
}
