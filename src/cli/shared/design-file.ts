import type { Design, Problem } from '../../design/model.ts';
import { parseDesign } from '../../design/parse.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { describeSystemError } from '../../i18n/user-error.ts';
import { readInputFile } from '../../platform/files.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { UsageError } from './usage.ts';

const words = () => catalogue().live;
type ErrorOutput = { readonly stderr: (text: string) => void };

/**
 * Reads the design of a file; null if it has errors, which are reported.
 * @throws UsageError if the file cannot be read
 */
export function readDesignFile(designFile: string, io: ErrorOutput): Design | null {
  let text: string;
  try {
    text = readInputFile(designFile);
  } catch (error) {
    throw new UsageError(words().target.unreadable(sanitizeLine(designFile), describeSystemError(error, 'read')));
  }
  const { design, problems } = parseDesign(text);
  return isErrorFree(design, problems, designFile, io) ? design : null;
}

/** True for a design without errors; reports the errors of any other. */
export function isErrorFree(
  design: Design | null,
  problems: readonly Problem[],
  where: string,
  io: ErrorOutput,
): design is Design {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (design !== null && errors.length === 0) return true;
  io.stderr(`${catalogue().cli.designErrors(sanitizeLine(where))}\n`);
  for (const { path, message, fix } of errors)
    io.stderr(`${words().target.problem(sanitizeLine(path), message, fix)}\n`);
  return false;
}
