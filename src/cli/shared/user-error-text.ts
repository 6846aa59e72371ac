import { catalogue } from '../../i18n/catalogue.ts';
import type { UserError } from '../../i18n/user-error.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

/** Formats an error for the commands: title, cause and remedy. */
export function formatUserError({ title, cause, remedy }: UserError): string {
  return catalogue().live.userError(title, sanitizeLine(cause), remedy);
}
