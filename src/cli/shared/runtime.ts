import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { needsPullSecret } from '../../design/credentials.ts';
import { needsFencingFile } from '../../design/fencing.ts';
import type { Design } from '../../design/model.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import {
  directEndpoints,
  type ManualActions,
  type ResolveEndpoint,
  realSiteActions,
} from '../../platform/manual-actions.ts';
import type { SiteClient } from '../../rehearsal/site-client.ts';
import { type AuditLog, openAuditLog } from '../../session/audit-log.ts';
import type { StepContext } from '../../steps/contract.ts';
import type { ProbeCache } from '../../steps/probe-cache.ts';
import { resolveCredentialFiles } from '../../steps/shared/files/design-paths.ts';
import type { StepState } from '../../steps/step-state.ts';

/** The system that the steps act on: the real one, or a rehearsal site, for which `clockAnchorFile` is not null. */
export interface Runtime {
  readonly clock: Clock;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly manualActions: ManualActions;
  readonly programDirectories: readonly string[];
  readonly imagesDir: string;
  /** The directory with the files of simulated service hosts; null outside a rehearsal: the bastion is this machine. */
  readonly hostsDir: string | null;
  /** Replacements for missing credential files; null outside a rehearsal. */
  readonly credentials: {
    readonly pullSecretFile: string;
    readonly sshKeyFile: string;
    readonly fencingFile: string;
  } | null;
  readonly clockAnchorFile: string | null;
}

/** The program files next to the executable: jobs and the rehearsal site are separate processes. */
export interface Programs {
  readonly bootServer: string;
  /** The executable itself, for jobs that run commands of upi-wizard. */
  readonly executable: string;
  readonly site: string;
  readonly standIn: string;
}

/** Reads the version of the program, from the package of the executable; empty if unknown. */
export function readProgramVersion({ executable }: Programs): string {
  try {
    const file = join(dirname(executable), '..', 'package.json');
    return String((JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown }).version);
  } catch {
    return '';
  }
}

/**
 * Creates the runtime of a real installation. Programs are searched in the install directory before PATH; images are in
 * its `images` directory.
 */
export function createRuntime(dir: string): Runtime {
  return {
    clock: systemClock,
    resolveEndpoint: directEndpoints,
    manualActions: realSiteActions,
    programDirectories: [dir, join(dir, 'bin')],
    imagesDir: join(dir, 'images'),
    hostsDir: null,
    credentials: null,
    clockAnchorFile: null,
  };
}

/**
 * Returns the directory of the rehearsal site of an install directory.
 * @param savedPath its path when it was saved; the install directory may have moved since
 */
export function getSiteDirectory(dir: string, savedPath: string | null = null): string {
  const relativePath = join('.upi-wizard', 'site');
  return savedPath === null || savedPath.endsWith(`/${relativePath}`) ? join(dir, relativePath) : savedPath;
}

/** Creates the runtime of a rehearsal site. */
export function createSiteRuntime(site: SiteClient): Runtime {
  const {
    clock,
    resolveEndpoint,
    manualActions,
    programDirectories,
    imagesDir,
    hostsDir,
    credentials,
    clockAnchorFile,
  } = site;
  return {
    clock,
    resolveEndpoint,
    manualActions,
    programDirectories,
    imagesDir,
    hostsDir,
    credentials,
    clockAnchorFile,
  };
}

/**
 * Creates the context of the steps.
 * @param options.base the base of relative paths in the design
 * @param options.assertLockHeld throws before an action begins, if another session has taken over the directory
 */
export function createStepContext(options: {
  readonly runtime: Runtime;
  readonly programs: Programs;
  readonly dir: string;
  readonly base: string;
  readonly design: Design;
  readonly stepState: StepState;
  readonly probeCache: ProbeCache;
  readonly signal: AbortSignal;
  readonly assertLockHeld?: () => void;
}): StepContext {
  const { runtime, programs, dir, base, design, stepState, probeCache, signal } = options;
  const { pullSecretFile, sshKeyFile, trustBundleFile, fencingFile } = resolveCredentialFiles(design, base);
  const replaceIfMissing = (file: string | null, standIn: string | undefined) =>
    standIn !== undefined && (file === null || !existsSync(file)) ? standIn : file;
  return {
    design,
    dir,
    clock: runtime.clock,
    resolveEndpoint: runtime.resolveEndpoint,
    manualActions: runtime.manualActions,
    programDirectories: runtime.programDirectories,
    imagesDir: runtime.imagesDir,
    hostsDir: runtime.hostsDir,
    credentials: {
      pullSecretFile: needsPullSecret(design)
        ? replaceIfMissing(pullSecretFile, runtime.credentials?.pullSecretFile)
        : null,
      sshKeyFile: replaceIfMissing(sshKeyFile, runtime.credentials?.sshKeyFile),
      trustBundleFile,
      // The BMCs of a rehearsal are simulated, so the user's logins are never used for them.
      fencingFile: needsFencingFile(design) ? (runtime.credentials?.fencingFile ?? fencingFile) : null,
    },
    programs: {
      bootServer: programs.bootServer,
      executable: programs.executable,
      version: readProgramVersion(programs) || null,
    },
    clockAnchorFile: runtime.clockAnchorFile,
    stepState,
    probeCache,
    auditLog: withLockCheck(openAuditLog(dir, runtime.clock), options.assertLockHeld),
    signal,
  };
}

function withLockCheck(log: AuditLog, assertLockHeld: (() => void) | undefined): AuditLog {
  return {
    begin(records) {
      assertLockHeld?.();
      return log.begin(records);
    },
  };
}
