import { isReleaseOfVersion } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatHostFile } from '../i18n/user-error.ts';
import { createCheckFactory } from './check.ts';

/** The result of checking a generated file with the program that will read it. */
interface FileEvidence {
  readonly file: string;
  readonly program: string;
  readonly state: string;
  /** The program's output. */
  readonly output: string;
}

const fileRefused = createCheckFactory<readonly FileEvidence[]>('generate')('file-refused', 'warning', (files) =>
  files
    .filter(({ state }) => state === 'refused')
    .map(({ file, program, output }) => {
      const { title, remedy } = catalogue().diagnosis.files['file-refused'];
      return {
        state: 'failed',
        subject: file,
        title: title(formatHostFile(file), program),
        evidence: [output],
        remedy,
      };
    }),
);

/** Checks of generated files. */
export const FILE_CHECKS = [fileRefused];

/** The boot server's answer for a file. */
export interface ServedFile {
  readonly path: string;
  readonly isPresent: boolean;
  readonly detail: string;
}

/** The reason that an openshift-install does not fit a design. */
export type InstallerFault = 'missing' | 'version' | 'architecture' | 'architecture-unknown';

/** The architecture that an installer without an embedded release reports (OKD, custom builds). */
const UNKNOWN_ARCHITECTURE = 'unknown';

/**
 * Compares openshift-install with a design; null: it fits, or does not report its version and architecture.
 * @param installer null: not installed, or it does not run
 * @param requirements `version` "4.18" or "4.18.11"; `goArchitecture` as releases call it
 */
export function findInstallerFault(
  installer: { readonly version: string | null; readonly architecture: string | null } | null,
  requirements: { readonly version: string; readonly goArchitecture: string },
): InstallerFault | null {
  if (installer === null) return 'missing';
  const { version, architecture } = installer;
  // 4.18 and 4.18.11 match; 4.18.3 and 4.18.11 do not, nor 4.20 and OKD's 4.20.0-okd-scos.3.
  const isSameVersion = version === null || isReleaseOfVersion(version, requirements.version);
  if (!isSameVersion) return 'version';
  if (architecture === UNKNOWN_ARCHITECTURE) return 'architecture-unknown';
  const isOtherArchitecture = architecture !== null && ![requirements.goArchitecture, 'multi'].includes(architecture);
  return isOtherArchitecture ? 'architecture' : null;
}
