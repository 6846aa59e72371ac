import { catalogue } from '../text/catalogue.ts';
import { hostFile } from '../text/host-file.ts';
import type { Rule } from './rule.ts';

/** The verdict on a generated file of the program that will read it. */
interface FileEvidence {
  readonly file: string;
  readonly program: string;
  readonly state: string;
  /** Its output. */
  readonly output: string;
}

const refused: Rule<readonly FileEvidence[]> = {
  code: 'file-refused',
  severity: 'warning',
  judge: (files) =>
    files
      .filter(({ state }) => state === 'refused')
      .map(({ file, program, output }) => {
        const { title, whatToDo } = catalogue().diagnosis.files['file-refused'];
        return { subject: file, title: title(hostFile(file), program), cause: output, whatToDo };
      }),
};

/** What is wrong with generated files. */
export const FILES: readonly Rule<readonly FileEvidence[]>[] = [refused];
