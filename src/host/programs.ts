import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { getMinimalEnvironment } from '../platform/environment.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';

/** Programs that the user may have put next to the design. */
const INSTALLER_PROGRAMS = ['openshift-install', 'oc'];

/** The programs that the wizard or its generated files use, with the arguments that print their version. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'openshift-install': ['version'],
  oc: ['version', '--client'],
  ssh: ['-V'],
  gpg: ['--version'],
  curl: ['--version'],
  tar: ['--version'],
  systemctl: ['--version'],
  nmcli: ['--version'],
  'firewall-cmd': ['--version'],
  named: ['-v'],
  haproxy: ['-v'],
  keepalived: ['--version'],
  dhcpd: ['--version'],
  'kea-dhcp4': ['-v'],
  nginx: ['-v'],
  'coreos-installer': ['--version'],
  podman: ['--version'],
};

/** A program of this machine. */
interface ProgramVersion {
  readonly name: string;
  /** The first line of its version output; null: it is missing, or prints nothing. */
  readonly version: string | null;
}

const PROGRAM_TIMEOUT_MS = 10_000;

/**
 * Runs each program for its version, in a minimal environment.
 * @param preferredDirs directories that are searched before PATH for openshift-install and oc
 */
export async function readProgramVersions(
  preferredDirs: readonly string[],
  pathVariable: string,
): Promise<readonly ProgramVersion[]> {
  const systemDirectories = [...pathVariable.split(':').filter(Boolean), '/usr/sbin', '/sbin'];
  return await Promise.all(
    Object.entries(PROGRAMS).map(async ([name, args]) => {
      const directories = INSTALLER_PROGRAMS.includes(name)
        ? [...preferredDirs, ...systemDirectories]
        : systemDirectories;
      // Checked first: starting a missing program costs a copy of this process.
      if (!directories.some((directory) => existsSync(join(directory, name)))) return { name, version: null };
      const { all } = await execa(name, args, {
        all: true,
        reject: false,
        stdin: 'ignore',
        env: { ...getMinimalEnvironment(), PATH: directories.join(':') },
        extendEnv: false,
        // A program that hangs counts as silent and must not delay the others.
        timeout: PROGRAM_TIMEOUT_MS,
      });
      const line = (all ?? '').split('\n').find((outputLine) => outputLine.trim() !== '');
      return { name, version: line === undefined ? null : sanitizeLine(redact(line), 200) };
    }),
  );
}

/**
 * Runs a program of this machine in the C locale, without our own settings, and returns its standard output.
 * @param timeoutMs real milliseconds after which the program is ended
 * @returns null if the program is missing, fails or hangs
 */
export async function readProgramOutput(
  program: string,
  argv: readonly string[],
  timeoutMs: number,
): Promise<string | null> {
  const { exitCode, stdout } = await execa(program, argv, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: timeoutMs,
    env: getMinimalEnvironment(),
    extendEnv: false,
  });
  return exitCode === 0 ? stdout : null;
}
