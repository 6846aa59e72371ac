import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Architecture } from '../design/choices.ts';
import { GO_ARCHITECTURES } from '../design/derived-facts.ts';
import { isVersionAtLeast } from '../design/versions.ts';
import { createFileClock } from '../platform/clock.ts';
import type { SiteConfig, SiteProcess } from './site/config.ts';
import { createMappedEndpoints, type DialMap } from './site/dial-map.ts';
import { getImageBytes, getSitePaths, readJson } from './site/files.ts';
import { deriveReleaseMetadata, type ReleaseMetadata } from './site/release-metadata.ts';
import type { CreateOptions } from './stand-in/create.ts';
import { createInstallerLog, ExitError, type LogLevel } from './stand-in/installer-log.ts';
import type { WaitOptions } from './stand-in/wait-for.ts';

// The stand-in for openshift-install. Its first argument is the directory of the site; the others are those of the real
// program. Each command imports only its own modules, because the wizard queries the version often.
const EXIT_CODE_INTERRUPT = 8;
const [siteDir = '', ...argv] = process.argv.slice(2);
const paths = getSitePaths(siteDir);

/** Parses the words: the command and its options; `--dir D` and `--dir=D` are equivalent. */
function parseArguments(words: readonly string[]): { command: string; options: Map<string, string> } {
  const command: string[] = [];
  const options = new Map<string, string>();
  // A repeated `--master` adds an address to the list.
  const setOption = (name: string, value: string) =>
    options.set(name, options.has(name) && name === 'master' ? `${options.get(name)},${value}` : value);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) command.push(word);
    else if (word.includes('=')) setOption(word.slice(2, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
    else {
      setOption(word.slice(2), words[index + 1] ?? '');
      index += 1;
    }
  }
  return { command: command.join(' '), options };
}

async function main(): Promise<number> {
  const config = readJson<SiteConfig>(paths.config);
  if (config === null) {
    process.stderr.write('level=fatal msg=the rehearsal site of this program is gone\n');
    return 1;
  }
  const { openshift } = config.design;
  const release = deriveReleaseMetadata(openshift.version, openshift.architecture);
  const { command, options } = parseArguments(argv);
  const clock = createFileClock(paths.clock);
  const dir = resolve(options.get('dir') ?? '.');
  const hasLogFile = /^(?:create|wait-for|gather)/.test(command);
  if (hasLogFile) mkdirSync(dir, { recursive: true, mode: 0o750 });
  const logLevel = options.get('log-level') ?? 'info';
  const out = createInstallerLog({
    clock,
    dir: hasLogFile ? dir : null,
    level: (logLevel === 'warn' ? 'warning' : logLevel) as LogLevel,
    isQuoted: !isVersionAtLeast(release.version, '4.6'),
  });
  const readDialMap = (): DialMap => readJson<DialMap>(paths.dial) ?? { hosts: {}, lowPortShift: 0 };
  const resolveEndpoint = createMappedEndpoints(readDialMap, clock);
  const stop = () => {
    out.log('warning', 'Received interrupt signal');
    process.exit(isVersionAtLeast(release.version, '4.12') ? EXIT_CODE_INTERRUPT : 1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Mistakes of the user are injected until this site has created ignition files.
  const faults = new Set(existsSync(paths.mistakesMarker) ? [] : config.faults);
  const { architecture } = openshift;
  const commandOptions = { command, options, dir, clock, resolveEndpoint, release, architecture, out, faults };
  try {
    return await runCommand(commandOptions);
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    out.log(
      /rejected|invalid "install-config/.test(error.message) || error.code > 3 ? 'error' : 'fatal',
      error.message,
    );
    return error.code;
  }
}

interface CommandOptions extends CreateOptions, WaitOptions {
  readonly command: string;
  readonly options: ReadonlyMap<string, string>;
  readonly architecture: Architecture;
}

const importCreate = () => import('./stand-in/create.ts');
const importWaitFor = () => import('./stand-in/wait-for.ts');

/**
 * Runs the command.
 * @returns the exit code
 * @throws ExitError
 */
async function runCommand(commandOptions: CommandOptions): Promise<number> {
  const { command, options, dir, clock, release, architecture, out } = commandOptions;
  switch (command) {
    case 'version':
      process.stdout.write(
        `openshift-install ${release.version}\nbuilt from commit 694d083d3332bd5b892f0098a91be6c206b18fce\n` +
          `release image ${release.image}\n` +
          `release architecture ${GO_ARCHITECTURES[architecture]}\n`,
      );
      return 0;
    case 'create manifests':
      (await importCreate()).createManifests(commandOptions);
      return 0;
    case 'create ignition-configs':
    case 'create single-node-ignition-config': {
      const isSingleNode = command === 'create single-node-ignition-config';
      if (isSingleNode && !isVersionAtLeast(release.version, '4.8'))
        return rejectUnknownCommand('single-node-ignition-config');
      await (await importCreate()).createIgnitionConfigs(commandOptions, isSingleNode);
      writeFileSync(paths.mistakesMarker, '', { mode: 0o600 });
      return 0;
    }
    case 'coreos print-stream-json':
      if (!isVersionAtLeast(release.version, '4.8')) return rejectUnknownCommand('coreos');
      process.stdout.write(buildStreamJson(release, architecture));
      return 0;
    case 'wait-for bootstrap-complete':
      await (await importWaitFor()).waitForBootstrapComplete(commandOptions);
      return 0;
    case 'wait-for install-complete':
      await (await importWaitFor()).waitForInstallComplete(commandOptions);
      return 0;
    case 'gather bootstrap': {
      const { gatherBootstrap, createLogin } = await import('./stand-in/gather.ts');
      const socket = readJson<SiteProcess>(paths.running)?.controlSocket ?? null;
      const controlPlaneAddresses = (options.get('master') ?? '').split(',').filter((address) => address !== '');
      const bootstrapAddress = options.get('bootstrap') ?? '';
      await gatherBootstrap({ dir, clock, out, bootstrapAddress, controlPlaneAddresses, logIn: createLogin(socket) });
      return 0;
    }
    default:
      return rejectUnknownCommand(command.split(' ')[0] ?? '');
  }
}

function rejectUnknownCommand(name: string): number {
  process.stderr.write(
    `Error: unknown command "${name}" for "openshift-install"\nRun 'openshift-install --help' for usage.\n`,
  );
  return 1;
}

/** Builds the output of `coreos print-stream-json`: the locations of the images, with their checksums. */
function buildStreamJson(release: ReleaseMetadata, architecture: string): string {
  const { rhcos } = release;
  const buildArtifact = (name: string) => ({
    location: `${rhcos.url}/${name}`,
    sha256: createHash('sha256').update(getImageBytes(name)).digest('hex'),
  });
  const pxe = {
    kernel: buildArtifact(rhcos.kernel),
    initramfs: buildArtifact(rhcos.initramfs),
    ...(rhcos.rootfs === null ? {} : { rootfs: buildArtifact(rhcos.rootfs) }),
  };
  const formats = { pxe, iso: { disk: buildArtifact(rhcos.iso) }, 'raw.gz': { disk: buildArtifact(rhcos.metal) } };
  const stream = {
    stream: rhcos.stream,
    metadata: { 'last-modified': '2024-10-10T15:31:26Z', generator: 'plume cosa2stream' },
    architectures: { [architecture]: { artifacts: { metal: { release: rhcos.build, formats } }, images: {} } },
  };
  return `${JSON.stringify(stream, null, 2)}\n`;
}

process.exitCode = await main();
