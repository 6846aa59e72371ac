import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exampleDesign } from '../design/example.ts';
import type { Design } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Document } from '../wizard/document.ts';
import type { CommandIo } from './io.ts';

const words = () => catalogue().cli;
const plainWords = () => catalogue().plain;

/** The file of `--answers`: its design, null where it has errors; relative paths in it start at `base`. */
export interface Answers {
  readonly design: Design | null;
  readonly document: Document;
  readonly base: string;
  readonly isReadable: boolean;
}

/** The design of an answers file, or the documented one for `example`; prints its problems. */
export function readAnswers(file: string, io: CommandIo): Answers {
  if (file === 'example') return { ...parseDesign(exampleDesign({})), base: io.cwd, isReadable: true };
  const path = resolve(io.cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    io.stderr(`${words().cannotRead(file, (error as Error).message)}\n`);
    return { design: null, document: null, base: io.cwd, isReadable: false };
  }
  const { design, document, problems } = parseDesign(text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) io.stderr(`${words().designErrors(file)}\n`);
  for (const { path: at, message, fix } of errors) io.stderr(`${plainWords().problem(at, message, fix)}\n`);
  return { design, document, base: dirname(path), isReadable: true };
}
