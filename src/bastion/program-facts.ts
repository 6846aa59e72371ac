import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { plainEnvironment } from '../ports/environment.ts';
import { redact } from '../text/redact.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** What a person may have put beside the design. */
const OURS = ['openshift-install', 'oc'];

/** The programs that the wizard or its generated files work with, and how each says its version. */
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
export interface ProgramFact {
  readonly name: string;
  /** The first line of what it says of its version; null: it is not there, or says nothing. */
  readonly version: string | null;
}

const HANGS = 10_000;

/**
 * Asks each program for its version, with none of our environment.
 * @param programPath directories that are searched before PATH for openshift-install and oc
 */
export async function programFacts(programPath: readonly string[], path: string): Promise<readonly ProgramFact[]> {
  const system = [...path.split(':').filter(Boolean), '/usr/sbin', '/sbin'];
  return await Promise.all(
    Object.entries(PROGRAMS).map(async ([name, args]) => {
      const places = OURS.includes(name) ? [...programPath, ...system] : system;
      // To find out by starting it costs a copy of this process.
      if (!places.some((place) => existsSync(join(place, name)))) return { name, version: null };
      const { all } = await execa(name, args, {
        all: true,
        reject: false,
        stdin: 'ignore',
        env: { ...plainEnvironment(), PATH: places.join(':') },
        extendEnv: false,
        // A program that hangs says nothing, and holds up nobody.
        timeout: HANGS,
      });
      const line = (all ?? '').split('\n').find((each) => each.trim() !== '');
      return { name, version: line === undefined ? null : sanitizeLine(redact(line), 200) };
    }),
  );
}
