import { catalogue } from '../i18n/catalogue.ts';
import { formatHostFile } from '../i18n/user-error.ts';
import { createCheckFactory } from './check.ts';

/** The result of checking a generated file with the program that will read it. */
interface FileEvidence {
  readonly file: string;
  readonly program: string;
  /** The path of the file on this machine. */
  readonly localPath: string;
  readonly state: string;
  /** The program's output. */
  readonly output: string;
}

const fileRefused = createCheckFactory<readonly FileEvidence[]>('generate')('file-refused', 'warning', (files) =>
  files
    .filter(({ state }) => state === 'refused')
    .map(({ file, program, localPath, output }) => {
      const { title, remedy } = catalogue().diagnosis.files['file-refused'];
      return {
        state: 'failed',
        subject: file,
        title: title(formatHostFile(file), program),
        evidence: [output],
        remedy: remedy(localPath),
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
