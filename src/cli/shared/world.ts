import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Design } from '../../design/model.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import { type Hands, humanHands } from '../../ports/hands.ts';
import { directReach, type Reach } from '../../ports/reach.ts';
import type { Site } from '../../rehearsal/site-client.ts';
import { type ActLog, journaledActs } from '../../session/acts.ts';
import type { StepContext } from '../../steps/contract.ts';
import type { StepMemory } from '../../steps/facts.ts';
import type { Recollection } from '../../steps/recollection.ts';
import { credentialFiles } from '../../steps/shared/files/credentials.ts';

/** The world that the steps act on: the real one, or a rehearsal site. This is the only place that knows which. */
export interface World {
  readonly clock: Clock;
  readonly reach: Reach;
  readonly hands: Hands;
  readonly programPath: readonly string[];
  readonly imagesDir: string;
  /** Where what is on simulated service hosts lies; null in life: the bastion is this machine. */
  readonly hostsDir: string | null;
  /** Stand-ins for credential files that are not there; null in life. */
  readonly credentials: { readonly pullSecretFile: string; readonly sshKeyFile: string } | null;
  readonly clockAnchorFile: string | null;
}

/** The program files beside the executable: jobs and the rehearsal site are processes of their own. */
export interface Programs {
  readonly bootServer: string;
  /** The executable itself, for jobs that are commands of ours. */
  readonly executable: string;
  readonly site: string;
  readonly standIn: string;
}

/** The version of the program, of the package that the executable belongs to. */
export function versionOf({ executable }: Programs): string {
  try {
    const file = join(dirname(executable), '..', 'package.json');
    return String((JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown }).version);
  } catch {
    return '';
  }
}

/** The real world. Searches the install directory first for programs and images. */
export function realWorld(dir: string): World {
  return {
    clock: systemClock,
    reach: directReach,
    hands: humanHands,
    programPath: [dir, join(dir, 'bin')],
    imagesDir: join(dir, 'images'),
    hostsDir: null,
    credentials: null,
    clockAnchorFile: null,
  };
}

/** Where the rehearsal of an install directory lives. @param saved where it lived when it was saved: the directory may have moved since */
export function siteDirectory(dir: string, saved: string | null = null): string {
  const own = join('.upi-wizard', 'site');
  return saved === null || saved.endsWith(`/${own}`) ? join(dir, own) : saved;
}

/** A rehearsal site in place of the world. */
export function siteWorld(site: Site): World {
  const { clock, reach, hands, programPath, imagesDir, hostsDir, credentials, clockAnchorFile } = site;
  return { clock, reach, hands, programPath, imagesDir, hostsDir, credentials, clockAnchorFile };
}

/**
 * The context of the steps.
 * @param base the directory that relative paths of the design are relative to
 * @param check throws before an act begins once another session has taken the directory over
 */
export function stepContext(options: {
  readonly world: World;
  readonly programs: Programs;
  readonly dir: string;
  readonly base: string;
  readonly design: Design;
  readonly memory: StepMemory;
  readonly recollection: Recollection;
  readonly signal: AbortSignal;
  readonly check?: () => void;
}): StepContext {
  const { world, programs, dir, base, design, memory, recollection, signal } = options;
  const { pullSecretFile, sshKeyFile, trustBundleFile } = credentialFiles(design, base);
  const orStandIn = (file: string | null, standIn: string | undefined) =>
    standIn !== undefined && (file === null || !existsSync(file)) ? standIn : file;
  return {
    design,
    dir,
    clock: world.clock,
    reach: world.reach,
    hands: world.hands,
    programPath: world.programPath,
    imagesDir: world.imagesDir,
    hostsDir: world.hostsDir,
    credentials: {
      pullSecretFile: orStandIn(pullSecretFile, world.credentials?.pullSecretFile),
      sshKeyFile: orStandIn(sshKeyFile, world.credentials?.sshKeyFile),
      trustBundleFile,
    },
    programs: { bootServer: programs.bootServer, executable: programs.executable },
    clockAnchorFile: world.clockAnchorFile,
    memory,
    recollection,
    acts: checkedActs(journaledActs(dir), options.check),
    signal,
  };
}

function checkedActs(log: ActLog, check: (() => void) | undefined): ActLog {
  return {
    begin(acts) {
      check?.();
      return log.begin(acts);
    },
  };
}
