import { catalogue } from '../i18n/catalogue.ts';
import { formatHostFile } from '../i18n/host-file.ts';
import type { Rule } from './rule.ts';

/** The result of checking a generated file with the program that will read it. */
interface FileEvidence {
  readonly file: string;
  readonly program: string;
  readonly state: string;
  /** The program's output. */
  readonly output: string;
}

const fileRefused: Rule<readonly FileEvidence[]> = {
  code: 'file-refused',
  severity: 'warning',
  evaluate: (files) =>
    files
      .filter(({ state }) => state === 'refused')
      .map(({ file, program, output }) => {
        const { title, remedy } = catalogue().diagnosis.files['file-refused'];
        return { subject: file, title: title(formatHostFile(file), program), cause: output, remedy };
      }),
};

/** Rules for generated files. */
export const FILE_RULES: readonly Rule<readonly FileEvidence[]>[] = [fileRefused];
