import { dirname, resolve } from 'node:path';
import { exampleDesign } from '../../design/example.ts';
import type { Design } from '../../design/model.ts';
import { checkDocument, parseDesign } from '../../design/parse.ts';
import { readGivenFile } from '../../ports/plain-file.ts';
import { withPlacedFiles } from '../../steps/shared/files/credentials.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { systemReason } from '../../text/system-reason.ts';
import type { Document } from '../../wizard/design/document.ts';
import { placeOf } from '../../wizard/design/review.ts';
import type { CommandIo } from '../shared/io.ts';

const words = () => catalogue().cli;
const plainWords = () => catalogue().plain;

/** The file of `--answers`: its design, null where it has errors. */
export interface Answers {
  readonly design: Design | null;
  readonly document: Document;
  readonly isReadable: boolean;
}

/** The design of an answers file, or the documented one for `example`; prints its problems. */
export function readAnswers(file: string, io: CommandIo): Answers {
  if (file === 'example') return { ...parseDesign(exampleDesign({})), isReadable: true };
  const path = resolve(io.cwd, file);
  let text: string;
  try {
    text = readGivenFile(path);
  } catch (error) {
    io.stderr(`${words().cannotRead(sanitizeLine(file), systemReason(error, 'read'))}\n`);
    return { design: null, document: null, isReadable: false };
  }
  const { document, problems } = parseDesign(text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) io.stderr(`${words().designErrors(sanitizeLine(file))}\n`);
  for (const { path: at, message, fix } of errors)
    io.stderr(`${plainWords().problem(placeOf(document, at), message, fix)}\n`);
  const placed = withPlacedFiles(document, dirname(path), null);
  return { design: checkDocument(placed).design, document: placed, isReadable: true };
}
