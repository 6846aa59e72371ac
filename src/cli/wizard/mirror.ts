import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { StepState } from '../../steps/step-state.ts';
import { UsageError } from '../shared/io.ts';

const words = () => catalogue().steps.prepare.mirror;

/**
 * Resolves the value of `--mirror`.
 * @returns the absolute path; null for `off`; undefined without the option
 * @throws UsageError if it is not a directory that can be read
 */
export function resolveMirror(option: string | undefined, cwd: string): string | null | undefined {
  if (option === undefined) return undefined;
  if (option === 'off') return null;
  const dir = resolve(cwd, option);
  try {
    accessSync(dir, constants.R_OK | constants.X_OK);
    if (statSync(dir).isDirectory()) return dir;
  } catch {
    // The message is the same for every reason.
  }
  throw new UsageError(words().notADirectory(sanitizeLine(dir)));
}

/**
 * Saves where Prepare takes its downloads from, for this start and later ones.
 * @returns a message about it; null without the option
 */
export function saveMirror(stepState: StepState, mirror: string | null | undefined): string | null {
  if (mirror === undefined) return null;
  stepState.set('mirror', mirror);
  return mirror === null ? words().off : words().set(sanitizeLine(mirror));
}
