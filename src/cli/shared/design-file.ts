import type { Design, Problem } from '../../design/model.ts';
import { parseDesign } from '../../design/parse.ts';
import { readGivenFile } from '../../ports/plain-file.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { systemReason } from '../../text/system-reason.ts';
import { UsageError } from './usage.ts';

const words = () => catalogue().live;
type Tell = { readonly stderr: (text: string) => void };

/**
 * The design of a file; null where it has errors, which are reported.
 * @throws UsageError for a file that cannot be read
 */
export function designIn(designFile: string, io: Tell): Design | null {
  let text: string;
  try {
    text = readGivenFile(designFile);
  } catch (error) {
    throw new UsageError(words().target.unreadable(sanitizeLine(designFile), systemReason(error, 'read')));
  }
  const { design, problems } = parseDesign(text);
  return isGood(design, problems, designFile, io) ? design : null;
}

/** True for a design without errors; reports the errors of any other. */
export function isGood(design: Design | null, problems: readonly Problem[], where: string, io: Tell): design is Design {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (design !== null && errors.length === 0) return true;
  io.stderr(`${catalogue().cli.designErrors(sanitizeLine(where))}\n`);
  for (const { path, message, fix } of errors)
    io.stderr(`${words().target.problem(sanitizeLine(path), message, fix)}\n`);
  return false;
}
