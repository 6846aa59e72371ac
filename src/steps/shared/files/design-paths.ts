import { join, resolve } from 'node:path';
import { needsFencingFile } from '../../../design/fencing.ts';
import type { Design } from '../../../design/model.ts';
import { getAt, setAt } from '../../../design/paths.ts';
import { getHomeDirectory } from '../../../platform/environment.ts';
import type { StepContext } from '../../contract.ts';

/** Absolute paths of the credential files; null where none is named. */
export type CredentialFiles = StepContext['credentials'];

/**
 * Resolves the path of a file that a design names: relative to the directory of the design, `~` being the user's home.
 */
export function resolveDesignPath(file: string, dir: string, home: string = getHomeDirectory()): string {
  const isHome = file === '~' || file.startsWith('~/');
  return isHome && home !== '' ? join(home, file.slice(1)) : resolve(dir, file);
}

/** The keys of a design that name files. */
export const FILE_KEYS = [
  'credentials.pullSecretFile',
  'credentials.sshKeyFile',
  'credentials.fencingFile',
  'additionalTrustBundleFile',
  'downloadsDir',
] as const;

/**
 * Converts a design document for another directory: paths relative to its own directory become absolute.
 * @param sourceDir the directory of the document
 * @param targetDir the directory that will hold the document; if it is `sourceDir`, nothing changes; null: not known
 */
export function withAbsoluteFilePaths(document: unknown, sourceDir: string, targetDir: string | null): unknown {
  let result = document;
  for (const path of FILE_KEYS) {
    const file = getAt(document, path);
    if (typeof file === 'string' && file !== '' && sourceDir !== targetDir && !/^~(?:\/|$)/.test(file))
      result = setAt(result, path, resolve(sourceDir, file));
  }
  return result;
}

/**
 * Resolves the paths of the credential files of a design.
 * @param dir the directory that relative paths start at
 */
export function resolveCredentialFiles(design: Design, dir: string, home?: string): CredentialFiles {
  const resolvePath = (file: string | null) => (file === null ? null : resolveDesignPath(file, dir, home));
  return {
    pullSecretFile: resolvePath(design.credentials.pullSecretFile),
    sshKeyFile: resolvePath(design.credentials.sshKeyFile),
    trustBundleFile: resolvePath(design.additionalTrustBundleFile),
    fencingFile: needsFencingFile(design) ? resolvePath(design.credentials.fencingFile) : null,
  };
}

/**
 * Finds the directory that missing downloads are taken from: the one of `--mirror`, else that of the design.
 * @returns an absolute path; null: the internet
 */
export function findDownloadsDir({
  design,
  dir,
  stepState,
}: Pick<StepContext, 'design' | 'dir' | 'stepState'>): string | null {
  const mirrorDir = stepState.get('mirror');
  if (mirrorDir !== undefined) return mirrorDir;
  return design.downloadsDir === null ? null : resolveDesignPath(design.downloadsDir, dir);
}
