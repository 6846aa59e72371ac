import { dirname, resolve } from 'node:path';
import { renderExampleDesign } from '../../design/example.ts';
import type { Design } from '../../design/model.ts';
import { checkDocument, parseDesign } from '../../design/parse.ts';
import type { DesignDocument } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { describeUnreadableFile } from '../../i18n/user-error.ts';
import { readInputFile } from '../../platform/files.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { withAbsoluteFilePaths } from '../../steps/shared/files/design-paths.ts';
import { describePath } from '../../wizard/design/review.ts';
import type { CommandIo } from '../shared/io.ts';

const words = () => catalogue().cli;

/** The contents of the file of `--answers`. `design` is null if it has errors. */
interface AnswersFile {
  readonly design: Design | null;
  readonly document: DesignDocument;
  readonly isReadable: boolean;
}

/** Reads the design of an answers file, or the documented one for `example`, and prints its problems. */
export function readAnswersFile(file: string, io: CommandIo): AnswersFile {
  if (file === 'example') return { ...parseDesign(renderExampleDesign({})), isReadable: true };
  const path = resolve(io.cwd, file);
  let text: string;
  try {
    text = readInputFile(path);
  } catch (error) {
    io.stderr(`${describeUnreadableFile(file, error)}\n`);
    return { design: null, document: null, isReadable: false };
  }
  const { document, problems } = parseDesign(text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) io.stderr(`${words().designErrors(sanitizeLine(file))}\n`);
  for (const { path: fieldPath, message, fix } of errors)
    io.stderr(`${catalogue().plain.problem(describePath(document, fieldPath), message, fix)}\n`);
  const documentWithAbsolutePaths = withAbsoluteFilePaths(document, dirname(path), null);
  return {
    design: checkDocument(documentWithAbsolutePaths).design,
    document: documentWithAbsolutePaths,
    isReadable: true,
  };
}
