import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Trouble } from '../../text/trouble.ts';

/** What went wrong, why, and what to do, as the commands print it. */
export function troubleText({ title, cause, whatToDo }: Trouble): string {
  return catalogue().live.trouble(title, sanitizeLine(cause), whatToDo);
}
